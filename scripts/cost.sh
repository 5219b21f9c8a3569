#!/usr/bin/env bash
# Measures the cost of a round of Penalised FTRL on this machine and draws it: out/cost.pdf, .svg and .png.
# Times are no results, so bench has no such figure.
#
#	scripts/cost.sh [DIR]
set -euo pipefail
cd "$(dirname "$0")/.."
out=$(realpath -m "${1:-out}")
go test -run '^$' -bench FTRL -count 3 ./harness/... | tee /dev/stderr | go -C scripts run ./cost "$out"
