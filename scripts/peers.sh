#!/usr/bin/env bash
# Measures ocobench side by side with what would be used instead of it, prints
# tables of ratios and targets, and writes them to docs/performance.md.
#
#     scripts/peers.sh            about twelve minutes; leave the machine alone
#     scripts/peers.sh --quick    two minutes, to see that it works; writes nothing
#     scripts/peers.sh --external
#                                 only rounds with a program in Python; writes nothing
#     scripts/peers.sh --growth   a quarter of an hour: how a round grows with n and m, docs/growth.png
#
# Peers that the machine lacks (gcc; ${PYTHON:-/usr/bin/python3} with numpy, cvxopt and scipy)
# are skipped, and the tables say so.
set -euo pipefail
cd "$(dirname "$0")/.."

case ${1-} in
'') flags=(-doc docs/performance.md) ;;
--quick) flags=(-quick) ;;
--external) flags=(-external) ;;
--growth) flags=(-growth -doc docs/performance.md) ;;
*)
	echo 'usage: scripts/peers.sh [--quick | --external | --growth]' >&2
	exit 2
	;;
esac

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
go build -o "$dir/bench" ./cmd/bench
go -C scripts build -o "$dir/peers" ./peers
go -C scripts build -tags rescan -o "$dir/peers-rescan" ./peers # its active sets look at every row in every scan
if command -v gcc >/dev/null; then
	gcc -O2 -o "$dir/primal_dual" scripts/peers/primal_dual.c -lm
fi
"$dir/peers" "${flags[@]}" -dir "$dir" -python "${PYTHON:-/usr/bin/python3}"
