#!/usr/bin/env bash
# Runs whole what .ci/run runs on a sample, and writes what came of it, with the date, into
# docs/nightly.md. All of it takes some hours on an idle machine with two cores.
#
#	scripts/nightly.sh [STEP ...]    these steps, in the order below; without any, all
#
#	tests      all tests, none on a sample, without the race detector
#	race       all tests with the race detector, three times, in random orders
#	static     formatting, vet, types on other systems, staticcheck, portable arithmetic
#	torture    scripts/torture.sh
#	cluster    scripts/cluster.sh
#	article    scripts/paper.sh
#	recipes    scripts/recipes.sh
#	scaling    stores of 10⁴ and 10⁵ cells
#	mutants    every defect of scripts/mutants/defects.txt; what scripts/mutants/outcomes.jsonl
#	           says is found is not tried again, so that it can be done in several sittings
#	rules      400 defects made by rule, drawn by seed 6: those that scripts/mutants/rule-6.jsonl
#	           says survived, and those that it does not have
#
# Exit codes: 0 all steps passed; 1 a step failed; 2 bad usage.
set -euo pipefail
cd "$(dirname "$0")/.."

all="tests race static torture cluster article recipes scaling mutants rules"
for step in "$@"; do
	case " $all " in *" $step "*) ;; *)
		echo "usage: scripts/nightly.sh [STEP ...], of $all" >&2
		exit 2
		;;
	esac
done

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# step does one step.
step() {
	case $1 in
	tests)
		OCOBENCH_TESTS=whole go test -count=1 -timeout 30m ./...
		OCOBENCH_TESTS=whole go -C scripts test -count=1 -timeout 30m ./...
		;;
	race)
		go test -race -count=3 -shuffle=on -timeout 120m ./...
		go -C scripts test -race -count=3 -shuffle=on -timeout 60m ./...
		;;
	static) bash scripts/check.sh --static ;;
	torture) bash scripts/torture.sh ;;
	cluster) bash scripts/cluster.sh ;;
	article) bash scripts/paper.sh --out "$work/out" --store "$work/store" ;;
	recipes) bash scripts/recipes.sh ;;
	scaling) go -C scripts run ./scaling --dir "$work/scaling" 80 800 ;;
	mutants) bash scripts/mutants.sh --workers 2 --resume scripts/mutants/outcomes.jsonl ;;
	rules)
		bash scripts/mutants.sh --rule --sample 400 --seed 6 --workers 2 --survivors \
			--resume scripts/mutants/rule-6.jsonl
		;;
	esac
}

# record puts the row of a step into the table: step, day, commit, minutes, what came of it.
record() {
	awk -v name="$1" -v row="| $1 | $2 | $3 | $4 | $5 |" '
		$0 ~ "^\\| " name " \\|" { $0 = row }
		{ print }' docs/nightly.md >"$work/nightly.md"
	cp "$work/nightly.md" docs/nightly.md
}

failed=0
for name in ${*:-$all}; do
	echo "== $name"
	begun=$SECONDS
	outcome=passed
	# A subshell of its own, since set -e means nothing in a condition.
	set +e
	(
		set -e
		step "$name"
	) 2>&1 | tee "$work/log"
	code=${PIPESTATUS[0]}
	set -e
	if [ "$code" != 0 ]; then
		outcome="failed ($code)" failed=1
	elif [ "$name" = mutants ] || [ "$name" = rules ]; then
		outcome=$(grep -E '^[0-9.]+ % of [0-9]+ defects are killed' "$work/log")
	fi
	commit=$(git rev-parse --short HEAD)
	[ -z "$(git status --porcelain -- . ':!docs/nightly.md' ':!scripts/mutants/*.jsonl')" ] || commit="$commit, changed"
	record "$name" "$(date -u +%F)" "$commit" "$(((SECONDS - begun + 59) / 60))" "$outcome"
done
exit $failed
