package vec

import (
	"math"
	"math/rand/v2"
)

// Normal returns a standard normal draw, by Box and Muller's transform of two
// uniform draws u and v from [0, 1),
//
//	√(−2 log(1−u)) · cos(2πv).
//
// As u is a multiple of 2⁻⁵³, the draw is at most √(−2 log 2⁻⁵³) = 8.5717 and a bit,
// which a normal variable exceeds once in 10¹⁷ draws. Otherwise its law differs from
// the normal one by the grid of the uniforms and by roundings of a few ulp. Unlike
// rand.NormFloat64, it has the same bits on every architecture.
func Normal(rng *rand.Rand) float64 {
	radius := math.Sqrt(-2 * Log(1-float64(rng.Float64())))
	return radius * Cos(float64(2*math.Pi*rng.Float64()))
}
