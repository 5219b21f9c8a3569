package claims

import (
	"fmt"
	"math"

	"ocobench/problems"
)

var averageLipschitz = Claim{
	Name:       "average-lipschitz",
	Place:      "§4.2, with Lemma 5, and the proof of Theorem 2",
	Sentence:   `The constraints being $L_g$-Lipschitz, so is $h_\tau=\sum_j \max(0,\frac{1}{\tau}\sum_{i\le\tau} g_i^{(j)})$, by the factor $1/\tau$ and because $\max(0,\cdot)$ keeps a Lipschitz constant.`,
	Hypothesis: `Every $g_i^{(j)}$, $j\le m$, is $L_g$-Lipschitz on $D$.`,
	Statistic:  `$|h_\tau(x)-h_\tau(y)|$ over $L_g\|x-y\|$ at random pairs of points of $D$, in every round; under the condition over $mL_g\|x-y\|$`,
	Rule:       `a ratio above 1 by more than rounding`,
	Condition:  `$m=1$; in general the constant is $mL_g$`,
	Proof: `An average of $L_g$-Lipschitz functions is $L_g$-Lipschitz. As $|\max(0,a)-\max(0,b)|\le|a-b|$, so is its positive part (Lemma 5), and a sum of $m$ of these is $mL_g$-Lipschitz. ` +
		`The factor $m$ is attained: two equal affine constraints have twice the slope of one where they are violated. ` +
		`All that the theorems need is a constant that does not depend on $\tau$, so that their rates stay, with $mL_g$ in place of $L_g$.`,
	Cost: "9 streams × 20 replicates × 100 rounds × 5 pairs",
	Checks: []Check{{
		Role:    Stated,
		What:    `two and three constraints, in one dimension and in three`,
		Command: "bench play --algorithm ogd --problem fixed:dim=1,constraints=2 --horizon 100",
		Run: func(l *Lab) (Finding, error) {
			return averageQuotients(l, false, "fixed:dim=1,constraints=2", "iid:dim=3,constraints=2", "family:dim=3,constraints=3")
		},
	}, {
		Role:    Amended,
		What:    `one constraint against $L_g$, and up to three against $mL_g$`,
		Command: "bench play --algorithm ogd --problem iid:dim=3 --horizon 100",
		Run: func(l *Lab) (Finding, error) {
			return averageQuotients(l, true, "fixed:dim=1", "iid:dim=3", "family:dim=3,kind=quadratic", "perturbed:dim=3,kind=norm",
				"fixed:dim=1,constraints=2", "iid:dim=3,constraints=2", "family:dim=3,constraints=3")
		},
	}},
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
	return worst.Finding(`the difference quotient is`, 1e-9), nil
}

func averageQuotientsOf(l *Lab, s problems.Stream, problem string, replicate int, lipschitz float64, worst *Worst) error {
	n := s.Set().Dim()
	rng := l.Rand(fmt.Sprintf("average-lipschitz %s %d", problem, replicate))
	point := func() []float64 {
		x := make([]float64, n)
		for i := range x {
			x[i] = float64(2*float64(rng.Float64())) - 1
		}
		s.Set().Project(x, x)
		return x
	}
	var a averages
	x, y := point(), point()
	for t := 1; t <= 100; t++ {
		if err := a.Round(t, x, s.Reveal(t, x)); err != nil {
			return err
		}
		for range 5 {
			x, y = y, point()
			d := 0.
			for i := range x {
				d += float64((x[i] - y[i]) * (x[i] - y[i]))
			}
			worst.See(math.Abs(a.hinges(x)-a.hinges(y))/float64(lipschitz*math.Sqrt(d)), `$\tau=%d$ of \texttt{%s}, replicate %d`, t, problem, replicate)
		}
	}
	return nil
}
