package claims

import (
	"fmt"
	"math"

	"ocobench/convex/vec"
)

// Claim 17: h_τ, the sum of the hinges of m averages, is L_g-Lipschitz if the constraints are. The
// checks measure difference quotients of h_τ at random pairs of points, in every round; one above
// L_g refutes the claim, which happens with m ≥ 2. As amended the constant is m·L_g.
var averageLipschitz = checks{
	"several": func(l *Lab) (Finding, error) {
		return averageQuotients(l, "L_g", "fixed:dim=1,constraints=2", "iid:dim=3,constraints=2",
			"family:dim=3,constraints=3")
	},
	"amended": func(l *Lab) (Finding, error) {
		return averageQuotients(l, "mL_g", "fixed:dim=1", "iid:dim=3", "family:dim=3,kind=quadratic",
			"perturbed:dim=3,kind=norm",
			"fixed:dim=1,constraints=2", "iid:dim=3,constraints=2", "family:dim=3,constraints=3")
	},
}

// averageQuotients returns the largest difference quotient of h_τ over a constant, which is "L_g"
// or "mL_g".
func averageQuotients(l *Lab, constant string, specs ...string) (Finding, error) {
	var worst Worst
	err := l.eachTrial(20, specs, func(p *trial) error {
		lipschitz := p.Facts().ConstraintLipschitz
		if constant == "mL_g" {
			lipschitz *= float64(p.Constraints())
		}
		rng := l.Rand(fmt.Sprintf("average-lipschitz %s %d", p.problem, p.replicate))
		var a penaltyObserver
		x, y := drawPoint(rng, p.Set()), drawPoint(rng, p.Set())
		for t := 1; t <= 100; t++ {
			if err := a.Round(t, x, p.Reveal(t, x)); err != nil {
				return err
			}
			for range 5 {
				x, y = y, drawPoint(rng, p.Set())
				worst.Add(math.Abs(a.Hinges(x)-a.Hinges(y))/float64(lipschitz*vec.Dist(x, y)),
					`$\tau=%d$ of %v`, t, p)
			}
		}
		return nil
	})
	f := worst.Finding("", rounding)
	f.Text = fmt.Sprintf(`the largest difference quotient of $h_\tau$ is %.4g times $%s$, at %s`,
		worst.Ratio, constant, worst.At)
	return f, err
}
