#!/usr/bin/env bash
# Runs whole what .ci/run runs on a sample, and prints what came of it. All of it takes some hours on
# an idle machine with two cores.
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
#
# Exit codes: 0 all steps passed; 1 a step failed; 2 bad usage.
set -euo pipefail
cd "$(dirname "$0")/.."

all="tests race static torture cluster article recipes scaling"
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
	esac
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
	)
	code=$?
	set -e
	if [ "$code" != 0 ]; then
		outcome="failed ($code)" failed=1
	fi
	printf '== %s %s, after %d min\n' "$name" "$outcome" $(((SECONDS - begun + 59) / 60))
done
exit $failed
