#!/usr/bin/env bash
# Makes the page of the experiments in a store and takes pictures of it, for a look by eye:
# on a desktop, whole, with an open cell, by night, on a phone, and printed. It needs
# chromium; pictures of the printed pages need pdftoppm of poppler-utils.
#
#	scripts/page.sh OUT [--store DIR] [EXPERIMENT …]
set -euo pipefail
cd "$(dirname "$0")/.."
if [ $# = 0 ]; then
	echo 'usage: scripts/page.sh OUT [--store DIR] [EXPERIMENT …]' >&2
	exit 2
fi
out=$1
shift
mkdir -p "$out"
out=$(realpath "$out")
go run ./cmd/bench report --out "$out/index.html" "$@"
go -C scripts run ./page "$out/index.html" "$out"
if command -v pdftoppm >/dev/null; then
	pdftoppm -r 60 -png "$out/print.pdf" "$out/print"
fi
