#!/usr/bin/env bash
# Asks the questions of docs/attacks.md anew: searches (hours on two cores with the default
# budgets, most of them for vaze-sinha; FACTOR scales them), keeps what was found in
# harness/attack/instances, and writes the tables of the page and its picture, docs/attacks.png.
#
#	scripts/attacks.sh [NAME …]     only these questions
set -euo pipefail
cd "$(dirname "$0")/.."
factor=${FACTOR:-1}
store=${STORE:-results/attacks}
bench=$(mktemp -d)/bench
go build -o "$bench" ./cmd/bench
names=" $* "
ask() { # NAME BUDGET FLAGS …
	local name=$1 budget=$2
	shift 2
	if [ "$names" != "  " ] && [[ "$names" != *" $name "* ]]; then return; fi
	echo "== $name: bench attack $*"
	"$bench" attack "$@" --budget $((budget * factor)) --store "$store" --out "harness/attack/instances/$name.yaml" || [ $? = 1 ]
}
mkdir -p harness/attack/instances

# What is known, from generic starts
ask soft-gap 4000 --algorithm penalised-ftrl --metric violation_soft --goal growth --horizon 16000 --dim 1 --margin 0.2
ask low-gamma 3000 --algorithm penalised-ftrl:gamma=0.5 --goal growth --horizon 4000
ask climb 4000 --algorithm sinha-vaze --horizon 1000 --margin 0.3
ask mannor 3000 --algorithm primal-dual --metric regret_xmax --goal growth --horizon 1280 --dim 1

# The first questions
ask plane 3000 --algorithm vaze-sinha --goal growth --horizon 640 --dim 2
ask space 3000 --algorithm vaze-sinha --goal growth --horizon 640 --dim 3
ask conjecture 6000 --algorithm primal-dual-average --metric violation_penalty --goal growth --horizon 4000
ask conjecture-soft 6000 --algorithm primal-dual-average --metric violation_soft --goal growth --horizon 4000
ask conjecture-fixed 100 --algorithm primal-dual-average --metric violation_penalty --goal growth --horizon 16000 --problem fixed:dim=1,margin=0.05..0.9,loss-noise=0
for a in penalised-ftrl chen guo coldq vaze-sinha clasp; do
	ask "slater-$a" 2000 --algorithm "$a" --metric violation_hard --goal value --horizon 1000 --margin 0.1
done

# Every bound, those in expectation as means, and that without violation where its margin
# is below the size of the constraints
"$bench" list algorithms --json | python3 -c '
import json, sys
for a in json.load(sys.stdin):
    for c in a["claims"]:
        if c.get("bound"):
            kind = c["metric"].split("_")
            print(a["name"], c["metric"], "dynamic" if "dynamic" in kind else kind[0])' >"${bench%/*}/bounds"
while read -r a metric kind; do
	flags=(--horizon 300)
	case $a:$metric in
	mahdavi-zero-violation:*) flags=(--horizon 3000 --margin 0.9) ;;
	yu-lee-lee:* | yu-neely-wei:*) flags+=(--replicates 10) ;;
	esac
	ask "bound-$kind-$a" 20000 --algorithm "$a" --metric "$metric" --goal bound "${flags[@]}"
done <"${bench%/*}/bounds"
go test ./harness/attack -run TestGalleryScoresReplay -update
found=()
for file in harness/attack/instances/*.yaml; do found+=(--verify "$file"); done
"$bench" attack "${found[@]}" --figure docs/attacks.png --store "$store" >/dev/null
