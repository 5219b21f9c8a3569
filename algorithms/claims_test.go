package algorithms_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"ocobench/algorithms"
	"ocobench/convex"
)

// rate is a claimed rate, O(t^Exponent · (log t)^Log).
type rate struct {
	metric        algorithms.Metric
	exponent, log float64
	expected      bool
}

const (
	xmin             = algorithms.RegretXMin
	xhat             = algorithms.RegretXHat
	xe               = algorithms.RegretXE
	soft             = algorithms.SoftViolation
	hard             = algorithms.HardViolation
	ccv              = algorithms.CCViolation
	dynamic          = algorithms.RegretDynamic
	penalty          = algorithms.PenaltyViolation
	squared          = algorithms.SquaredViolation
	largestViolation = algorithms.MaxViolation
)

// TestClaimsAreThoseOfThePapers compares the registry with the statements of the theorems, which
// are transcribed here from the papers, each with the place, and not from the
// code.
func TestClaimsAreThoseOfThePapers(t *testing.T) {
	third := 1. / 3
	seen := map[string]bool{}
	for _, c := range []struct {
		name   string
		params any
		want   []rate
	}{
		// Theorem 2: regret O(√t) against X̂^max, Σ h_i(x_i) = O(√t).
		{"penalised-ftrl", nil, []rate{{xhat, 0.5, 0, false}, {penalty, 0.5, 0, false}}},
		// With h_i = Σ_j[g_i^{(j)}]₊ the penalties vanish on X^min and sum to the hard violation.
		{"penalised-ftrl", penalised(func(p *algorithms.PenalisedFTRLParams) { p.Penalty = "per-round" }),
			[]rate{{xmin, 0.5, 0, false}, {hard, 0.5, 0, false}}},
		// "not uniformly Lipschitz, no theorem".
		{"penalised-ftrl", penalised(func(p *algorithms.PenalisedFTRLParams) {
			p.Penalty = "difference"
		}), nil},
		// γ may be fixed below the threshold: the regret alone is proven.
		{"penalised-ftrl", penalised(func(p *algorithms.PenalisedFTRLParams) { p.Gamma.Adaptive = true }),
			[]rate{{xhat, 0.5, 0, false}}},
		{"penalised-ftrl", penalised(func(p *algorithms.PenalisedFTRLParams) { p.BurnIn = 9 }),
			[]rate{{xhat, 0.5, 0, false}, {penalty, 0.5, 0, false}}},
		{"primal-dual", nil, nil},
		// The Summary conjectures the rates of Theorem 2; the regret is proved in docs/mathematics.md.
		{"primal-dual-average", nil, []rate{{xhat, 0.5, 0, false}, {penalty, 0.5, 0, false}}},
		// Clipped, the theorem of its documentation, for small steps: √t·log t twice.
		{"primal-dual-average", averageParams(0.3, nil, true),
			[]rate{{xhat, 0.5, 1, false}, {penalty, 0.5, 1, false}}},
		// Zinkevich, Theorem 1.
		{"ogd", nil, []rate{{algorithms.RegretDomain, 0.5, 0, false}}},
		// Yu, Neely, Wei: E-regret O(√T) against X^E, expected violation O(√T).
		{"yu-neely-wei", nil, []rate{{xe, 0.5, 0, true}, {soft, 0.5, 0, true}}},
		// Neely, Yu: O(√T) and O(√T) with a common Slater point.
		{"neely-yu", nil, []rate{{xmin, 0.5, 0, false}, {soft, 0.5, 0, false}}},
		// Yu, Neely 2020: O(√T) and O(1); restarts add a constant an epoch.
		{"yu-neely", nil, []rate{{xmin, 0.5, 0, false}, {soft, 0, 0, false}}},
		{"yu-neely", algorithms.YuNeelyParams{Epochs: epochs},
			[]rate{{xmin, 0.5, 0, false}, {soft, 0, 1, false}}},
		// Valls et al.: O(T^ε ∨ T^{1−ε}) and O(T^ε).
		{"valls", nil, []rate{{xmin, 0.5, 0, false}, {soft, 0.5, 0, false}}},
		{"valls", algorithms.VallsParams{Epsilon: 0.25},
			[]rate{{xmin, 0.75, 0, false}, {soft, 0.25, 0, false}}},
		{"valls", algorithms.VallsParams{Epsilon: 0.75},
			[]rate{{xmin, 0.75, 0, false}, {soft, 0.75, 0, false}}},
		// Liakopoulos et al., Theorem 1: O(KT/V + √T) and O(√(VT)), at V = K·T^v.
		{"liakopoulos", nil, []rate{{xmin, 0.5, 0, false}, {soft, 0.75, 0, false}}},
		{"liakopoulos", algorithms.LiakopoulosParams{Window: 1, Tradeoff: 0.25},
			[]rate{{xmin, 0.75, 0, false}, {soft, 0.625, 0, false}}},
		{"liakopoulos", algorithms.LiakopoulosParams{Window: 3, Tradeoff: 1},
			[]rate{{xmin, 0.5, 0, false}, {soft, 1, 0, false}}},
		// Chen, Ling, Giannakis: regret O(T^{2/3}); with one Slater point for all
		// rounds multipliers are O(1), and the violation is multipliers over μ = T^{−1/3}.
		// Dynamic regret has Δ/α = ΔT^{1/3} times the path length more.
		{"chen", nil, []rate{{xmin, 2 * third, 0, false}, {dynamic, 0, 0, false},
			{soft, third, 0, false}}},
		// Yi et al. 2020: O(T^{max(κ,1−κ)}) and O(T^{1−κ/2}).
		{"yi-2020", nil, []rate{{xmin, 2 * third, 0, false}, {soft, 2 * third, 0, false}}},
		{"yi-2020", algorithms.Yi2020Params{Kappa: 0.25},
			[]rate{{xmin, 0.75, 0, false}, {soft, 0.875, 0, false}}},
		// Guo et al.: O(√T) and O(T^{3/4}) for adversarial constraints.
		{"guo", nil, []rate{{xmin, 0.5, 0, false}, {hard, 0.75, 0, false}}},
		// Wang, Yan, Liu: hard violation O(T^{V_g}), where constraints vary by that in all.
		{"coldq", nil, []rate{{xmin, 0.5, 0, false}, {dynamic, 0, 0, false}, {hard, 0, 0, false}}},
		// Yi et al. 2021, Theorem 1: O(T^{max(c,1−c)}) and O(T^{(1−c)/2}).
		{"yi-2021", nil, []rate{{xmin, 0.5, 0, false}, {hard, 0.25, 0, false}}},
		{"yi-2021", algorithms.Yi2021Params{C: 0.25},
			[]rate{{xmin, 0.75, 0, false}, {hard, 0.375, 0, false}}},
		{"yi-2021", algorithms.Yi2021Params{C: 0.75},
			[]rate{{xmin, 0.75, 0, false}, {hard, 0.125, 0, false}}},
		// Sinha, Vaze, Theorem 1: 2GΔ(√t+1) and CCV_T ≤ 4GΔ ln(2(1+2T))√T, of [g]₊.
		{"sinha-vaze", nil, []rate{{xmin, 0.5, 0, false}, {ccv, 0.5, 1, false}}},
		// Theorem 2: O(log T) and O(√(T log T)).
		{"sinha-vaze", algorithms.SinhaVazeParams{Losses: "strongly-convex"},
			[]rate{{xmin, 0, 1, false}, {ccv, 0.5, 0.5, false}}},
		{"sinha-vaze", algorithms.SinhaVazeParams{Losses: "strongly-convex", Epochs: epochs},
			[]rate{{xmin, 0, 2, false}, {ccv, 0.5, 0.5, false}}},
		// Yu, Lee, Lee: O(√T) and O(√T log T), in expectation; of [g]₊ for all rounds.
		{"yu-lee-lee", nil, []rate{{xe, 0.5, 0, true}, {soft, 0.5, 1, true}}},
		{"yu-lee-lee", algorithms.YuLeeLeeParams{Constraint: "clipped"},
			[]rate{{xmin, 0.5, 0, false}, {hard, 0.5, 1, false}}},
		// Ferreira, Soares, Xavier: O(T^{max(β,1−β)}) and O(T^{1−β}) squared; O(log T) twice.
		{"clasp", nil, []rate{{xmin, 0.5, 0, false}, {squared, 0.5, 0, false}}},
		{"clasp", claspParams(func(p *algorithms.CLASPParams) { p.Beta = 0.25 }),
			[]rate{{xmin, 0.75, 0, false}, {squared, 0.75, 0, false}}},
		{"clasp", claspParams(func(p *algorithms.CLASPParams) { p.Beta = 0.75 }),
			[]rate{{xmin, 0.75, 0, false}, {squared, 0.25, 0, false}}},
		{"clasp", claspParams(func(p *algorithms.CLASPParams) { p.Losses = "strongly-convex" }),
			[]rate{{xmin, 0, 1, false}, {squared, 0, 1, false}}},
		// Hutchinson, Alizadeh: O(√T), and g(x_t) ≤ 0 for all t.
		{"polyak-feasibility", nil, []rate{{xmin, 0.5, 0, false}, {largestViolation, 0, 0, false}}},
		{"polyak-feasibility", algorithms.PolyakFeasibilityParams{Epochs: epochs},
			[]rate{{xmin, 0.5, 0, false}, {largestViolation, 0, 0, false}}},
		// Quadratic potential, without memory: O(√T) and O(T^{3/4}).
		{"sinha-vaze", algorithms.SinhaVazeParams{Losses: "convex", Potential: "quadratic"},
			[]rate{{xmin, 0.5, 0, false}, {ccv, 0.75, 0, false}}},
		// Anytime: O(√t) and Õ(√t); the others re-derived.
		{"sinha-vaze", algorithms.SinhaVazeParams{Losses: "convex", Anytime: true},
			[]rate{{xmin, 0.5, 0, false}, {ccv, 0.5, 1, false}}},
		{"sinha-vaze", algorithms.SinhaVazeParams{Potential: "quadratic", Anytime: true},
			[]rate{{xmin, 0.5, 0, false}, {ccv, 0.75, 0, false}}},
		{"sinha-vaze", algorithms.SinhaVazeParams{Losses: "strongly-convex", Anytime: true},
			[]rate{{xmin, 0, 1, false}, {ccv, 0.5, 0.5, false}}},
		// Vaze, Sinha: O(√T). Sarkar, Sinha, with one projection: O(√T) twice, O(log T)
		// twice. The violation with two projections is re-derived.
		{"vaze-sinha", nil, []rate{{xmin, 0.5, 0, false}, {hard, 0.5, 0, false}}},
		{"vaze-sinha", algorithms.VazeSinhaParams{Projections: "once"},
			[]rate{{xmin, 0.5, 0, false}, {hard, 0.5, 0, false}}},
		{"vaze-sinha", algorithms.VazeSinhaParams{Projections: "once", Losses: "strongly-convex"},
			[]rate{{xmin, 0, 1, false}, {hard, 0, 1, false}}},
		{"vaze-sinha", algorithms.VazeSinhaParams{Projections: "twice", Losses: "strongly-convex"},
			[]rate{{xmin, 0, 1, false}, {hard, 0, 1, false}}},
		// McMahan, Theorem 1, on the fixed set.
		{"ftrl", nil, []rate{{xmin, 0.5, 0, false}, {hard, 0, 0, false}}},
		// Mahdavi, Jin, Yang: Algorithm 1, Theorem 8, and the mirror-prox method.
		{"mahdavi", nil, []rate{{xmin, 0.5, 0, false}, {soft, 0.75, 0, false}}},
		{"mahdavi-zero-violation", nil, []rate{{xmin, 0.75, 0, false}, {soft, 0, 0, false}}},
		{"mahdavi-mirror-prox", nil, []rate{{xmin, 2 * third, 0, false}, {soft, 2 * third, 0, false}}},
		// Jenatton et al.: O(T^{max(β,1−β)}), strongly convex O(T^β), and O(T^{1−β/2}).
		{"jenatton", nil, []rate{{xmin, 0.5, 0, false}, {soft, 0.75, 0, false}}},
		{"jenatton", jenattonParams("convex", 0.25),
			[]rate{{xmin, 0.75, 0, false}, {soft, 0.875, 0, false}}},
		{"jenatton", jenattonParams("strongly-convex", 0.25),
			[]rate{{xmin, 0.25, 0, false}, {soft, 0.875, 0, false}}},
		// Sun, Dey, Kapoor: O(√T) and O(T^{3/4}).
		{"sun", nil, []rate{{xmin, 0.5, 0, false}, {soft, 0.75, 0, false}}},
		// Castiglioni et al.: O(√T) twice, the violation with a cap that is not reached.
		{"castiglioni", nil, []rate{{xmin, 0.5, 0, false}, {soft, 0.5, 0, false}}},
		{"castiglioni", algorithms.CastiglioniParams{Cap: 1}, []rate{{xmin, 0.5, 0, false}}},
		{"castiglioni", algorithms.CastiglioniParams{Cap: 3},
			[]rate{{xmin, 0.5, 0, false}, {soft, 0.5, 0, false}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			seen[c.name] = true
			if c.params == nil {
				c.params = registered(t, c.name).Params
			}
			var got []rate
			for _, claim := range registered(t, c.name).ClaimsOf(c.params) {
				got = append(got, rate{claim.Metric, claim.Exponent, claim.Log, claim.Expected})
			}
			if !slices.EqualFunc(got, c.want, func(a, b rate) bool {
				return a.metric == b.metric && math.Abs(a.exponent-b.exponent) < 1e-15 && a.log == b.log &&
					a.expected == b.expected
			}) {
				t.Errorf("%s %+v claims %v, the theorem %v", c.name, c.params, got, c.want)
			}
		})
	}
	for _, a := range algorithms.All {
		if !seen[a.Name] {
			t.Errorf("%s has no row in TestClaimsAreThoseOfThePapers, want one with the rates of its paper",
				a.Name)
		}
	}
}

