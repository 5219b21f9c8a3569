package algorithms_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"ocobench/algorithms"
	"ocobench/convex"
)

// A constant that a learner needs, and that neither the problem declares nor a parameter sets, is
// named by the error; set, it is not needed.
func TestMissingConstantsAreNamed(t *testing.T) {
	none := convex.Facts{}
	all := algorithms.Constants{LipschitzConstant: algorithms.LipschitzConstant{Lipschitz: 2}, Bound: 3}
	for k, c := range []struct {
		name   string
		facts  convex.Facts
		params any    // nil: the defaults
		want   string // none: no error
	}{
		{"yu-neely", none, nil, "set beta"},
		{"yu-neely", none, algorithms.YuNeelyParams{Gamma: 1, Alpha: 5}, ""},
		{"valls", none, nil, "set step"},
		{"valls", none, algorithms.VallsParams{Step: 0.5, Epsilon: 0.5}, ""},
		{"yi-2020", none, nil, "set lipschitz"},
		{"yi-2020", none, algorithms.Yi2020Params{Step: 0.5, Kappa: 0.6}, ""},
		{"sinha-vaze", none, nil, "set lipschitz"},
		{"sinha-vaze", none, algorithms.SinhaVazeParams{Losses: "convex", LipschitzConstant: algorithms.LipschitzConstant{Lipschitz: 1}}, ""},
		{"sinha-vaze", none, algorithms.SinhaVazeParams{Losses: "convex", Scale: 1}, ""},
		{"sinha-vaze", convex.Facts{LossLipschitz: 1},
			algorithms.SinhaVazeParams{Losses: "strongly-convex"}, "set curvature"},
		{"sinha-vaze", convex.Facts{Curvature: 1}, algorithms.SinhaVazeParams{Losses: "strongly-convex"},
			"set lipschitz"},
		{"sinha-vaze", convex.Facts{Curvature: 1},
			algorithms.SinhaVazeParams{Losses: "strongly-convex", Weight: 1}, ""},
		{"yu-lee-lee", convex.Facts{ConstraintBound: 1}, nil, "set lipschitz"},
		{"yu-lee-lee", convex.Facts{LossLipschitz: 1}, nil, "set bound"},
		{"guo", convex.Facts{ConstraintLipschitz: 1}, nil, "set lipschitz or alpha"},
		{"coldq", convex.Facts{ConstraintBound: 1}, nil, "set lipschitz or alpha"},
		{"coldq", convex.Facts{LossLipschitz: 1}, nil, "set epsilon"},
		{"coldq", none, algorithms.COLDQParams{Alpha: 1, Epsilon: 1}, ""},
		{"yi-2021", convex.Facts{ConstraintLipschitz: 1}, algorithms.Yi2021Params{C: 0.5},
			"set lipschitz or alpha0"},
		{"yi-2021", convex.Facts{LossLipschitz: 1}, algorithms.Yi2021Params{C: 0.5},
			"set beta or gamma0"},
		{"yi-2021", convex.Facts{LossLipschitz: 1}, algorithms.Yi2021Params{C: 0.5, Beta: 1}, ""},
		{"vaze-sinha", convex.Facts{ConstraintLipschitz: 1}, nil, "set lipschitz or step"},
		{"vaze-sinha", none, algorithms.VazeSinhaParams{Step: 1}, ""},
		{"ftrl", convex.Facts{ConstraintLipschitz: 1}, nil, "set lipschitz or kappa"},
		{"ftrl", none, algorithms.FTRLParams{Kappa: 1}, ""},
		{"mahdavi", none, algorithms.MahdaviParams{}, "set lipschitz"},
		{"mahdavi", none, algorithms.MahdaviParams{Constants: algorithms.Constants{LipschitzConstant: algorithms.LipschitzConstant{Lipschitz: 2}}}, "set bound"},
		{"mahdavi", none, algorithms.MahdaviParams{Constants: all}, ""},
		{"mahdavi", none, algorithms.MahdaviParams{Step: 1, Damping: 1}, ""},
		{"mahdavi-zero-violation", none, algorithms.MahdaviZeroViolationParams{Constants: all}, "set loss-range"},
		{"mahdavi-zero-violation", none, algorithms.MahdaviZeroViolationParams{Constants: all, LossRange: 7},
			""},
		{"mahdavi-zero-violation", none, algorithms.MahdaviZeroViolationParams{Constants: all, Margin: 1}, ""},
		{"mahdavi-mirror-prox", none, algorithms.MahdaviMirrorProxParams{}, ""},
		{"jenatton", none, jenattonParams("convex", 0.5), "set lipschitz"},
		{"jenatton", none, algorithms.JenattonParams{LipschitzConstant: algorithms.LipschitzConstant{Lipschitz: 2}, Beta: 0.5, Losses: "convex"}, ""},
		{"jenatton", none, algorithms.JenattonParams{LipschitzConstant: algorithms.LipschitzConstant{Lipschitz: 2}, Beta: 0.5, Losses: "strongly-convex"},
			"set curvature"},
		{"jenatton", none, algorithms.JenattonParams{
			LipschitzConstant: algorithms.LipschitzConstant{Lipschitz: 2}, Beta: 0.5, Losses: "strongly-convex", Curvature: 1,
		}, ""},
		{"sun", none, algorithms.SunParams{Mirror: "euclidean"}, "set lipschitz"},
		{"sun", none, algorithms.SunParams{Mirror: "euclidean", Constants: all}, ""},
		{"sun", none, algorithms.SunParams{Mirror: "euclidean", Step: 1, Damping: 1}, ""},
		{"sun", none, algorithms.SunParams{Mirror: "entropy", Constants: all}, "set mirror"},
		{"castiglioni", none, algorithms.CastiglioniParams{}, "set lipschitz"},
		{"castiglioni", none, algorithms.CastiglioniParams{LipschitzConstant: algorithms.LipschitzConstant{Lipschitz: 2}}, "set loss-range"},
		{"castiglioni", none, algorithms.CastiglioniParams{LipschitzConstant: algorithms.LipschitzConstant{Lipschitz: 2}, LossRange: 7}, "set slater"},
		{"castiglioni", none, algorithms.CastiglioniParams{LipschitzConstant: algorithms.LipschitzConstant{Lipschitz: 2}, LossRange: 7, Slater: 0.1}, ""},
	} {
		t.Run(fmt.Sprintf("%d %s", k+1, c.name), func(t *testing.T) {
			a := registered(t, c.name)
			if c.params == nil {
				c.params = a.Params
			}
			_, err := a.Start(c.params, algorithms.Setup{Set: convex.Cube(2, -1, 1), Constraints: 2,
				Horizon: 10, Facts: c.facts})
			if c.want == "" && err != nil || c.want != "" &&
				(err == nil || !strings.Contains(err.Error(), c.want)) {
				t.Errorf("%+v with %+v: the error is %v, want %q", c.params, c.facts, err, c.want)
			}
		})
	}
}

// TestEveryDeclaredConstantHasItsFacts: what a learner lacks of a problem that declares nothing is
// named by facts, which the user can declare.
func TestEveryDeclaredConstantHasItsFacts(t *testing.T) {
	setup := algorithms.Setup{Set: convex.Cube(2, 0, 1), Constraints: 2, Horizon: 10}
	lacking := 0
	for _, a := range algorithms.All {
		var lack *algorithms.LackError
		if _, err := a.Start(a.Params, setup); !errors.As(err, &lack) {
			continue
		}
		lacking++
		if names := algorithms.ConstantsOf(lack.What); len(names) == 0 {
			t.Errorf("%s lacks %s, want a fact that declares it", a.Name, lack.What)
		}
	}
	if lacking < 10 {
		t.Errorf("%d algorithms need constants, want at least 10", lacking)
	}
}
