#!/usr/bin/env bash
# Puts defects into a copy of the tree, and runs tests with one at a time until one fails.
# Prints how many are found, by package, and names those that are not. The defects
# are those of scripts/mutants/defects.txt, or with --rule those that rules make from the
# production code and the script of the page.
#
#     scripts/mutants.sh                                  all of the list
#     scripts/mutants.sh --package P                      those of one package, such as convex/vec
#     scripts/mutants.sh --sample N [--seed S]            N of them, drawn by the seed
#     scripts/mutants.sh --workers N                      N at the same time
#     scripts/mutants.sh --resume FILE                    not those that FILE says are found; adds to FILE
#     scripts/mutants.sh --rule --sample N [--seed S]     N of those by rule
#     scripts/mutants.sh --rule … --resume FILE           nor those that FILE says survived,
#     scripts/mutants.sh --rule … --resume FILE --survivors   but these too
#     scripts/mutants.sh --rule … --budget 10m --advisory     ends soon, and fails for no survivor
#
# What a sample by rule says is in scripts/mutants/rule-SEED.jsonl, and what changes nothing
# that anybody could see in scripts/mutants/equivalent.txt.
#
# Exit codes: 0 at least 97 % are found, or 90 % of those by rule; 1 less; 2 bad usage, or a bad
# defect.
set -euo pipefail
cd "$(dirname "$0")/.."

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
go -C scripts build -o "$dir/mutants" ./mutants
"$dir/mutants" "$@"