// TestGrowthsAreThoseOfThePapers: the claims whose growth is no power of t, and those of their
// epochs, of which a constant each makes a logarithm.
func TestGrowthsAreThoseOfThePapers(t *testing.T) {
	for _, c := range []struct {
		name   string
		params any
		want   map[algorithms.Metric]string
	}{
		{"chen", nil, map[algorithms.Metric]string{dynamic: "t^(2/3) + t^(1/3) P_t"}},
		{"chen", algorithms.ChenParams{Epochs: epochs},
			map[algorithms.Metric]string{dynamic: "t^(2/3) + t^(1/3) P_t"}},
		{"coldq", nil, map[algorithms.Metric]string{dynamic: "√t(1 + P_t)", hard: "1 + V_t"}},
		{"coldq", algorithms.COLDQParams{Epochs: epochs},
			map[algorithms.Metric]string{dynamic: "√t(1 + P_t)", hard: "log t + V_t"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.params == nil {
				c.params = registered(t, c.name).Params
			}
			for _, claim := range registered(t, c.name).ClaimsOf(c.params) {
				if claim.Growth != c.want[claim.Metric] ||
					claim.Growth != "" && (claim.Rate() != claim.Growth || claim.Log != 0) {
					t.Errorf("%s %+v, %s: growth %q, rate %q, want %q", c.name, c.params, claim.Metric,
						claim.Growth, claim.Rate(), c.want[claim.Metric])
				}
			}
		})
	}
	for _, a := range algorithms.All {
		for _, claim := range a.ClaimsOf(a.Params) {
			if claim.Growth != "" && a.Name != "chen" && a.Name != "coldq" {
				t.Errorf("%s of %s claims a growth, want its row in this test", claim.Metric, a.Name)
			}
		}
	}
}

