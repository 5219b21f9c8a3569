package experiment

import (
	"math"
	"slices"
	"strings"
	"testing"

	"ocobench/harness/experiment/spec"
	"ocobench/harness/harnesstest"
	"ocobench/internal/errtest"
)

// A SPEC says that constraints are combined, or that this is swept, after the parameters.
func TestCombineStandsAfterParameters(t *testing.T) {
	for text, want := range map[string][]string{
		"iid":                                  {"iid"},
		"iid:combine=none,constraints=3":       {"iid:constraints=3"},
		"iid:combine=max,constraints=3":        {"iid:constraints=3,combine=max"},
		"iid:combine=max":                      {"iid:combine=max"},
		"iid:combine=[none,max],constraints=2": {"iid:constraints=2,combine=none", "iid:constraints=2,combine=max"},
	} {
		t.Run(text, func(t *testing.T) {
			resolvedProblems, err := all.ResolveProblems(useOf(t, text))
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, a := range resolvedProblems {
				got = append(got, a.Spec)
				one := strings.Contains(a.Spec, "combine=max")
				if one != strings.Contains(a.Resolved(), `"combine":"max"`) || !one &&
					a.Resolved() != spec.Resolved(a.Params, nil) {
					t.Errorf("got %s as %s, want combine exactly if it is in its name", a.Spec, a.Resolved())
				}
				s, err := a.Stream(1, 1)
				if err != nil || one && s.Constraints() != 1 {
					t.Errorf("%s: got error %v, want a stream, of one constraint if combined", a.Spec, err)
				}
				again, err := all.ResolveProblems(useOf(t, a.Spec))
				if err != nil || len(again) != 1 || again[0].Resolved() != a.Resolved() ||
					len(resolvedProblems) == 1 && all.ProblemSpec(a.Spec) != a.Spec {
					t.Errorf("%s: got %+v, error %v, want it read back", a.Spec, again, err)
				}
			}
			if !slices.Equal(got, want) {
				t.Errorf("%s is %v, want %v", text, got, want)
			}
		})
	}
	for text, want := range map[string]string{
		"iid:combine=sum":         `"sum" at character 13 (expected one of none, max)`,
		"iid:combine=[max,max]":   "max is swept twice",
		"iid:combine=sum,dims=2":  `unknown parameter "dims"`,
		"iid:combine=max,dim=2*a": `dim: "2*a": unknown name "a"`,
	} {
		t.Run(text, func(t *testing.T) {
			_, err := all.ResolveProblems(useOf(t, text))
			errtest.Contains(t, err, want, "%s", text)
		})
	}
	if _, err := all.ResolveAlgorithms(useOf(t, "ogd:combine=max")); err == nil {
		t.Error("an algorithm with combine: got no error, want one")
	}
}

func TestVaryingParametersDifferOrAreLacking(t *testing.T) {
	for name, c := range map[string]struct{ params, want []string }{
		"one entry":             {[]string{`{"dim":2}`}, nil},
		"equal":                 {[]string{`{"dim":2}`, `{"dim":2}`}, nil},
		"the first differs":     {[]string{`{"dim":1}`, `{"dim":2}`, `{"dim":2}`}, []string{"dim"}},
		"the last differs":      {[]string{`{"dim":2}`, `{"dim":2}`, `{"dim":1}`}, []string{"dim"}},
		"the first lacks it":    {[]string{`{}`, `{"dim":2}`}, []string{"dim"}},
		"one between lacks it":  {[]string{`{"dim":2}`, `{}`, `{"dim":2}`}, []string{"dim"}},
		"the last lacks it":     {[]string{`{"dim":2}`, `{"dim":2}`, `{}`}, []string{"dim"}},
		"a setting is recorded": {[]string{`{"dim":2,"combine":"max"}`, `{"dim":2}`}, []string{"combine"}},
	} {
		t.Run(name, func(t *testing.T) {
			var entries []Entry
			for _, params := range c.params {
				entries = append(entries, Entry{Params: []byte(params)})
			}
			if got := Varying(entries); !slices.Equal(got, c.want) {
				t.Errorf("%v vary, want %v", got, c.want)
			}
		})
	}
}

// chen with α = ½ and μ = 1 on f = −x_1 − x_2 and g = (x_1 + ¼, x_2 + ¼) on [−1, 1]². From x_1 = 0,
// with one constraint λ_2 = ¼, and x_2 minimises −x_1 − x_2 + ¼·max(x_1, x_2) + ‖x‖². There both
// pieces are largest, with ⅛ each: x_2 = ½(1 − ⅛) = 7/16 in both coordinates. Then λ_3 = ¼ + 11/16
// = 15/16, and x_3 = 7/16 + ½(1 − 15/32) = 45/64. The subgradient of one piece would give 3/8, ½.
func TestCombinedByHand(t *testing.T) {
	const r = `"loss":{"form":{"lin":[-1,-1]}},"constraints":[` +
		`{"form":{"const":0.25,"lin":[1,0]}},{"form":{"const":0.25,"lin":[0,1]}}]}`
	text := harnesstest.Recorded(t, `{"domain":{"box":{"lower":[-1,-1],"upper":[1,1]}},"constraints":2}`,
		`{"t":1,`+r, `{"t":2,`+r, `{"t":3,`+r)
	for suffix, want := range map[string][]float64{
		",combine=max": {0, 7. / 16, 45. / 64},
		"":             {0, 3. / 8, 3./8 + (1-7./8)/2}, // λ_2 = ¼ and λ_3 = ¼ + ⅝ each
	} {
		t.Run(suffix, func(t *testing.T) {
			s := harnesstest.Start(t, text+suffix)
			l, err := algorithmOf(t, "chen:step=0.5,dual-step=1").Learner(s, 1, 1, 3)
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
		})
	}
}
