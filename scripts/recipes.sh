#!/usr/bin/env bash
# Carries out the recipes of CONTRIBUTING.md in a copy of the last commit: adds an algorithm, a
# problem, a metric, formats, a verb and a claim, each a copy of what is there, runs the commands
# of the recipes, and then the short tests. What fails at the end is named by no recipe. Without
# --long it leaves out the scripts of the recipes, which take minutes, and what holds the
# documents to them.
set -euo pipefail
cd "$(dirname "$0")/.."
dir=$(mktemp -d)
trap 'git worktree remove --force "$dir"' EXIT
git worktree add --quiet --detach "$dir"
cd "$dir"

# after FILE PATTERN TEXT: adds a line behind the first line with the pattern.
after() {
	PATTERN=$2 TEXT=$3 perl -i -pe '$done ||= s/$ENV{PATTERN}.*\n\K/$ENV{TEXT}\n/; END { exit !$done }' "$1" ||
		{ echo "scripts/recipes.sh: $1 has no line with $2" >&2 && exit 1; }
}

sed -E 's/(ogd|OGD|gradientRegret)/\1New/g; s/"ogdNew"/"new-entry"/; s/"Gradient/"New gradient/' algorithms/ogd.go >algorithms/new.go
after algorithms/algorithms.go '^	castiglioni,' '	ogdNew,'
after algorithms/claims_test.go '\{"ogd", nil' '{"new-entry", nil, []rate{{algorithms.RegretDomain, 0.5, 0, false}}},'
after algorithms/bounds_test.go '\{"ogd", nil, 0' '{"new-entry", nil, 0.8, -1},'

sed -E 's/([sS]hrinking)/new\1/g; s/func newnew/func newnew/; s/"newshrinking"/"new-problem"/; s/newShrinkingParams/NewParams/g' problems/shrinking.go >problems/new.go
after problems/problems.go '^	shrinking,' '	newshrinking,'

after harness/game/metrics.go 'return rec.largest }' '{Name: "violation_mean", Title: "mean violation", Doc: "(1/t) Σ_{i≤t} Σ_j [g_{i,j}(x_i)]₊", read: func(rec *traceRecorder) float64 { return rec.mean }, Exported: true, Fitted: true},'
sed -i 's/"violation_max", /"violation_max", "violation_mean", /' harness/experiment/spec/experiment.go
after harness/game/trace.go '^	loss, total' '	mean float64'
after harness/game/trace.go 'rec.total, rec.soft =' 'rec.mean = rec.hard / float64(t)'
after report/names.go 'algorithms.MaxViolation:' '"violation_mean": `$t^{-1}\sum_i\sum_j[g_i^{(j)}(x_i)]_+$`,'
after harness/game/trace_test.go '"violation_hard": +\{1' '"violation_mean": {1, 1, 4. / 3},'
after harness/game/trace_test.go 'out\["violation_hard"\] \+=' 'out["violation_mean"] += max(0, v) / float64(T)'
for page in docs/mathematics.md docs/reading.md; do after $page '`violation_max` \|' '| `violation_mean` | mean | of the hard violation |'; done

echo 'package table; import "io"; func WriteNew(w io.Writer, t *Table) error {
	if err := t.check(); err != nil { return err }; _, err := io.WriteString(w, oneLine(t.Title.Plain)); return err }' >report/table/new.go
after report/table/format.go '\{"latex",' '{"new", ".new", false, WriteNew},'
after report/export/export.go '\{".txt",' '{".new", "the same", CSV},'

echo 'package cli; type wordCmd struct{}; func (*wordCmd) Run(e *env) error { _, err := e.stdout.Write([]byte("word\n")); return err }' >cmd/bench/cli/word.go
echo 'Prints a word.' >cmd/bench/cli/help/word.txt
after cmd/bench/cli/cli.go 'scoreCmd ' '	Word wordCmd `cmd:"" group:"games" help:"Say a word."`'
printf 'exits 0 bench word\nstdout word\n' >cmd/bench/testdata/script/word.txtar

sed -E 's/^number: .*/number: 46/' paper/claims/sets_nested.yaml >paper/claims/new_claim.yaml
after paper/claims/all.go '"substantially-extends"' '{"new-claim", setsNested},'

gofmt -w algorithms problems harness report cmd paper
go vet ./...
perl -ne 'print if /^```sh/ .. /^```$/' CONTRIBUTING.md | sed '/^```/d; s/NAME/new/' >"$dir/commands"
skip='^$'
[ "${1:-}" = --long ] || { sed -i '/^bash/d; /claims/d' "$dir/commands"; skip='TestRatesDocument|TestJudge$'; }
bash -ex "$dir/commands"
go test -short -skip "$skip" ./algorithms/... ./problems/... ./harness/... ./report/... ./paper/... ./cmd/... ./internal/doctest ./clients
