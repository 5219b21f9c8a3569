package run

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"ocobench/algorithms"
	"ocobench/harness/experiment"
	"ocobench/harness/experiment/spec"
	"ocobench/harness/store"
	"ocobench/internal/errtest"
)

func useOf(t testing.TB, text string) spec.Use {
	t.Helper()
	u, err := spec.ParseSpec(text)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

// A SPEC says the feedback where it is two-point, or swept, after the parameters.
func TestFeedbackStandsAfterTheParameters(t *testing.T) {
	for text, want := range map[string][]string{
		"ogd":                             {"ogd"},
		"ogd:feedback=first-order":        {"ogd"},
		"ogd:feedback=two-point":          {"ogd:feedback=two-point"},
		"ogd:feedback=two-point,step=2":   {"ogd:step=2,feedback=two-point"},
		"ogd:feedback=[two-point],step=0": {"ogd:feedback=two-point"},
		"ogd:feedback=[first-order,two-point],step=[0,2]": {
			"ogd:step=0,feedback=first-order", "ogd:step=2,feedback=first-order",
			"ogd:step=0,feedback=two-point", "ogd:step=2,feedback=two-point",
		},
	} {
		t.Run(text, func(t *testing.T) {
			resolvedAlgorithms, err := programCatalog.ResolveAlgorithms(useOf(t, text))
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, c := range resolvedAlgorithms {
				got = append(got, c.Spec)
				two := strings.Contains(c.Spec, "two-point")
				if two != (c.Feedback == algorithms.TwoPoint) || two != c.Draws ||
					two != strings.Contains(c.Resolved(), `"feedback":"two-point"`) {
					t.Errorf("got %s of feedback %s, draws %v, as %s, want two-point in all if in its name",
						c.Spec, c.Feedback, c.Draws, c.Resolved())
				}
				again, err := programCatalog.ResolveAlgorithms(useOf(t, c.Spec))
				if err != nil || len(again) != 1 || again[0].Resolved() != c.Resolved() ||
					programCatalog.AlgorithmSpec(c.Spec) != again[0].Spec && len(resolvedAlgorithms) == 1 {
					t.Errorf("%s: got %+v, error %v, want it read back", c.Spec, again, err)
				}
				u := useOf(t, "ogd") // what tune writes names the same algorithm
				u.Args = c.Use.Args
				if again, err := programCatalog.ResolveAlgorithms(u); err != nil || len(again) != 1 ||
					again[0].Resolved() != c.Resolved() {
					t.Errorf("the use %s: got %+v, error %v, want the same algorithm", c.Use, again, err)
				}
			}
			if !slices.Equal(got, want) {
				t.Errorf("%s is %v, want %v", text, got, want)
			}
		})
	}
	if got := programCatalog.AlgorithmSpec("ogd:step=0,feedback=first-order"); got != "ogd" {
		t.Errorf("without defaults: got %s, want ogd", got)
	}
}

func TestUnfitFeedbackIsRefused(t *testing.T) {
	for text, want := range map[string]string{
		"chen:feedback=two-point": "chen is of feedback FI, and two-point feedback " +
			"takes the place of FO (expected at algorithms of first-order feedback, FO, only)",
		"primal-dual:feedback=first-order":            "primal-dual is of feedback FO+",
		"ogd:feedback=two":                            `"two" at character 14 (expected one of first-order, two-point)`,
		"ogd:feedback=[two-point,two-point]":          "two-point is swept twice",
		"ogd:feedback=two,stp=3":                      `unknown parameter "stp"`,
		"iid:feedback=two-point":                      `unknown algorithm "iid"`,
		"ogd:feedback=[first-order,two-point],step=x": `"x" is not a number`,
	} {
		t.Run(text, func(t *testing.T) {
			_, err := programCatalog.ResolveAlgorithms(useOf(t, text))
			errtest.Contains(t, err, want)
		})
	}
	_, err := programCatalog.ResolveProblems(useOf(t, "iid:feedback=two-point"))
	errtest.Contains(t, err, `unknown parameter "feedback"`, "a problem has a feedback")
	const text = "name: x\nhorizon: 10\nfeedback: two-point\nproblems: [{use: iid}]\nalgorithms: " +
		"[{use: ogd}, {use: chen}]"
	e, err := spec.Parse("x.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	_, _, err = programCatalog.Resolve(e)
	errtest.Contains(t, err, "x.yaml:3:1: feedback: chen is of feedback FI",
		"the key of an experiment with an algorithm of full information")
}

const sighted = `
name: sighted
horizon: [50, 150]
replicates: 2
feedback: [first-order, two-point]
problems:   [{use: iid, dim: 3, constraints: 2}, {use: shrinking}, {use: portfolio}]
algorithms: [{use: ogd}, {use: yu-neely-wei}, {use: sun, doubling: true}]
`

// Two-point games are cells of their own, and others are those without the setting. Both
// feedbacks are recorded, and judged by the same metrics.
func TestTwoPointGamesAreCellsOfTheirOwn(t *testing.T) {
	p := newPlan(t, programCatalog, sighted)
	plain := newPlan(t, programCatalog, strings.Replace(sighted,
		"feedback: [first-order, two-point]\n", "", 1))
	games := func(p *experiment.Plan, two bool) (keys []store.Key) {
		for _, c := range p.Cells {
			if c.Kind == store.Game && strings.Contains(c.Algorithm.Spec, "two-point") == two {
				keys = append(keys, c.Key)
				if bytes.Contains(c.Identity(), []byte(`"feedback":"two-point"`)) != two {
					t.Errorf("%v: got identity %s, want its feedback only if it is two-point", c, c.Identity())
				}
			}
		}
		slices.Sort(keys)
		return keys
	}
	old, two := games(plain, false), games(p, true)
	if !slices.Equal(games(p, false), old) {
		t.Error("got other keys of first-order games with the setting, want the same")
	}
	// shrinking draws nothing: only learners that draw play a second replicate of it.
	if len(two) <= len(old) || slices.ContainsFunc(two,
		func(k store.Key) bool { return slices.Contains(old, k) }) {
		t.Errorf("got %d two-point games beside %d others, want more, of other keys", len(two), len(old))
	}
	r, _ := runAndLoad(t, p)
	if got := experiment.Varying(r.Algorithms[:2]); !slices.Equal(got, []string{"feedback"}) {
		t.Errorf("the first two differ in %v, want the feedback", got)
	}
	for _, a := range r.Algorithms {
		entry, ok := programCatalog.Registered(a)
		two := strings.Contains(a.Spec, "two-point")
		if !ok || two != (entry.Feedback == algorithms.TwoPoint) || two != a.Draws {
			t.Errorf("%s: got feedback %s, draws %v, want two-point and draws: %v", a.Spec, entry.Feedback,
				a.Draws, two)
		}
		regret, violation := r.JudgedMetrics(a, "iid:dim=3,constraints=2")
		if want := map[string]algorithms.Metric{
			"ogd": algorithms.RegretXMin, "yu-neely-wei": algorithms.RegretXE, "sun": algorithms.RegretXMin,
		}[a.Name]; regret != want || violation != algorithms.SoftViolation {
			t.Errorf("%s: got judged by %s and %s, want %s and %s", a.Spec, regret, violation, want,
				algorithms.SoftViolation)
		}
		if known := programCatalog.Claims(a); len(known) != len(a.Claims) ||
			len(known) > 0 && known[0].Bound == nil || (len(known) == 0) != (two && a.Name != "ogd") {
			t.Errorf("%s: got claims %+v, want those recorded %+v, and with bounds", a.Spec, known, a.Claims)
		}
	}
}

// A worker in another process knows the algorithm by its SPEC.
func TestWorkerKnowsAnAlgorithmByItsSpec(t *testing.T) {
	r := request{Kind: store.Game, Algorithm: &entrySpec{
		"ogd:feedback=two-point", `{"feedback":"two-point","step":0,"x0":[]}`,
	}, Problem: &entrySpec{"calm", `{"step":2}`}, Seed: 7, Replicate: 1, Horizon: 10}
	c := keyed(3, 4)
	c.Algorithms = algorithms.All
	s := &server{c, make(map[entrySpec]*experiment.Problem), make(map[entrySpec]*experiment.Algorithm),
		make(map[*experiment.Problem]string)}
	cell, err := s.resolveCell(r)
	if err != nil || cell.Algorithm.Feedback != algorithms.TwoPoint {
		t.Errorf("got cell %v, error %v, want one of two-point feedback", cell, err)
	}
	r.Algorithm = &entrySpec{"ogd", `{"feedback":"two-point","step":0,"x0":[]}`}
	_, err = s.resolveCell(r)
	errtest.Contains(t, err, "does not say all parameters", "the feedback is not in the SPEC")
}