// plainSetup returns a setup with round constants: D = [−1, 1], so that Δ = 2 and R = 1 about x_1 =
// 0, two fixed affine constraints, and T = 10⁴.
func plainSetup() algorithms.Setup {
	return algorithms.Setup{
		Set: convex.Cube(1, -1, 1), Constraints: 2, Horizon: 10_000,
		Facts: convex.Facts{
			LossLipschitz: 1, ConstraintLipschitz: 2, LossRange: 2, ConstraintBound: 3, Diameter: 2,
			Slater: 1, Curvature: 0.5, Fixed: true, Affine: true,
		},
	}
}

// powerSum bounds Σ_{i≤10⁴} i^{−p}.
func powerSum(p float64) float64 { return 1 + (math.Pow(1e4, 1-p)-1)/(1-p) }

// TestBoundsByHand works the bounds out with the numbers of plainSetup: G = 1 of the losses, 2 of
// the constraints and of both, F = 2, B = 3, m = 2, ‖g‖ ≤ √18.
func TestBoundsByHand(t *testing.T) {
	sqrt, pow, log := math.Sqrt, math.Pow, math.Log
	moving := plainSetup()
	moving.Facts.Fixed = false

	q := sqrt((209.25+sqrt(18))*(209.25+sqrt(18)) + 8e4) // θ = 200 + 1/4 + 9
	drift := [2]float64{(4 + 0.25 + 9) * 100, sqrt(2)*q + 2*(100+2*sqrt(2)*q)}

	first := 20*sqrt(18) + 2.005/10
	yuNeely := [2]float64{1800 + 50, sqrt(2) * sqrt(1800+3600+first*first) / 10}

	a0 := 2 / sqrt(38.)
	lambda := sqrt((2+9.5*a0+a0*sqrt(18))*(2+9.5*a0+a0*sqrt(18)) + 4)
	valls := [2]float64{(4+lambda*lambda)/(2*a0)*100 + 9.5*a0*199, sqrt(2)*lambda*100/a0 + 8}

	a := pow(1e4, -1./3)

	e := 0.5*powerSum(2./3) + 2*pow(10001, 2./3) + 18*powerSum(1./3)
	c := (1 - pow(2, 2./3)/3) / 2
	yi2020 := [2]float64{e, sqrt(4*(e+2e4)*pow(10001, 1./3)) + 9*sqrt(2*powerSum(2./3)*(e+2e4)/c) +
		4*powerSum(2./3)}

	// Where constraints are not affine, C is √m(B + LΔ) = √98, and not √18.
	curved := plainSetup()
	curved.Facts.Affine = false
	qCurved := sqrt((249.25+sqrt(98))*(249.25+sqrt(98)) + 8e4) // θ = 200 + 1/4 + 49
	driftCurved := [2]float64{(4 + 0.25 + 49) * 100,
		sqrt(2)*qCurved + 2*(100+2*sqrt(2)*qCurved)}
	eCurved := e + 80*powerSum(1./3)
	yi2020Curved := [2]float64{eCurved, sqrt(4*(eCurved+2e4)*pow(10001, 1./3)) +
		9*sqrt(2*powerSum(2./3)*(eCurved+2e4)/c) + 4*powerSum(2./3)}

	h := 2.5*(1+(1-pow(1e4, -0.01))/0.01) + 2

	// Tightening 0.05: C² = 2·3.05², and the Slater margin 1 less it.
	each := 0.25 + 3.05*3.05
	theta := (200 + each) / 0.95
	tightQ := sqrt((theta+3.05*sqrt(2))*(theta+3.05*sqrt(2)) + 8e4)
	tight := [2]float64{400 + 100*each + 0.05*2*1e4, sqrt(2)*tightQ + 2*(100+2*sqrt(2)*tightQ) - 500}

	// On the square Δ² = 8, E = Δ·199, F = 2 and G²Ση² = 8·(1 + ln 10⁴). The second
	// bound, with c = 2·16^{3/2} = 128, is the smaller one at t = 10⁶ where σ is large.
	square := plainSetup()
	square.Set = convex.Cube(2, -1, 1)
	nested := 4 * (199*sqrt(8) + sqrt(1e4*(8+4*sqrt(8)*199+8*(1+log(1e4)))))
	steep := square
	steep.Facts.Curvature = 100
	steps := (1 + log(1e6)) / 100
	steepest := 4 * min(steps+sqrt(1e6*(8+4*steps+(2-1e-6)/1e4)), 128*(sqrt(8)+6*steps))

	nu := 1 + log(1e4)
	sinhaVaze := [2]float64{4 * sqrt(2) * 1.005 * 100,
		8 * 200 * log((1+50*sqrt(2)+2500)/(1-sqrt(2)/4))}

	width := 800 + 2*sqrt(2) + 1 + log(36*sqrt(10001)/96)/math.E
	all := width + 2e4
	yuLeeLee := 2 * (36*sqrt(10001)*log(all) + 600 + 16*sqrt(1e4*(1+log(1e4*all*all))))
	yuLeeLeeMean := 2 * (36*sqrt(10001)*log(1+all) + 600 + 16*sqrt(1e4*(1+2*log(1e4*all))))

	eta := 1 / (100 * sqrt(48))
	mahdavi := [2]float64{100 * sqrt(48), sqrt(4 * (24*eta*1e4 + 1/eta) * (2e4 + 100*sqrt(48)))}

	zeta := 1 / (100 * sqrt(62))
	gamma := sqrt(2*(2+sqrt(62)/100)*(16/sqrt(62)+sqrt(62))) / 10
	paper := sqrt(8*(16/sqrt(62)+sqrt(62))) / 10
	zero := func(gamma float64) float64 { return 1/(2*zeta) + zeta*1e4*(8+27+3*gamma*gamma)/2 }

	far := 1/(2*a) + a*1e4
	jenatton, strongly := 400+398+0.75*199, 8*nu+9./48*199

	mu := sqrt(0.5 / 1.3e5)
	sun := 2 * sqrt(0.5*1e4*13)

	phi := 4 * sqrt(2)
	step := 1 / (100 * (1 + phi))
	k := step*4*(1+phi)*(1+phi) + 18*step
	castiglioni := [2]float64{2/step + 5000*k,
		sqrt(2) * sqrt((2+k/2+3*sqrt(2)*step)*(2+k/2+3*sqrt(2)*step)+4) / step}

	slow := 1 - sqrt(63./64) // 1−κ with σ = ¼
	rho := 0.5 / sqrt(1+1e4*slow/8)
	polyak := slow * rho / 2

	tighter := plainSetup()
	tighter.Facts.Slater = 0.5

	short := plainSetup()
	short.Horizon = 3
	for _, c := range []struct {
		name              string
		params            any
		s                 algorithms.Setup
		t                 int
		regret, violation float64 // 0: not looked at
	}{
		{"penalised-ftrl", nil, plainSetup(), 1e4, 100 + 101*101*201/4., 0},
		{"penalised-ftrl", penalised(func(p *algorithms.PenalisedFTRLParams) {
			p.Penalty, p.Gamma.Value, p.Kappa, p.X0, p.Accuracy = "per-round", 1, 4, []float64{3},
				"certified"
		}), plainSetup(), 100, 4*10*16 + 25*21/16. + 20*(1e-3+5*sqrt(1e-3/4)), 0},
		{"ogd", nil, plainSetup(), 1e4, 299, 0},
		{"ogd", algorithms.OGDParams{Step: 1}, plainSetup(), 100, 20 + 9.5, 0},
		{"yu-neely-wei", nil, plainSetup(), 1e4, drift[0], drift[1]},
		{"neely-yu", nil, plainSetup(), 1e4, drift[0], drift[1]},
		{"neely-yu", driftParams("neely-yu", algorithms.DriftPlusPenaltyParams{Epochs: epochs}), short, 3,
			13.25 * (1 + sqrt(2)), 0},
		{"neely-yu", driftParams("neely-yu", algorithms.DriftPlusPenaltyParams{Epochs: epochs}), short, 2,
			13.25 + 17.25/sqrt(2), 0},
		{"liakopoulos", nil, plainSetup(), 1e4, drift[0], drift[1]},
		{"yu-neely-wei", nil, curved, 1e4, driftCurved[0], driftCurved[1]},
		{"yi-2020", nil, curved, 1e4, yi2020Curved[0], yi2020Curved[1]},
		{"yu-neely", nil, plainSetup(), 1e4, yuNeely[0], yuNeely[1]},
		{"valls", nil, plainSetup(), 1e4, valls[0], valls[1]},
		{"yi-2020", nil, plainSetup(), 1e4, yi2020[0], yi2020[1]},
		{"guo", nil, plainSetup(), 1e4, 300, h + 6},
		{"guo", nil, moving, 1e4, 300, h + 4*sqrt(800*(2e4+400))},
		{"yi-2021", nil, plainSetup(), 1e4, 200/3. + 200, sqrt(4*(2e4+200/3.+200)) * 4 * sqrt(0.02)},
		{"sinha-vaze", nil, plainSetup(), 1e4, sinhaVaze[0], sinhaVaze[1]},
		{"sinha-vaze", algorithms.SinhaVazeParams{Losses: "strongly-convex"}, plainSetup(), 1e4, 8 * nu,
			sqrt(64 * nu * (8*nu + 2e4) * 2)},
		{"yu-lee-lee", algorithms.YuLeeLeeParams{Constraint: "clipped"}, plainSetup(), 1e4, width, yuLeeLee},
		{"yu-lee-lee", nil, plainSetup(), 1e4, width, yuLeeLeeMean},
		{"sinha-vaze", algorithms.SinhaVazeParams{Losses: "convex", Anytime: true}, plainSetup(), 1e4,
			4 * sqrt(2) * (100 + 0.5*(sqrt(5)+math.E*sqrt(nu))),
			1600 * log((1+50*sqrt(2)+math.E*sqrt(nu)/sqrt(8)+2500)/(1-sqrt(5./8)))},
		// c = √2·2·2, w² = λ·32·10⁴ at λ = 1/100, and three times that.
		{"sinha-vaze", algorithms.SinhaVazeParams{Potential: "quadratic"}, plainSetup(), 1e4,
			400*sqrt(2) + 3200, 10 * (sqrt(3200) + sqrt(3200+400*sqrt(2)+2e4))},
		{"sinha-vaze", algorithms.SinhaVazeParams{Potential: "quadratic", Anytime: true}, plainSetup(), 1e4,
			400*sqrt(2) + 9600, 10 * (sqrt(9600) + sqrt(9600+400*sqrt(2)+2e4))},
		{"sinha-vaze", algorithms.SinhaVazeParams{Potential: "quadratic", Scale: 0.5, Lambda: 0.02},
			plainSetup(), 100,
			40*sqrt(2) + 32, 2 / sqrt(0.02) * (4 + sqrt(16+20*sqrt(2)+100))},
		// V_1 = 16·4/½ and r = ½.
		{"sinha-vaze", algorithms.SinhaVazeParams{Losses: "strongly-convex", Anytime: true}, plainSetup(), 1e4,
			8 * nu, sqrt(128 * nu * (8*nu + 2e4) * 2)},
		{"yu-neely-wei", driftParams("yu-neely-wei", algorithms.DriftPlusPenaltyParams{Tightening: 0.05}),
			plainSetup(), 1e4, tight[0], tight[1]},
		{"vaze-sinha", nil, plainSetup(), 1e4, 299, 8},
		{"clasp", nil, plainSetup(), 1e4, 299, 8 * (4 + 8*199)},
		{"clasp", claspParams(func(p *algorithms.CLASPParams) { p.Variant = "in-turn" }), plainSetup(), 1e4,
			299, 8 * (4 + 8*199 + 8*nu)},
		{"clasp", claspParams(func(p *algorithms.CLASPParams) { p.Losses = "strongly-convex" }), plainSetup(),
			1e4, nu, 8 * (4 + 8*nu)},
		{"clasp", claspParams(func(p *algorithms.CLASPParams) {
			p.Losses, p.Variant = "strongly-convex", "in-turn"
		}), plainSetup(), 1e4, nu, 8 * (4 + 8*nu + 8*(2-1e-4))},
		{"polyak-feasibility", nil, plainSetup(), 1e4, 2/polyak + 5000*polyak + 2e4*rho, 0},
		{"polyak-feasibility", algorithms.PolyakFeasibilityParams{Step: 0.01, Tightening: 0.1}, tighter,
			100, 200 + 0.5 + 40, 0},
		{"vaze-sinha", algorithms.VazeSinhaParams{Projections: "once"}, square, 1e4, 299 * sqrt(2),
			nested},
		{"vaze-sinha", algorithms.VazeSinhaParams{Projections: "once", Losses: "strongly-convex"},
			plainSetup(), 1e4, nu, 8},
		{"vaze-sinha", algorithms.VazeSinhaParams{Losses: "strongly-convex"}, steep, 1e6,
			(1 + log(1e6)) / 200, steepest},
		{"ftrl", nil, plainSetup(), 1e4, 100/(2*sqrt(2)) + 201*sqrt(2)/2, 6},
		{"mahdavi", nil, plainSetup(), 1e4, mahdavi[0], mahdavi[1]},
		// a radius of 4 makes the step four times as long, and not the distance from x_1
		{"mahdavi", algorithms.MahdaviParams{Radius: 4}, plainSetup(), 1e4, 1/(8*eta) + 96*eta*1e4, 0},
		{"mahdavi-zero-violation", nil, plainSetup(), 1e4, zero(gamma) + 2e4*gamma, 0},
		{"mahdavi-zero-violation", algorithms.MahdaviZeroViolationParams{MarginRule: "paper"}, plainSetup(),
			1e4, zero(paper) + 2e4*paper, 0},
		{"mahdavi-zero-violation", algorithms.MahdaviZeroViolationParams{Margin: 0.05}, plainSetup(), 1e4,
			zero(0.05) + 1000,
			2 * (sqrt(2*(16*zeta*1e4+1/zeta)*(2e4+zero(0.05))) - 500)},
		{"mahdavi-mirror-prox", nil, plainSetup(), 1e4, far, sqrt(2 * (1 + 2/a) * (2e4 + far))},
		{"jenatton", nil, plainSetup(), 1e4, jenatton, 2 * sqrt(24*200*(2e4+jenatton))},
		{"jenatton", jenattonParams("strongly-convex", 0.5), plainSetup(), 1e4, strongly,
			2 * sqrt(96*200*(2e4+strongly))},
		{"sun", nil, plainSetup(), 1e4, sun, 2 * sqrt(2*(16*mu*1e4+1/mu)*(2e4+sun))},
		{"castiglioni", nil, plainSetup(), 1e4, castiglioni[0], castiglioni[1]},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.params == nil {
				c.params = registered(t, c.name).Params
			}
			for _, claim := range registered(t, c.name).ClaimsOf(c.params) {
				want := c.violation
				if slices.Contains(algorithms.Regrets, claim.Metric) {
					want = c.regret
				}
				if want == 0 || claim.Moving != nil { // see TestMovingBoundsByHand
					continue
				}
				b, err := claim.Bound(c.s)
				if err != nil {
					t.Errorf("%s %+v, %s: %v", c.name, c.params, claim.Metric, err)
				} else if got := b(c.t); math.Abs(got-want) > 1e-9*want {
					t.Errorf("%s %+v, %s: the bound is %v, by hand %v", c.name, c.params, claim.Metric, got, want)
				}
			}
		})
	}
}

