#!/usr/bin/env bash
# Makes the tables of docs/rates.md and docs/results.md anew: plays the experiment rates (some
# minutes on two cores; what results/ has is not played again) and writes a table between the
# markers of each. The experiment with its analysis goes to out/rates.ocobench,
# for bench report --beside.
#
#	scripts/rates.sh [--store DIR] …
set -euo pipefail
cd "$(dirname "$0")/.."
store=results
previous=""
for flag in "$@"; do
	case $previous in --store) store=$flag ;; esac
	case $flag in --store=*) store=${flag#--store=} ;; esac
	previous=$flag
done
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
go run ./cmd/bench run rates --formats md --out "$out" "$@"
go run ./cmd/bench export --archive out/rates.ocobench --experiment rates --store "$store"
go test ./internal/doctest -run 'TestRatesDocument$' -count 1 -rates "$out/rates"
