#!/usr/bin/env bash
# Tortures bench: kills, damaged files, hostile input, archives and strays, full
# disks, signals, misbehaving learners, shared stores, other processors. Prints a table of what
# was tried and how often a number was missing or wrong after it (failed), and exits with 1 if any
# trial failed. On Linux.
#
#     scripts/torture.sh [--seed S] [KIND ...]            up to ten minutes on two cores
#     scripts/torture.sh --quick [--seed S] [KIND ...]    up to 90 s, fewer of each
#
# The kinds are kills, damage, hostile, files, disks, signals, learners, sharing and bits;
# without any, all. bits plays on arm64 where qemu-aarch64-static is installed.
set -euo pipefail
cd "$(dirname "$0")/.."

flags=()
while [ $# -gt 0 ]; do
	case $1 in
	--quick) flags+=(-quick) ;;
	--seed)
		flags+=(-seed "${2:?--seed needs a number}")
		shift
		;;
	-*)
		echo 'usage: scripts/torture.sh [--quick] [--seed S] [KIND ...]' >&2
		exit 2
		;;
	*) break ;;
	esac
	shift
done

dir=$(mktemp -d)
trap 'chmod -R u+rwX "$dir"; rm -rf "$dir"' EXIT
go build -o "$dir/bench" ./cmd/bench
go -C scripts build -o "$dir/bad" ./torture/bad
go -C scripts build -o "$dir/torture" ./torture
for target in amd64:GOAMD64=v1 amd64:GOAMD64=v3 arm64:GOARM64=v8.0; do
	case $target in
	amd64:*) [ "$(go env GOARCH)" = amd64 ] || continue ;;
	arm64:*) [ "$(go env GOARCH)" = arm64 ] || command -v qemu-aarch64-static >/dev/null || continue ;;
	esac
	env GOARCH="${target%:*}" CGO_ENABLED=0 "${target#*:}" go -C scripts build -o "$dir/torture-${target#*=}" ./torture
done
"$dir/torture" "${flags[@]}" -dir "$dir" "$@"
