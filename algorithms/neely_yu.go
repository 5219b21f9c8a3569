package algorithms

var neelyYu = Algorithm{
	Name:      "neely-yu",
	Doc:       "drift plus penalty for arbitrary constraints with a common Slater point: the update of yu-neely-wei",
	Reference: "Neely, Yu, Online convex optimization with time-varying constraints, arXiv:1702.04783, 2017, the algorithm and its Theorem for a common Slater point",
	Version:   1,
	Params:    DriftPlusPenaltyParams{},
	Feedback:  FirstOrder,
	Claims: []Claim{
		{Metric: RegretXMin, Exponent: 0.5},
		{Metric: SoftViolation, Exponent: 0.5},
	},
	Assumes: []Assumption{SlaterPoint},
	Cost:    "O(m·n) and a projection",
	New:     Typed(newDriftPlusPenalty), // both bounds of DriftPlusPenaltyParams hold in every round here
}
