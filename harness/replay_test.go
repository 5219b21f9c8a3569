package harness

import (
	"bytes"
	"context"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ocobench/convex"
	"ocobench/problems"
	"ocobench/problems/rounds"
)

// actionsKept is the observer that keeps what is played.
type actionsKept struct{ x [][]float64 }

func (a *actionsKept) Round(_ int, x []float64, _ *convex.Round) error {
	a.x = append(a.x, append([]float64(nil), x...))
	return nil
}

// Every learner plays on recorded rounds what it plays on their problem, and has the same metrics:
// the first line has the facts.
func TestRecordedRoundsPlayTheSame(t *testing.T) {
	const horizon = 40
	for text, tolerance := range map[string]float64{
		"iid:dim=3,constraints=2": 0, "gradual-slater:dim=3,margin=0.5": 1e-9,
		"fixed:constraints=2,curvature=1": 1e-9, "perturbed:constraints=2,noise=iid": 1e-9,
	} {
		game := func(s problems.Stream, name string) (*actionsKept, *recorder) {
			l, err := contender(t, name).Learner(s, 1, 1, horizon)
			if err != nil {
				t.Fatal(err)
			}
			kept := new(actionsKept)
			rec := newRecorder(l, s.Set().Dim(), s.Constraints(), []int{horizon})
			if err := Play(context.Background(), l, s, horizon, kept, rec); err != nil {
				t.Fatal(err)
			}
			return kept, rec
		}
		s := start(t, text)
		var file bytes.Buffer
		w, facts := rounds.NewWriter(&file), s.Facts()
		if err := w.Header(rounds.Header{Domain: s.Set(), Constraints: s.Constraints(),
			Facts: &facts}); err != nil {
			t.Fatal(err)
		}
		if err := Play(context.Background(), nil, s, horizon, w); err != nil {
			t.Fatal(err)
		}
		name := filepath.Join(t.TempDir(), "rounds.jsonl")
		if err := os.WriteFile(name, file.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
		for _, a := range all.Algorithms {
			unmet := strings.Join(a.Unmet(facts), ", ")
			again := start(t, "trace:file="+name)
			if lack := strings.Join(a.Unmet(again.Facts()), ", "); lack != unmet {
				t.Errorf("%s on %s assumes %q, and on its rounds %q", a.Name, text, unmet, lack)
			}
			if unmet != "" {
				continue
			}
			first, trace := game(start(t, text), a.Name)
			second, other := game(again, a.Name)
			for k, x := range first.x {
				for i, v := range x {
					if math.Abs(v-second.x[k][i]) > tolerance {
						t.Fatalf("%s on %s, round %d: %v, on its rounds %v", a.Name, text, k+1, x, second.x[k])
					}
				}
			}
			for k, v := range trace.rows[0] {
				if o := other.rows[0][k]; math.Abs(v-o) > tolerance*(1+math.Abs(v)) {
					t.Errorf("%s on %s: column %d is %v, on its rounds %v", a.Name, text, k, v, o)
				}
			}
		}
	}
}
