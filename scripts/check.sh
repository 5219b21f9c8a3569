#!/usr/bin/env bash
# Checks a change. The product and the tools in scripts are two modules, and both are
# checked; staticcheck is a tool of scripts/go.mod.
#
#	scripts/check.sh --fast [REV]    up to a minute: gofmt, lines, vet, and staticcheck and
#	                                 the short tests of the packages that differ from REV;
#	                                 REV is HEAD or, if nothing differs from it, HEAD~1
#	scripts/check.sh --static        all that runs no test: gofmt, lines, vet, types on
#	                                 other systems, staticcheck, portable arithmetic
#	scripts/check.sh --race          the short tests of the packages where several goroutines
#	                                 are, with the race detector, in random order
#	scripts/check.sh                 the last two
#
# CONTRIBUTING.md says when to run which.
set -euo pipefail
cd "$(dirname "$0")/.."

mode=all
case ${1:-} in
"") ;;
--fast | --static | --race) mode=${1#--} ;;
*)
	echo 'usage: scripts/check.sh [--fast [REV] | --static | --race]' >&2
	exit 2
	;;
esac

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

say() { printf '== %s\n' "$*"; }

# race runs the short tests with the race detector, where several goroutines are: in the
# packages that start some or hold a lock, and in those that drive the whole program. There
# all learners and problems play side by side. They were vetted before. What is long, and of one
# goroutine or of several processes, has run without the detector.
race() {
	alone='^Test(ReadRefusesDamage|CheckAlarmsAtPlannedRates|CheckTellsRoundingFromAChange|'
	alone+='RecordedRoundsPlayTheSame|ProcessesShareAStore|KilledRunLeavesNoChild|KilledRunLeavesNoWorker)$'
	for module in . scripts; do
		mapfile -t packages < <(cd $module && { git ls-files '*.go' | grep -v '_test\.go$\|^scripts/' |
			xargs grep -lE '^\s*go (func\(|[a-z.]+\()|sync\.(WaitGroup|Mutex|RWMutex)|host\.(Each|Queue)\(' |
			xargs -n1 dirname | sed 's|^|./|'; [ $module = scripts ] || echo ./cmd/bench; } | sort -u)
		say "race detector: $module: ${packages[*]}"
		(cd $module && go test -race -short -vet=off -shuffle=on -skip "$alone" -timeout 20m "${packages[@]}")
	done
}

if [ $mode = race ]; then
	race
	exit
fi

say gofmt
unformatted=$(gofmt -l .)
if [ -n "$unformatted" ]; then
	printf 'not gofmt-ed:\n%s\n' "$unformatted"
	exit 1
fi

say lines
go -C scripts run ./lines ..

go -C scripts build -o "$dir/staticcheck" honnef.co/go/tools/cmd/staticcheck

# changed prints the packages of the module in the working directory whose files, or files
# of folders below without Go, differ from a revision. Documents are those of ./internal/doctest.
changed() {
	{
		git diff --name-only --relative "$1"
		git ls-files --others --exclude-standard
	} | while read -r file; do
		folder=$(dirname "$file")
		until [ "$folder" = . ] || compgen -G "$folder/*.go" >/dev/null; do folder=$(dirname "$folder"); done
		[ "$folder" != . ] || folder=internal/doctest
		[ ! -d "$folder" ] || echo "./$folder"
	done | sort -u
}

if [ $mode = fast ]; then
	rev=${2:-HEAD}
	if [ $# = 1 ] && [ -z "$(git status --porcelain)" ]; then rev=HEAD~1; fi
	say vet
	go vet ./...
	go -C scripts vet ./...
	for module in . scripts; do
		mapfile -t packages < <(cd $module && changed "$rev" | grep -v '^./scripts')
		[ ${#packages[@]} = 0 ] && continue
		say "staticcheck and short tests: $module: ${packages[*]}"
		(cd $module && "$dir/staticcheck" "${packages[@]}" && go test -short "${packages[@]}")
	done
	exit
fi

say vet
go vet ./...
go -C scripts vet ./...

# The types alone: to vet what is for another system, all that it imports is compiled.
say other systems
go -C scripts build -o "$dir/systems" ./systems
"$dir/systems" . darwin windows
"$dir/systems" scripts darwin windows

say staticcheck
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
GOARCH=arm64 go build -gcflags=all=-dwarf=false '-gcflags=ocobench/...=-S -dwarf=false' ./... >"$list" 2>&1 ||
	{ grep -E '\.go:[0-9]+:[0-9]+: ' "$list"; exit 1; }
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

[ $mode = static ] || race
