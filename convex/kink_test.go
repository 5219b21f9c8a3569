package convex

import (
	"math"
)

// absolute is |x_1 − a| + |x_2 − b|, as a user's own function without a Hessian.
type absolute struct{ a, b float64 }

func (f *absolute) Value(x []float64) float64 { return math.Abs(x[0]-f.a) + math.Abs(x[1]-f.b) }
func (f *absolute) Subgrad(dst, x []float64)  { dst[0], dst[1] = sign(x[0]-f.a), sign(x[1]-f.b) }
