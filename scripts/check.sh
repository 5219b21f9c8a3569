#!/usr/bin/env bash
# All checks of a change: formatting, vet, staticcheck, portable arithmetic, and the
# tests with the race detector in random order. Long tests are shortened; `go test
# ./...` runs them in full. The product and the tools in scripts are two modules, and both
# are checked; staticcheck is a tool of scripts/go.mod.
set -euo pipefail
cd "$(dirname "$0")/.."

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

say() { printf '== %s\n' "$*"; }

say gofmt
unformatted=$(gofmt -l .)
if [ -n "$unformatted" ]; then
	printf 'not gofmt-ed:\n%s\n' "$unformatted"
	exit 1
fi

say lines
go -C scripts run ./lines ..

say vet
for os in linux darwin windows; do
	GOOS=$os go vet ./...
	GOOS=$os go -C scripts vet ./...
done

say staticcheck
go -C scripts build -o "$dir/staticcheck" honnef.co/go/tools/cmd/staticcheck
"$dir/staticcheck" ./...
(cd scripts && "$dir/staticcheck" ./...)

# The compiler fuses x*y + z into one rounding on arm64 unless the product is
# converted: float64(x*y) + z. Results must have the same bits everywhere, so
# no fused operation but an explicit math.FMA may be in what computes them.
#
# The whole product is looked at but what computes no result: figures and formulas, where a
# number is a place on paper; and conformance suites, which answer yes or no.
say portable arithmetic
list=$dir/arm64
GOARCH=arm64 go build '-gcflags=ocobench/...=-S' ./... >"$list" 2>&1 || { grep -E '\.go:[0-9]+:[0-9]+: ' "$list"; exit 1; }
fused=$(grep -E '[[:space:]]FN?M(ADD|SUB)[DS][[:space:]]' "$list" | grep -oE '[^( ]+\.go:[0-9]+' | grep -F "$PWD/" |
	grep -vE '/(report/(figure|tex)|[a-z]+test)/[^/]*$' | sort -u |
	while IFS=: read -r file line; do
		code=$(sed -n "${line}p" "$file")
		case $code in *math.FMA\(*) ;; *) echo "${file#"$PWD"/}:$line:$code" ;; esac
	done)
if [ -n "$fused" ]; then
	printf 'fused on arm64; round the product, float64(x*y):\n%s\n' "$fused"
	exit 1
fi

say tests
go test -race -short -shuffle=on -timeout 20m ./...
go -C scripts test -race -short -shuffle=on -timeout 20m ./...
