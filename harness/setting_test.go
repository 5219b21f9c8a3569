package harness

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ocobench/convex"
	"ocobench/harness/spec"
)

// A SPEC says that constraints are combined, or that this is swept, after the parameters.
func TestCombineInSpecs(t *testing.T) {
	for text, want := range map[string][]string{
		"iid":                                  {"iid"},
		"iid:combine=none,constraints=3":       {"iid:constraints=3"},
		"iid:combine=max,constraints=3":        {"iid:constraints=3,combine=max"},
		"iid:combine=max":                      {"iid:combine=max"},
		"iid:combine=[none,max],constraints=2": {"iid:constraints=2,combine=none", "iid:constraints=2,combine=max"},
	} {
		arenas, err := all.Arenas(useOf(t, text))
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		var got []string
		for _, a := range arenas {
			got = append(got, a.Spec)
			one := strings.Contains(a.Spec, "combine=max")
			if one != strings.Contains(a.Resolved(), `"combine":"max"`) || !one &&
				a.Resolved() != spec.Resolved(a.Params) {
				t.Errorf("%s: %s is %s", text, a.Spec, a.Resolved())
			}
			s, err := a.Stream(1, 1)
			if err != nil || one && s.Constraints() != 1 {
				t.Errorf("%s: %v", a.Spec, err)
			}
			again, err := all.Arenas(useOf(t, a.Spec))
			if err != nil || len(again) != 1 || again[0].Resolved() != a.Resolved() ||
				len(arenas) == 1 && all.ProblemSpec(a.Spec) != a.Spec {
				t.Errorf("%s is read back as %+v, error %v", a.Spec, again, err)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s is %v, want %v", text, got, want)
		}
	}
	for text, want := range map[string]string{
		"iid:combine=sum":         `"sum" at character 13 (expected one of none, max)`,
		"iid:combine=[max,max]":   "max is swept twice",
		"iid:combine=sum,dims=2":  `unknown parameter "dims"`,
		"iid:combine=max,dim=2*a": `dim: "2*a": unknown name "a"`,
	} {
		if _, err := all.Arenas(useOf(t, text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
	if _, err := all.Contenders(useOf(t, "ogd:combine=max")); err == nil {
		t.Error("an algorithm has constraints that are combined")
	}
	a, b := Entrant{Params: []byte(`{"dim":2,"combine":"max"}`)}, Entrant{Params: []byte(`{"dim":2}`)}
	if got := Varying([]Entrant{a, b}); !slices.Equal(got, []string{"combine"}) {
		t.Errorf("%v differ", got)
	}
}

// recorded writes rounds to a file, and returns the SPEC of their problem.
func recorded(t *testing.T, lines ...string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "rounds.jsonl")
	if err := os.WriteFile(file, []byte(strings.Join(lines, "\n")+"\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	return "trace:file=" + file
}

// chen with α = ½ and μ = 1 on f = −x_1 − x_2 and g = (x_1 + ¼, x_2 + ¼) on [−1, 1]². From x_1 = 0,
// with one constraint λ_2 = ¼, and x_2 minimises −x_1 − x_2 + ¼·max(x_1, x_2) + ‖x‖². There both
// pieces are largest, with ⅛ each: x_2 = ½(1 − ⅛) = 7/16 in both coordinates. Then λ_3 = ¼ + 11/16
// = 15/16, and x_3 = 7/16 + ½(1 − 15/32) = 45/64. The subgradient of one piece would give 3/8, ½.
func TestCombinedByHand(t *testing.T) {
	const r = `"loss":{"form":{"lin":[-1,-1]}},"constraints":[` +
		`{"form":{"const":0.25,"lin":[1,0]}},{"form":{"const":0.25,"lin":[0,1]}}]}`
	text := recorded(t, `{"domain":{"box":{"lower":[-1,-1],"upper":[1,1]}},"constraints":2}`,
		`{"t":1,`+r, `{"t":2,`+r, `{"t":3,`+r)
	for suffix, want := range map[string][]float64{
		",combine=max": {0, 7. / 16, 45. / 64},
		"":             {0, 3. / 8, 3./8 + (1-7./8)/2}, // λ_2 = ¼ and λ_3 = ¼ + ⅝ each
	} {
		s := start(t, text+suffix)
		l, err := contender(t, "chen:step=0.5,dual-step=1").Learner(s, 1, 1, 3)
		if err != nil {
			t.Fatal(err)
		}
		x := make([]float64, 2)
		for k, v := range want {
			l.Act(x)
			if math.Abs(x[0]-v) > 1e-12 || math.Abs(x[1]-v) > 1e-12 {
				t.Errorf("%q, round %d: %v, want %v twice", suffix, k+1, x, v)
			}
			if err := l.Observe(x, *s.Reveal(k+1, x)); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// On [−1, 1] with f = −x, and g = (x, −1) and then (−1, x), X^min is x ≤ 0 in any case. The sums
// are x − 1 twice, so that X^max of two constraints has x = 1; the maxima are x twice for x ≥ −1.
func TestHindsightOfCombined(t *testing.T) {
	text := recorded(t, `{"domain":{"box":{"lower":[-1],"upper":[1]}},"constraints":2}`,
		`{"t":1,"loss":{"form":{"lin":[-1]}},"constraints":[{"form":{"lin":[1]}},{"form":{"const":-1}}]}`,
		`{"t":2,"loss":{"form":{"lin":[-1]}},"constraints":[{"form":{"const":-1}},{"form":{"lin":[1]}}]}`)
	for suffix, want := range map[string][]float64{"": {0, 0, -2}, ",combine=max": {0, 0, 0}} {
		got := solve(t, start(t, text+suffix), 2)
		for k, set := range Sets {
			if v := got.value[set][1]; math.Abs(v-want[k]) > 1e-12 {
				t.Errorf("%q: %s has the value %v, want %v", suffix, set, v, want[k])
			}
		}
	}
}

// X^min of combined constraints has the bits of that of all, and fixed constraints have all sets
// of all up to rounding. X̂^max and X^max are those of a program with a row for every way to
// choose a piece in each round.
func TestHindsightOfCombinedAgainstPieces(t *testing.T) {
	for _, text := range []string{"iid:dim=3,constraints=4", "family:dim=2,constraints=2",
		"fixed:dim=3,constraints=3", "decaying-frequency:constraints=2"} {
		one, all := solve(t, start(t, text+",combine=max"), 150), solve(t, start(t, text), 150)
		for i := range one.t {
			if one.value["xmin"][i] != all.value["xmin"][i] && !math.IsNaN(all.value["xmin"][i]) ||
				!slices.Equal(one.action["xmin"][i], all.action["xmin"][i]) {
				t.Errorf("%s, t=%d: X^min has %v at %v, want %v at %v", text, one.t[i], one.value["xmin"][i],
					one.action["xmin"][i], all.value["xmin"][i], all.action["xmin"][i])
			}
			for _, set := range Sets {
				a, b := one.value[set][i], all.value[set][i]
				if strings.HasPrefix(text, "fixed") && math.Abs(a-b) > 1e-9*(1+math.Abs(b)) || a < b-1e-6 {
					t.Errorf("%s, t=%d: %s has %v combined, and %v", text, one.t[i], set, a, b)
				}
			}
		}
	}
	const rounds = 8 // 2⁸ rows for the last prefix
	s, twin := start(t, "iid:constraints=2,combine=max"), start(t, "iid:constraints=2")
	h := NewHindsight(s)
	xhat, xmax := convex.NewProgram(s.Set()), convex.NewProgram(s.Set())
	loss, sums := convex.NewForm(2), []*convex.Form{convex.NewForm(2)}
	if err := Play(context.Background(), nil, s, rounds, h); err != nil {
		t.Fatal(err)
	}
	for round := 1; round <= rounds; round++ {
		r := twin.Reveal(round, nil)
		r.Loss.AddTo(loss, 1)
		var more []*convex.Form
		for _, sum := range sums {
			for _, g := range r.Constraints {
				both := sum.Clone()
				g.AddTo(both, 1)
				more = append(more, both)
				xhat.Constrain(both)
			}
		}
		sums = more
	}
	for _, sum := range sums {
		xmax.Constrain(sum)
	}
	bests, err := h.Solve()
	if err != nil {
		t.Fatal(err)
	}
	for k, p := range []*convex.Program{xhat, xmax} {
		x := make([]float64, 2)
		want, err := p.Minimize(x, loss)
		if got := bests[k+1]; err != nil || math.Abs(got.Value-want.Value) > 1e-8 {
			t.Errorf("%s: %+v, want %+v at %v (%v)", got.Set, got, want, x, err)
		}
	}
}
