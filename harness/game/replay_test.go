package game

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"ocobench/algorithms"
	"ocobench/convex"
	"ocobench/harness/harnesstest"
	"ocobench/internal/long"
	"ocobench/problems"
	"ocobench/problems/recorded"
)

// actionsKept observes a game and keeps the actions.
type actionsKept struct{ x [][]float64 }

func (a *actionsKept) Round(_ int, x []float64, _ *convex.Round) error {
	a.x = append(a.x, append([]float64(nil), x...))
	return nil
}

// recordableProblems returns SPECs of all problems of the registry but trace.
func recordableProblems() []string {
	texts := []string{"iid:dim=3,constraints=2", "fixed:constraints=2,curvature=1",
		"fixed:kind=norm,constraints=2", "perturbed:constraints=2,noise=iid,kind=quadratic",
		"gradual-slater:dim=3,margin=0.5", "regression:dim=3,combine=max", "logistic:constraint=norm",
		"fog-offloading:nodes=5", "job-scheduling:servers=6,zones=3,jobs=60"}
	for _, p := range problems.All {
		if p.Name != "trace" && p.Name != "job-scheduling" && p.Name != "fog-offloading" {
			texts = append(texts, p.Name)
		}
	}
	return texts
}

// Every learner plays on recorded rounds of any problem what it plays on the problem, and has the
// same metrics, bit for bit: functions are written whole, and the first line has the facts. Rounds
// of an adaptive problem are those that were recorded with the learner. The sample has every
// problem with every fifth learner, in another place for each.
func TestRecordedRoundsPlayTheSame(t *testing.T) {
	long.Run(t, func(t *testing.T, whole bool) {
		for k, text := range recordableProblems() {
			played := 0
			for i, a := range algorithms.All {
				if (whole || (i+k)%5 == 0) && recordedPlayIsEqual(t, text, a) {
					played++
				}
			}
			if played == 0 {
				t.Errorf("got no learner of the sample that plays %s, want one", text)
			}
		}
	})
}

// Recorded rounds have the comparator sets of the problem, X^E where its expectation is known, and
// the same best actions in hindsight, bit for bit.
func TestRecordedRoundsHaveTheSameHindsight(t *testing.T) {
	const horizon = 12
	known := 0
	for _, text := range recordableProblems() {
		s := harnesstest.Start(t, text)
		facts, file := s.Facts(), new(bytes.Buffer)
		header := recorded.Header{Domain: s.Set(), Constraints: s.Constraints(), Facts: &facts,
			Expectation: expectedConstraints(s), Bases: problems.BasesOf(s)}
		w, h, set := recorded.NewWriter(file), NewHindsight(s), s.Set()
		l := &harnesstest.Learner{Play: func(_ int, x []float64) {
			clear(x)
			set.Project(x, x)
		}}
		if err := w.Header(header); err != nil {
			t.Fatal(err)
		}
		if err := Play(context.Background(), l, s, horizon, w, h); err != nil {
			t.Fatal(err)
		}
		name := filepath.Join(t.TempDir(), "rounds.jsonl")
		if err := os.WriteFile(name, file.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
		again := harnesstest.Start(t, "trace:file="+name)
		other := NewHindsight(again)
		l.Rounds = 0
		if err := Play(context.Background(), l, again, horizon, other); err != nil {
			t.Fatal(err)
		}
		if expectedConstraints(s) != nil {
			known++
		}
		if want, got := comparatorSets(s), comparatorSets(again); !slices.Equal(want, got) {
			t.Errorf("%s has the sets %v, its rounds %v", text, want, got)
		}
		want, err := h.Solve()
		if err != nil {
			t.Fatal(err)
		}
		got, err := other.Solve()
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s: the best actions are %+v, on its rounds %+v", text, want, got)
		}
	}
	if known < 12 {
		t.Errorf("got %d problems of known expectation, want at least 12", known)
	}
}

// recordedPlayIsEqual compares a game with that on its rounds, and reports whether there was one: a
// learner that needs more than the problem has does not play.
func recordedPlayIsEqual(t *testing.T, text string, a algorithms.Algorithm) bool {
	t.Helper()
	const horizon = 24
	facts := harnesstest.Start(t, text).Facts()
	unmet := strings.Join(a.Unmet(facts), ", ")
	if unmet != "" && !facts.Adaptive {
		return false
	}
	var file bytes.Buffer
	game := func(s problems.Stream, more ...Observer) (*actionsKept, *traceRecorder, error) {
		l := harnesstest.StartLearner(t, a.Name, s, horizon)
		kept := new(actionsKept)
		rec := newTraceRecorder(l, s.Set().Dim(), s.Constraints(), []int{horizon})
		return kept, rec, Play(context.Background(), l, s, horizon, append(more, kept, rec)...)
	}
	s := harnesstest.Start(t, text)
	w := recorded.NewWriter(&file)
	if err := w.Header(recorded.Header{Domain: s.Set(), Constraints: s.Constraints(),
		Facts: &facts, Bases: problems.BasesOf(s)}); err != nil {
		t.Fatal(err)
	}
	first, trace, err := game(s, w)
	if err != nil { // of the learner, such as a start that it cannot use
		return false
	}
	name := filepath.Join(t.TempDir(), "rounds.jsonl")
	if err := os.WriteFile(name, file.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	again := harnesstest.Start(t, "trace:file="+name)
	if lack := strings.Join(a.Unmet(again.Facts()), ", "); lack != unmet && !facts.Adaptive {
		t.Errorf("%s on the rounds of %s: got unmet %q, want %q", a.Name, text, lack, unmet)
	}
	second, other, err := game(again)
	if err != nil {
		t.Fatalf("%s on the rounds of %s: %v", a.Name, text, err)
	}
	for k, x := range first.x {
		if !slices.Equal(x, second.x[k]) {
			t.Errorf("%s on the rounds of %s, round %d: got %v, want %v", a.Name, text, k+1, second.x[k], x)
			return true
		}
	}
	if !slices.Equal(trace.rows[0], other.rows[0]) {
		t.Errorf("%s on the rounds of %s: got metrics %v, want %v", a.Name, text, other.rows[0],
			trace.rows[0])
	}
	return true
}
