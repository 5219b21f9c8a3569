package algorithms_test

import (
	"math"
	"testing"

	"ocobench/algorithms"
)

func TestLiakopoulosAgreesWithTwin(t *testing.T) {
	t.Parallel()
	queueGames(150, func(where string, s script) {
		T := float64(len(s.rounds))
		for _, p := range []algorithms.LiakopoulosParams{
			{Window: 1, Tradeoff: 0.5}, {Window: 5, Tradeoff: 0.25}, {Window: 3, Tradeoff: 0.9}, {Window: 1},
		} {
			v := min(float64(p.Window)*math.Pow(T, p.Tradeoff), T)
			checkTwin(t, where, newLearner(t, "liakopoulos", p, s.horizon()), s,
				twinDrift(v, max(T, v*math.Sqrt(T)), make([]float64, s.n))(s), 1e-9)
		}
	})
}
