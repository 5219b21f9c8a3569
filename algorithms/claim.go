package algorithms

// Claim is a claimed rate, metric = O(t^Exponent · (log t)^Log), and the explicit
// bound that its proof gives.
type Claim struct {
	Metric   Metric  `json:"metric"`
	Exponent float64 `json:"exponent"`
	Log      float64 `json:"log,omitempty"`
	// Note says in a few words when the claim holds, or that the proof is not the paper's, such as
	// "if losses are strongly convex" or "re-derived".
	Note string `json:"note,omitempty"`
	// Expected says that rate and bound are of the mean over the random rounds,
	// not of every game.
	Expected bool `json:"expected,omitempty"`
	// Formula is the bound b(t) as text. It is empty where the proof gives no
	// constants; NoBound then says why.
	Formula string `json:"bound,omitempty"`
	NoBound string `json:"no_bound,omitempty"`
	// Bound returns b for a game with this setup: after t rounds the metric is at
	// most b(t), which is +Inf where the proof says nothing, as a theorem about
	// the horizon does of t < T. The error says which condition of the proof the
	// setup does not meet, or which constant the problem does not declare. Unlike
	// a learner that is anytime, it is always given the horizon of the game.
	Bound func(s Setup) (b func(t int) float64, err error) `json:"-"`

	// Growth is the rate as a formula where it is no power of t, such as "√t(1 + P_t)",
	// with P_t and V_t of [Motion]. Exponent and Log then mean nothing, and no slope is
	// judged by them.
	Growth string `json:"growth,omitempty"`
	// Moving takes the place of Bound, for any metric, where the bound depends on how the
	// rounds move. It does not decrease in any member of m. It is NaN or +Inf where the
	// proof says nothing about rounds that move so. Where no action
	// is feasible in a round, m.Path is NaN.
	Moving func(s Setup) (b func(t int, m Motion) float64, err error) `json:"-"`
}

// Motion says how far the rounds up to t have moved. Its sums are over the rounds τ from 2 to t.
type Motion struct {
	Path      float64 // P_t = Σ ‖x*_τ − x*_{τ−1}‖, see RegretDynamic
	Variation float64 // V_t = Σ max over x in D and j of |g_{τ,j}(x) − g_{τ−1,j}(x)|
	Rise      float64 // Σ_τ Σ_j max over x in D of [g_{τ,j}(x) − g_{τ−1,j}(x)]₊
	Steepest  float64 // the largest term of Rise, max over τ
}
