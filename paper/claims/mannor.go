package claims

import (
	"fmt"
	"math"

	"ocobench/convex"
)

// Claim 3: regret and violation O(√t) with respect to X^max_t are not achievable for all
// constraints. On the problem mannor, in every stretch from T/6 to T, regret or soft violation is
// to be at least about a quarter or a sixth of the round, for whatever learner. A learner with
// both below that in a whole stretch refutes the claim; learners of every kind play.
var mannor = checks{"games": mannorGames}

// mannorGames keeps in largest[t] the larger one of regret over (t−1)/4 and soft violation over
// (t−9)/6, the bounds of the proof, and for every T the largest of these over the stretch.
func mannorGames(l *Lab) (Finding, error) {
	const T = 3000
	var worst Worst // of 1 over the largest of a stretch, so that above 1 refutes
	for _, algorithm := range []string{
		"penalised-ftrl", "penalised-ftrl:penalty=per-round", "penalised-ftrl:penalty=difference",
		"penalised-ftrl:gamma=0",
		"primal-dual", "primal-dual-average", "neely-yu", "sinha-vaze", "castiglioni", "ogd",
	} {
		largest := make([]float64, T+1)
		played, secondColumn := &sums{}, 0
		err := l.Play(algorithm, "mannor", 1, T, played,
			roundObserver(func(t int, _ []float64, r *convex.Round) {
				if r.Constraints[0].Value([]float64{1}) > 0 {
					secondColumn++
				}
				// X^max_t = [0, min(1, 1/(2q))], and the losses sum to t(q − (1+q)x).
				q := float64(secondColumn) / float64(t)
				regret := played.loss - float64(float64(t)*(q-float64((1+q)*min(1, 1/(2*q)))))
				largest[t] = regret / (float64(t-1) / 4)
				if t > 9 {
					largest[t] = max(largest[t], played.soft/(float64(t)/6-1.5))
				}
			}))
		if err != nil {
			return Finding{}, err
		}
		for end := 12; end <= T; end++ { // a smaller T has hardly a round s > 9
			largestInStretch := math.Inf(-1)
			for s := (end + 5) / 6; s <= end; s++ { // from T/6, rounded up
				largestInStretch = max(largestInStretch, largest[s])
			}
			worst.Add(1/max(largestInStretch, 1e-9), `$T=%d$ of \texttt{%s}`, end, algorithm)
		}
	}
	f := worst.Finding("", rounding)
	f.Text = fmt.Sprintf(`for every learner and $T$, the regret is at least %.4g times $(s-1)/4$, or the soft violation as many times $(s-9)/6$, in some round $s$ of $[T/6,T]$; the least is at %s`, 1/worst.Ratio, worst.At)
	return f, nil
}
