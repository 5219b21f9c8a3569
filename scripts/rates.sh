#!/usr/bin/env bash
# Makes the table of docs/rates.md anew: plays the experiment rates (some minutes
# on two cores; what results/ has is not played again) and writes its table
# between the markers.
set -euo pipefail
cd "$(dirname "$0")/.."
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
go run ./cmd/bench run rates --out "$out" "$@"
go test . -run 'TestRatesDocument$' -count 1 -rates "$out/rates"