// TestMovingBoundsByHand works out the bounds that depend on how the rounds move, with the
// numbers of plain: √mB = √18, and θ = (F + ½αG² + ½μM²)/(ε − r̄) with ε = 1.
func TestMovingBoundsByHand(t *testing.T) {
	sqrt := math.Sqrt
	a := math.Pow(1e4, -1./3) // both steps of chen
	// λ̄, and the bounds of regret, dynamic regret and violation.
	chen := func(m algorithms.Motion) [3]float64 {
		theta := (2 + 9.5*a) / (1 - m.Steepest)
		top := sqrt((theta+a*sqrt(18))*(theta+a*sqrt(18)) + 4)
		regret := 2/a + 9.5*a*1e4 + 9*a + top*(sqrt(18)+m.Rise)
		return [3]float64{regret, regret + 2/a*m.Path, sqrt(2) * top / a}
	}
	moving := plainSetup()
	moving.Facts.Fixed = false
	nowhere := moving // feasible in all rounds
	nowhere.Facts.Slater = 0
	short := plainSetup()
	short.Horizon = 3
	var still algorithms.Motion
	moved := algorithms.Motion{Path: 7, Variation: 20, Rise: 30, Steepest: 0.5}
	inf := math.Inf(1)
	for _, c := range []struct {
		name   string
		params any
		s      algorithms.Setup
		t      int
		m      algorithms.Motion
		want   [3]float64 // of regret, dynamic regret and violation; 0: not looked at
	}{
		{"chen", nil, plainSetup(), 1e4, still, chen(still)},
		{"chen", nil, moving, 1e4, moved, chen(moved)},
		// rises reach the margin
		{"chen", nil, moving, 1e4, algorithms.Motion{Steepest: 1}, [3]float64{inf, inf, inf}},
		// Epochs of 1 and 2 rounds: λ̄ = √((11½ + √18)² + 4), and ΔP/α = 14 in each.
		{"chen", algorithms.ChenParams{Step: 1, DualStep: 1, Epochs: epochs}, short, 3,
			algorithms.Motion{Path: 7},
			[3]float64{0, 2*(2+9+sqrt(18)*sqrt((11.5+sqrt(18))*(11.5+sqrt(18))+4)+14) + 3*9.5, 0}},
		// a = G/Δ = ½: C_t = 3√t, 2aΔ√tP = 2·100·7, mB = 6, Ft = 2·10⁴ and εT = 1.5·10⁴.
		{"coldq", nil, plainSetup(), 1e4, still, [3]float64{300, 300, 6 + 20300/15000.}},
		{"coldq", nil, moving, 1e4, moved, [3]float64{300, 300 + 1400, 6 + 20300/15000. + 30}},
		// mBt is less
		{"coldq", nil, moving, 1e4, algorithms.Motion{Path: 7, Rise: 6e4},
			[3]float64{300, 300 + 1400, 6e4}},
		{"coldq", nil, nowhere, 1e4, moved, [3]float64{300, 300 + 1400, 6 + 21700/15000. + 30}},
		// a round is empty
		{"coldq", nil, nowhere, 1e4, algorithms.Motion{Path: math.NaN()}, [3]float64{300, 0, 6e4}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.params == nil {
				c.params = registered(t, c.name).Params
			}
			for k, metrics := range [][]algorithms.Metric{
				algorithms.Regrets, algorithms.DynamicRegrets, algorithms.Violations,
			} {
				claim, ok := algorithms.Claimed(registered(t, c.name).ClaimsOf(c.params), metrics)
				want := c.want[k]
				if want == 0 {
					continue
				}
				if !ok {
					t.Fatalf("got no claim of %v, want one", metrics)
				}
				b, err := claim.Limit(c.s)
				if err != nil {
					t.Errorf("%s %+v, %s: %v", c.name, c.params, claim.Metric, err)
				} else if got := b(c.t, c.m); got != want && !(math.Abs(got-want) <= 1e-9*want) {
					t.Errorf("%s %+v, %s, %+v: the bound is %v, by hand %v", c.name, c.params, claim.Metric, c.m,
						got, want)
				}
			}
		})
	}
}

