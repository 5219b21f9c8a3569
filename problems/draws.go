package problems

import (
	"math/rand/v2"

	"ocobench/convex/vec"
)

// centredUniform returns a uniform draw from [−1, 1). It is uniform(rng, −1, 1), written out for
// speed.
func centredUniform(rng *rand.Rand) float64 {
	// The 53 random bits divided by 2⁵², and 1 subtracted, are exact on all platforms.
	return float64(float64(rng.Uint64()<<11>>11)/(1<<52)) - 1
}

// uniform returns a uniform draw from [lo, hi).
func uniform(rng *rand.Rand, lo, hi float64) float64 {
	return lo + float64((hi-lo)*rng.Float64())
}

// normal returns a standard normal draw, whose size is at most maxNormal.
func normal(rng *rand.Rand) float64 { return vec.Normal(rng) }

// maxNormal bounds |normal|, which is at most √(−2 log 2⁻⁵³) = 8.5717.
const maxNormal = 8.572
