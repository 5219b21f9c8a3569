package recorded

import (
	"fmt"
	"math"

	"ocobench/convex"
	"ocobench/internal/input"
)

// Portfolio makes rounds of the returns ρ_t of n assets, whose mean is ρ̄_t. An action x in the
// simplex holds the shares of wealth, and the loss is one of
//
//	linear     f_t(x) = −ρ_t·x/unit
//	quadratic  f_t(x) = (−ρ_t·x + ½(ρ_t·x)²)/unit
//	log        f_t(x) = −log(1 + ρ_t·x)/unit
//
// and the constraint is one of
//
//	risk       g_t(x) = (ρ_t·x)²/budget² − 1
//	turnover   g_t(x) = Σ_i |ρ_{t,i} − ρ̄_t| x_i/budget − 1
type Portfolio struct {
	Cells    Cells
	Loss     string // "", linear, quadratic or log; "" is linear
	Turnover bool   // the constraint is turnover, not risk
	Budget   float64
	Unit     float64
}

// Read implements [Kind]. Many are the columns of the assets.
func (p Portfolio) Read(s *input.Sheet, c Columns) (*Import, error) {
	// Here too many assets are refused, before they are read; too few are refused by readReturns.
	if err := checkChosen(s, len(c.Many), 0, "asset", "assets"); err != nil {
		return nil, err
	}
	read, err := p.readReturns(s, c)
	if err != nil {
		return nil, err
	}
	for t, row := range read.rows {
		if err := p.checkFinite(row); err != nil {
			return nil, fmt.Errorf("%s: round %d cannot be written: %w", s.Name, t+1, err)
		}
	}
	r := newImport(read, &convex.Simplex{N: len(read.names), Scale: 1}, 1, p.round)
	r.budgetText = p.budgetText
	return r, nil
}

// checkFinite returns an error if the loss or the constraint of a round with these returns is not
// finite on the simplex.
func (p Portfolio) checkFinite(row []float64) error {
	for _, v := range row {
		switch square := float64(v*v) * (2 / p.Budget / p.Budget); {
		case p.Loss == "log" && v <= -1: // > -1 before it was rounded
			return fmt.Errorf("a return is -1 (expected returns > -1: log-wealth is -log(1 + return))")
		case math.IsInf(square, 0) && !p.Turnover, math.IsInf(float64(v*v)/p.Unit, 0):
			return fmt.Errorf("a return is %v, its square is +Inf, and Inf is not a number of JSON; are "+
				"its numbers in the right units?", v)
		}
	}
	return nil
}

// budgetText says what the budget limits. leastMean is the least mean of the constraint over the
// simplex.
func (p Portfolio) budgetText(leastMean float64) string {
	flag, quantity := "risk", "the root of the mean squared return"
	least := p.Budget * math.Sqrt(max(leastMean+1, 0)) // of that quantity, over all portfolios
	if p.Turnover {
		flag, quantity = "turnover", "the mean turnover of rebalancing"
		least = p.Budget * (leastMean + 1)
	}
	return fmt.Sprintf("--%s %v is %s, as a fraction of wealth (%v is %.3g %%); the least of any "+
		"portfolio is %.3g", flag, p.Budget, quantity, p.Budget, 100*p.Budget, least)
}

// round returns the round of these returns. Units and budgets are factors of the functions, apart
// from the returns: multiplied in, they would change the digits that the file has of a return.
func (p Portfolio) round(rho []float64) convex.Round {
	linear := func(scale float64, a []float64) convex.Part {
		return convex.Part{Scale: scale, Func: &convex.Linear{A: a}}
	}
	halfSquare := func(scale float64) convex.Part { // of ρ·x
		return convex.Part{Scale: scale, Func: &convex.LeastSquares{H: rho, Y: []float64{0}}}
	}
	loss := convex.Func(&convex.Composite{Parts: []convex.Part{linear(-1/p.Unit, rho)}})
	switch p.Loss {
	case "log":
		loss = &convex.Single{Of: &convex.Ridge{Curve: convex.NegLog{}, Weight: 1 / p.Unit, A: rho, B: 1}}
	case "quadratic":
		loss = &convex.Composite{Parts: []convex.Part{linear(-1/p.Unit, rho), halfSquare(1 / p.Unit)}}
	}
	g := halfSquare(2 / p.Budget / p.Budget)
	if p.Turnover {
		mean, traded := 0.0, make([]float64, len(rho))
		for _, v := range rho {
			mean += v / float64(len(rho))
		}
		for i, v := range rho {
			traded[i] = math.Abs(v - mean)
		}
		g = linear(1/p.Budget, traded)
	}
	return convex.Round{Loss: loss,
		Constraints: []convex.Func{&convex.Composite{Const: -1, Parts: []convex.Part{g}}}}
}