// TestBoundsNeedFacts: a bound from fewer facts of a problem is never smaller. Without a point that
// is strictly feasible in every round no violation has a bound, except of algorithms that project
// onto the constraints of a round, whose rounds are feasible.
func TestBoundsNeedFacts(t *testing.T) {
	drop := map[string]func(*convex.Facts){
		"the slope of losses":        func(f *convex.Facts) { f.LossLipschitz = 0 },
		"the slope of constraints":   func(f *convex.Facts) { f.ConstraintLipschitz = 0 },
		"the range of losses":        func(f *convex.Facts) { f.LossRange = 0 },
		"the bound of constraints":   func(f *convex.Facts) { f.ConstraintBound = 0 },
		"the Slater point":           func(f *convex.Facts) { f.Slater = 0 },
		"the curvature":              func(f *convex.Facts) { f.Curvature = 0 },
		"that constraints are fixed": func(f *convex.Facts) { f.Fixed = false },
		"that they are affine":       func(f *convex.Facts) { f.Affine = false },
	}
	projecting := []string{"coldq", "ftrl", "vaze-sinha"}
	moved := algorithms.Motion{Path: 7, Variation: 20, Rise: 30, Steepest: 0.1}
	for _, a := range algorithms.All {
		for _, claim := range a.ClaimsOf(a.Params) {
			s := plainSetup()
			s.Horizon = 1 << 20
			if claim.Bound == nil && claim.Moving == nil {
				continue
			}
			whole, err := claim.Limit(s)
			if err != nil {
				t.Errorf("%s, %s: %v", a.Name, claim.Metric, err)
				continue
			}
			for name, drop := range drop {
				less := s
				drop(&less.Facts)
				b, err := claim.Limit(less)
				if name == "the Slater point" && slices.Contains(algorithms.Violations, claim.Metric) &&
					(err == nil) != slices.Contains(projecting, a.Name) {
					t.Errorf("%s, %s without %s: got error %v, want a bound only of those that project (%v)",
						a.Name, claim.Metric, name, err, projecting)
				}
				if err != nil {
					continue
				}
				for _, i := range []int{1, 100, 1 << 20} {
					if got, want := b(i, moved), whole(i, moved); got < want*(1-1e-12) {
						t.Errorf("%s, %s without %s: the bound is %v, less than %v", a.Name, claim.Metric, name,
							got, want)
					}
				}
			}
		}
	}
}

