#!/usr/bin/env bash
# scripts/wheels.sh OUT [GOOS/GOARCH …] makes wheels of Python with the program inside, of all
# six systems or of some, such as linux/amd64. It needs Go and Python 3.9. The same commit
# gives the same bytes.
set -euo pipefail
out=${1:?usage: scripts/wheels.sh OUT [GOOS/GOARCH …]}
mkdir -p "$out"
out=$(cd "$out" && pwd)
cd "$(dirname "$0")/.."
shift
[ $# -gt 0 ] || set -- linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64 windows/arm64
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

# build GOOS GOARCH: the program of a system, without C, without paths of this machine.
build() {
	CGO_ENABLED=0 GOOS=$1 GOARCH=$2 go build -trimpath -ldflags='-s -w' -o "$tmp/$1-$2" ./cmd/bench
}

host=$(go env GOHOSTOS) arch=$(go env GOHOSTARCH)
build "$host" "$arch"
version=$("$tmp/$host-$arch" --version)
for platform; do
	build "${platform%/*}" "${platform#*/}"
	python3 clients/python/wheels.py "$out" "${version#ocobench }" "$platform" "$tmp/${platform/\//-}"
done
