package claims

import (
	"fmt"
	"math"

	"ocobench/convex/vec"
	"ocobench/problems"
)

var averageLipschitz = checks{
	"several": func(l *Lab) (Finding, error) {
		return averageQuotients(l, false, "fixed:dim=1,constraints=2", "iid:dim=3,constraints=2", "family:dim=3,constraints=3")
	},
	"amended": func(l *Lab) (Finding, error) {
		return averageQuotients(l, true, "fixed:dim=1", "iid:dim=3", "family:dim=3,kind=quadratic", "perturbed:dim=3,kind=norm",
			"fixed:dim=1,constraints=2", "iid:dim=3,constraints=2", "family:dim=3,constraints=3")
	},
}

func averageQuotients(l *Lab, times bool, specs ...string) (Finding, error) {
	var worst Worst
	for _, problem := range specs {
		for replicate := 1; replicate <= l.Repeat(20); replicate++ {
			s, err := l.Stream(problem, replicate)
			if err != nil {
				return Finding{}, err
			}
			lipschitz := s.Facts().ConstraintLipschitz
			if times {
				lipschitz *= float64(s.Constraints())
			}
			if err := averageQuotientsOf(l, s, problem, replicate, lipschitz, &worst); err != nil {
				return Finding{}, err
			}
		}
	}
	f := worst.Finding("", 1e-9)
	f.Text = fmt.Sprintf(`the largest difference quotient of $h_\tau$ is %.4g times $%sL_g$, at %s`, worst.Ratio, map[bool]string{true: "m"}[times], worst.At)
	return f, nil
}

func averageQuotientsOf(l *Lab, s problems.Stream, problem string, replicate int, lipschitz float64, worst *Worst) error {
	rng := l.Rand(fmt.Sprintf("average-lipschitz %s %d", problem, replicate))
	var a averages
	x, y := drawPoint(rng, s.Set()), drawPoint(rng, s.Set())
	for t := 1; t <= 100; t++ {
		if err := a.Round(t, x, s.Reveal(t, x)); err != nil {
			return err
		}
		for range 5 {
			x, y = y, drawPoint(rng, s.Set())
			worst.See(math.Abs(a.hinges(x)-a.hinges(y))/float64(lipschitz*vec.Dist(x, y)), `$\tau=%d$ of \texttt{%s}, replicate %d`, t, problem, replicate)
		}
	}
	return nil
}