// A problem that declares nothing meets no assumption that facts decide, but that it is oblivious
// and reveals whole functions.
func TestNothingDeclaredMeetsNothing(t *testing.T) {
	met := []string{algorithms.Oblivious.Name, algorithms.WholeFunctions.Name}
	for _, as := range algorithms.Assumptions {
		if got, want := as.Holds(convex.Facts{}), slices.Contains(met, as.Name); got != want {
			t.Errorf("%s: %v, want %v", as.Name, got, want)
		}
	}
}

// TestLackingConstantsAndConditionsAreNamed: a constant that is not declared, and a condition of a
// proof that is not met, are named.
func TestLackingConstantsAndConditionsAreNamed(t *testing.T) {
	for _, c := range []struct {
		name      string
		params    any
		violation bool
		change    func(s *algorithms.Setup)
		want      string // "": there is a bound
	}{
		{"ogd", nil, false, func(s *algorithms.Setup) { s.Facts.LossLipschitz = 0 },
			"Lipschitz constant of its losses"},
		{"ogd", nil, false, func(s *algorithms.Setup) { s.Set = convex.Cube(1, 1, 1) }, "one point"},
		{"mahdavi", nil, false, func(s *algorithms.Setup) { s.Facts.ConstraintBound = 0 }, "set bound"},
		{"mahdavi", algorithms.MahdaviParams{Step: 0.01, Damping: 24}, false,
			func(s *algorithms.Setup) { s.Facts.ConstraintBound = 0 }, "bound of its constraints"},
		{"mahdavi", algorithms.MahdaviParams{Step: 0.01, Damping: 24}, false, nil, ""},
		{"mahdavi", algorithms.MahdaviParams{Damping: 11}, false, nil, "damping δ = 11 is less"},
		{"mahdavi", nil, false, func(s *algorithms.Setup) { s.Horizon = 1 }, "the horizon is too short"},
		{"mahdavi", nil, true, func(s *algorithms.Setup) { s.Facts.Slater = 0 }, "strictly feasible"},
		{"mahdavi", nil, true, func(s *algorithms.Setup) { s.Constraints = 0 }, "no constraints"},
		{"mahdavi", algorithms.MahdaviParams{Epochs: epochs}, true, nil, ""},
		{"mahdavi-zero-violation", nil, false, func(s *algorithms.Setup) { s.Horizon = 1000 },
			"margin γ"},
		{"mahdavi-zero-violation", algorithms.MahdaviZeroViolationParams{Epochs: epochs}, false,
			func(s *algorithms.Setup) { s.Horizon = 1 << 15 }, ""},
		// no epoch is long enough, and the last one is not
		{"mahdavi-zero-violation", algorithms.MahdaviZeroViolationParams{Epochs: epochs}, false,
			func(s *algorithms.Setup) { s.Horizon = 100 }, "margin γ"},
		{"mahdavi-mirror-prox", nil, false, func(s *algorithms.Setup) { s.Horizon = 10 },
			"more than 1/2"},
		{"jenatton", algorithms.JenattonParams{Beta: 0.5, Losses: "convex", LipschitzConstant: algorithms.LipschitzConstant{Lipschitz: 1.5}}, false, nil,
			"norms ≤ 1.5"},
		{"jenatton", algorithms.JenattonParams{Beta: 0.5, Losses: "strongly-convex", Curvature: 1}, false,
			nil, "curvature 1"},
		{"sun", algorithms.SunParams{Mirror: "euclidean", Step: 1}, false, nil, "damping"},
		{"castiglioni", nil, true, func(s *algorithms.Setup) { s.Horizon = 1 }, "reach the cap"},
		{"castiglioni", algorithms.CastiglioniParams{Cap: 1.9}, true, nil, "reach the cap"}, // √(2m) = 2
		{"castiglioni", algorithms.CastiglioniParams{Cap: 2.2}, true,
			func(s *algorithms.Setup) { s.Horizon = 1e6 }, ""},
		{"castiglioni", algorithms.CastiglioniParams{Slater: 1}, true,
			func(s *algorithms.Setup) { s.Facts.Slater = 0 }, "strictly feasible"},
		{"chen", nil, false, func(s *algorithms.Setup) { s.Facts.Fixed = false }, ""},
		{"chen", nil, false, func(s *algorithms.Setup) { s.Facts.Slater = 0 }, "strictly feasible"},
		{"coldq", nil, true, func(s *algorithms.Setup) { s.Facts.Slater = 0 }, ""},
		{"coldq", nil, true, func(s *algorithms.Setup) { s.Constraints = 0 }, "no constraints"},
		{"yu-neely", algorithms.YuNeelyParams{Alpha: 300}, false, nil, "not more than γ²β²"},
		{"yi-2021", algorithms.Yi2021Params{C: 0.5, Gamma0: 0.3}, false, nil, "more than 1/(√2β)"},
		{"sinha-vaze", algorithms.SinhaVazeParams{Losses: "convex", Lambda: 0.02}, true, nil,
			"not less than 1"},
		{"sinha-vaze", algorithms.SinhaVazeParams{Losses: "strongly-convex", Weight: 100}, true, nil,
			"not less than 1"},
		{"sinha-vaze", algorithms.SinhaVazeParams{Losses: "strongly-convex", Curvature: 0.5}, true,
			func(s *algorithms.Setup) { s.Facts.Curvature = 0 }, "curvature of its losses"},
		{"yu-lee-lee", nil, false, func(s *algorithms.Setup) { s.Facts.Fixed = false }, "a part of X^E"},
		{"yu-lee-lee", algorithms.YuLeeLeeParams{
			Constraint: "clipped", Constants: algorithms.Constants{LipschitzConstant: algorithms.LipschitzConstant{Lipschitz: 1}},
		}, false, nil, "less than the problem declares"},
		{"clasp", nil, true, func(s *algorithms.Setup) { s.Facts.Slater = 0 }, "strictly feasible"},
		{"clasp", nil, true, func(s *algorithms.Setup) { s.Facts.ConstraintLipschitz = 0 },
			"Lipschitz constant of its constraints"},
		{"clasp", claspParams(func(p *algorithms.CLASPParams) {
			p.Losses, p.Curvature = "strongly-convex", 1
		}), false, nil, "curvature 1"},
		{"polyak-feasibility", algorithms.PolyakFeasibilityParams{Slater: 1}, false,
			func(s *algorithms.Setup) { s.Facts.Slater = 0 }, "strictly feasible"},
		{"polyak-feasibility", algorithms.PolyakFeasibilityParams{Sigma: 0.5, Tightening: 1}, false, nil,
			"not less than the margin"},
		{"polyak-feasibility", algorithms.PolyakFeasibilityParams{Sigma: 0.5}, false, nil, ""},
		{"polyak-feasibility", algorithms.PolyakFeasibilityParams{Sigma: 0.5}, true, nil,
			"no violation is proven"},
		{"polyak-feasibility", algorithms.PolyakFeasibilityParams{Step: 0.01}, true, nil,
			"no violation is proven"},
		// σ = 0.3, L = 2
		{"polyak-feasibility", algorithms.PolyakFeasibilityParams{Step: 0.004, Tightening: 0.4}, true,
			nil, "exceeds 0.00226"},
		{"polyak-feasibility", algorithms.PolyakFeasibilityParams{Step: 0.002, Tightening: 0.4}, true,
			nil, ""},
		{"polyak-feasibility", nil, true, nil, ""},
		{"polyak-feasibility", algorithms.PolyakFeasibilityParams{Tightening: 0.6}, true, nil,
			"more than half of the Slater margin"},
		{"sinha-vaze", algorithms.SinhaVazeParams{Anytime: true, Lambda: 0.7}, false, nil,
			"not less than 1"},
		{"sinha-vaze", algorithms.SinhaVazeParams{Anytime: true, Potential: "quadratic", Lambda: 9}, true,
			nil, ""},
		{"sinha-vaze", algorithms.SinhaVazeParams{Losses: "strongly-convex", Anytime: true, Weight: 63},
			true, nil, "not less than 1"},
		{"sinha-vaze", algorithms.SinhaVazeParams{Anytime: true}, true,
			func(s *algorithms.Setup) { s.Facts.Slater = 0 }, "strictly feasible"},
		{"yu-neely-wei", driftParams("yu-neely-wei", algorithms.DriftPlusPenaltyParams{Tightening: 1}),
			false, nil, "tightening"},
		{"yu-neely-wei", driftParams("yu-neely-wei", algorithms.DriftPlusPenaltyParams{Tightening: 1}),
			true, nil, "tightening"},
		{"yu-neely-wei", driftParams("yu-neely-wei", algorithms.DriftPlusPenaltyParams{Tightening: 0.1}),
			false, func(s *algorithms.Setup) { s.Facts.Slater = 0 }, "strictly feasible"},
		{"yu-neely-wei", nil, false, func(s *algorithms.Setup) { s.Facts.Slater = 0 }, ""},
		{"vaze-sinha", nil, true, func(s *algorithms.Setup) { s.Set = convex.Cube(2, -1, 1) }, ""},
		{"vaze-sinha", nil, true, func(s *algorithms.Setup) { s.Constraints = 0 }, "no constraints"},
		{"vaze-sinha", algorithms.VazeSinhaParams{Losses: "strongly-convex", Curvature: 1}, false, nil,
			"curvature 1"},
		{"vaze-sinha", algorithms.VazeSinhaParams{Losses: "strongly-convex"}, false,
			func(s *algorithms.Setup) { s.Facts.Curvature = 0 }, "set curvature"},
		{"vaze-sinha", algorithms.VazeSinhaParams{Losses: "strongly-convex", Curvature: 1}, true,
			func(s *algorithms.Setup) { s.Set = convex.Cube(2, -1, 1) }, ""},
		{"guo", nil, true, func(s *algorithms.Setup) { s.Facts.ConstraintLipschitz = 0 },
			"Lipschitz constant of its constraints"},
		{"neely-yu", driftParams("neely-yu", algorithms.DriftPlusPenaltyParams{Epochs: epochs}), false,
			func(s *algorithms.Setup) { s.Facts.LossLipschitz = 0 }, "Lipschitz constant of its losses"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.params == nil {
				c.params = registered(t, c.name).Params
			}
			s := plainSetup()
			if c.change != nil {
				c.change(&s)
			}
			metrics := algorithms.Regrets
			if c.violation {
				metrics = algorithms.Violations
			}
			claim, ok := algorithms.Claimed(registered(t, c.name).ClaimsOf(c.params), metrics)
			if !ok {
				t.Fatalf("%s %+v: got no claim, want one", c.name, c.params)
			}
			_, err := claim.Limit(s)
			if c.want == "" && err != nil || c.want != "" &&
				(err == nil || !strings.Contains(err.Error(), c.want)) {
				t.Errorf("%s %+v, %s: the error is %v, want %q", c.name, c.params, claim.Metric, err, c.want)
			}
		})
	}
}
