package diagnosis

import "slices"

// theory is the table of what is said of a problem: the conditions of the paper, its
// theorems, and the penalty weight. The package comment has what each condition asks for and
// how it is measured.
var theory = []*proposition{
	&ftrlCondition, &slaterPoint, &penaltyGrowth, &convergence,
	&theorem1, &theorem2, &corollary1, &corollary2, &penaltyWeight,
}

// ftrlCondition is about losses and constraints. Theorem 1 asks it of the losses, whose
// Lipschitz constant bounds L.
var ftrlCondition = proposition{name: "FTRL condition", number: 1, clauses: []clause{
	{when: func(s *subject) bool { return s.convexity().Broken },
		verdict: Fails, text: "a function is not convex between two sampled points, by " +
			"{departure}"},
	{when: func(s *subject) bool { return s.slopes().bounded == Fails },
		verdict: Fails, text: "the slopes of the {kind} functions grow like t^{grows} over the " +
			"last decade: they have no Lipschitz constant for all rounds"},
	{when: func(s *subject) bool { return s.slopes().bounded == Holds },
		verdict: Holds, text: "D is bounded, and losses and constraints are convex and uniformly " +
			"Lipschitz"},
	{when: func(s *subject) bool { return s.before(shortest) || s.slopes().Grows == nil },
		verdict: Open, text: "the horizon is too short to tell whether the slopes of the {kind} " +
			"functions are bounded"},
	{verdict: Open, text: "the largest slope of the {kind} functions grew like t^{grows} over " +
		"the last decade, and may level off"},
}}

var slaterPoint = proposition{name: "Slater point", number: 2, clauses: []clause{
	{when: (*subject).unconstrained, verdict: Holds, text: "there are no constraints"},
	{when: func(s *subject) bool { return s.slater.none },
		verdict: Fails, text: "the largest margin in expectation is {limit}"},
	{when: func(s *subject) bool {
		return s.slater.Eta == nil && !s.slater.hopeful && !s.before(shortest)
	},
		verdict: Fails, text: "no point of D has all averages below 0, nor do they come closer " +
			"to it"},
	{when: func(s *subject) bool { return s.slater.Eta == nil },
		verdict: Open, text: "no point of D has all averages below 0 yet"},
	{when: func(s *subject) bool {
		return s.slater.gone() && s.slater.Limit == nil && !s.before(long)
	},
		verdict: Fails, text: "the margin of constraint {j} at z shrinks like t^{margin}: it " +
			"vanishes in the limit"},
	{when: func(s *subject) bool { return !s.slater.gone() && !s.slater.unclear && !s.slater.late },
		verdict: Holds, text: "at one z all averages are ≤ −{η} from round {t_ε} on",
		then: []clause{
			{when: func(s *subject) bool { return s.slater.Other != nil },
				text: "; that margin shrinks, but at another point one of {other} stays"},
			{when: func(s *subject) bool { return s.slater.Other == nil && s.slater.shrinks() },
				text: "; that margin shrinks, but every single round leaves {round}"},
		}},
	{when: func(s *subject) bool { return s.before(shortest) },
		verdict: Open, text: "the horizon is too short to tell whether a margin stays"},
	{when: func(s *subject) bool { return s.slater.shrinks() },
		verdict: Open, text: "the margin of constraint {j} at z shrinks like t^{margin}, and may " +
			"level off"},
	{verdict: Open, text: "all averages are ≤ −{η} only from round {t_ε} on"},
}}

var penaltyGrowth = proposition{name: "penalty growth", number: 2, clauses: []clause{
	{when: (*subject).unconstrained,
		verdict: Holds, text: "there are no constraints: the penalty is zero"},
	{when: func(s *subject) bool { return s.slater.Eta == nil && s.slater.Verdict == Fails },
		verdict: Fails, text: "it needs the Slater point"},
	{when: func(s *subject) bool { return s.slater.Eta == nil },
		verdict: Open, text: "it needs the Slater point"},
	{when: func(s *subject) bool { return s.growth.Still },
		verdict: Open, text: "the averages have not moved yet, but those of other replicates " +
			"have, or the expectation is another one"},
	{when: func(s *subject) bool { return s.growth.Vacuous && s.growth.linear },
		verdict: Holds, text: "X̂^max is all of D: the penalty is zero"},
	{when: func(s *subject) bool {
		return s.before(shortest) || s.growth.Count != nil && s.growth.Exponent == nil
	},
		verdict: Open, text: "the horizon is too short to tell how k_τ grows"},
	{when: func(s *subject) bool { return s.growth.linear },
		verdict: Holds, brief: "k_τ grows linearly",
		text: "k_τ grows like t^{p}; k_T ≥ {least}; β = {β} from round {from} on",
		then: []clause{
			{when: func(s *subject) bool { return s.growth.Tolerant },
				text: ", counting averages within ε/√i, ε = {ε}: up to O(ε/√τ)"},
		}},
	{when: func(s *subject) bool { return s.growth.slower },
		verdict: Fails, brief: "k_τ grows like t^{p}",
		text: "{brief}; k_T ≤ {k}, counting averages within ε/√i, ε = {ε}",
		then: []clause{
			{when: func(s *subject) bool { return *s.growth.Exponent < vanishing },
				text: ": early averages bound X̂^max, and later ones leave it"},
		}},
	{when: func(s *subject) bool { return s.growth.Count == nil },
		verdict: Open, text: "no segment from z to a sampled point of the boundary of D leaves " +
			"X̂^max, but others may"},
	{when: func(s *subject) bool { return s.before(long) && *s.growth.Exponent <= sublinear },
		verdict: Open, brief: "k_τ grows like t^{p} so far",
		text: "{brief}, and the horizon is too short to tell whether it goes on"},
	{when: func(s *subject) bool { return s.growth.Early },
		verdict: Open, brief: "k_T ≤ {k}, growing like t^{p}, without the first {first}, which " +
			"cut X̂^max further",
		text: "{brief}; the upper bound counts averages within ε/√i, ε = {ε}"},
	{when: func(s *subject) bool { return s.growth.Lower != nil && *s.growth.Lower > 0 },
		verdict: Open, brief: "{least} ≤ k_T ≤ {k}, growing like t^{p}",
		text: "{brief}; the upper bound counts averages within ε/√i, ε = {ε}"},
	{verdict: Open, brief: "k_T ≤ {k}, growing like t^{p}",
		text: "{brief}; the upper bound counts averages within ε/√i, ε = {ε}"},
}}

var convergence = proposition{
	name: "1/√t-convergence", number: 3,
	verdict: func(s *subject) Verdict { return s.Convergence.Verdict },
	clauses: []clause{
		{when: func(s *subject) bool { return s.before(shortest) },
			text: "the horizon is too short"},
		{when: func(s *subject) bool { return s.Convergence.Zero },
			text: "the averages are constant"},
		{when: func(s *subject) bool { return s.Convergence.Value == nil },
			text: "the decay of the averages has no exponent, since they are constant over some " +
				"octave"},
		{brief: "averages converge like t^{rate}", text: "{brief}", then: []clause{
			{when: func(s *subject) bool { return s.Paths == 1 }, text: " (one path)"},
			{when: func(s *subject) bool { return s.Convergence.Rate == "faster" },
				text: ", faster than 1/√t"},
			{when: func(s *subject) bool { return s.Convergence.Rate == "slower" },
				text: ", slower than 1/√t"},
			{when: func(s *subject) bool { return s.Convergence.Rate == "1/sqrt(t)" },
				text: ": 1/√t"},
			{when: func(s *subject) bool { return s.Convergence.Drift },
				text: "; a drift under noise"},
		}},
	},
}

// benchmark is what Theorems 1 and 2 are about: X̂^max has a point, since Lemma 6 asks for
// a Slater point of all prefixes.
var benchmark = proposition{name: "X̂^max", clauses: []clause{
	{when: func(s *subject) bool {
		return !slices.Contains(s.Sets, Set{"xhat", true})
	}, verdict: Holds},
	{verdict: Fails, text: "X̂^max is empty", then: []clause{
		{when: func(s *subject) bool { return s.Slater.Eta != nil },
			text: "; only without its first {first} it is not"},
	}},
}}

var theorem1 = proposition{
	name: "theorem 1",
	needs: func(s *subject) []Finding {
		losses := *s
		losses.kinds = []string{"loss"}
		ftrl, others := losses.judge(&ftrlCondition), s.judge(&slaterPoint, &penaltyGrowth)
		return slices.Concat(s.judge(&benchmark), ftrl, others)
	},
	clauses: []clause{
		{when: func(s *subject) bool { return s.Gamma.Sufficient == nil },
			text: "X̂^max is D, and has every action"},
		{when: func(s *subject) bool { return s.Gamma.Used > *s.Gamma.Sufficient },
			text: "γ = {γ} > {enough} = (E+L+1)/β: x_{τ+1} is in X̂^max_τ from round {from} on",
			then: []clause{{when: func(s *subject) bool { return s.growth.Tolerant }, text: ", up to O(ε/√τ), ε = {ε}"}}},
		{verdict: Open, text: "γ = {γ} is not above the sufficient {enough} = (E+L+1)/β"},
	},
}

var theorem2 = proposition{
	name: "theorem 2",
	needs: func(s *subject) []Finding {
		return s.judge(&benchmark, &ftrlCondition, &slaterPoint, &penaltyGrowth)
	},
	clauses: []clause{
		{when: func(s *subject) bool { return s.Gamma.Sufficient == nil },
			text: "regret against X̂^max and penalty violation are O(√t); the soft violation Σ_t " +
				"g_t(x_t) is not bounded by it"},
		{text: "for γ > {enough}, if not for a smaller one, regret against X̂^max and penalty " +
			"violation are O(√t); the soft violation Σ_t g_t(x_t) is not bounded by it"},
	},
}

// corollary1 is Theorem 2 without the constraints whose penalty is O(√t). Where the verdict
// on a penalty is open, its constraint may be one of these.
var corollary1 = proposition{
	name: "corollary 1",
	needs: func(s *subject) []Finding {
		needs := s.judge(&ftrlCondition)
		if len(s.plus) == 0 || needs[0].Verdict == Fails {
			return needs
		}
		others := *s
		others.slater, others.growth = &s.relaxed.slater, &s.relaxed.growth
		needs = append(needs, others.judge(&slaterPoint, &penaltyGrowth)...)
		if s.left() == 0 {
			needs = append(needs, s.judge(&benchmark)...)
		}
		return needs
	},
	clauses: []clause{
		{when: (*subject).unconstrained, text: "there are no constraints to leave out"},
		{when: func(s *subject) bool { return len(s.plus) == 0 },
			text: "Σ_i max_x max(0, a_{i,j}(x)) is O(√t) for every j: no other condition is " +
				"needed"},
		{when: func(s *subject) bool { return s.left() == 0 },
			text: "with all constraints, as Theorem 2: none has to be left out"},
		{text: "{left} of {m} constraints can be left out, their penalty being O(√t); the others " +
			"have a Slater point and penalty growth"},
	},
	lacking: []clause{
		{when: func(s *subject) bool { return len(s.plus) == 0 || s.judge(&ftrlCondition)[0].Verdict == Fails }},
		{when: (*subject).undecided,
			verdict: Open, text: "; whether constraint {open} can be left out is open"},
		{when: func(s *subject) bool { return s.left() == 0 },
			text: "; no constraint can be left out: Σ_i max_x max(0, a_{i,j}(x)) grows like " +
				"t^{penalty}"},
		{text: "; only {left} of {m} constraints can be left out: Σ_i max_x max(0, a_{i,j}(x)) " +
			"grows like t^{penalty}"},
	},
}

var corollary2 = proposition{
	name: "corollary 2",
	needs: func(s *subject) []Finding {
		return s.judge(&ftrlCondition, &convergence, &slaterPoint)
	},
	clauses: []clause{{
		text: "with a_T in the place of the constraints and δ = O(1/√i): O(√t) against X^max, of " +
			"the penalty violation too (the paper gives no proof)",
		then: []clause{
			{when: func(s *subject) bool { return s.facts.Fixed }, text: "; constraints are fixed"},
			{when: func(s *subject) bool { return !s.facts.Fixed && s.facts.IID },
				text: "; for i.i.d. rounds √(t log log t), almost surely"},
			{when: func(s *subject) bool {
				return !s.facts.Fixed && !s.facts.IID && s.facts.Perturbed
			},
				text: "; constraints are perturbed, the benchmark is that of the average b"},
		},
	}},
}

// penaltyWeight compares γ with the sufficient and the necessary thresholds.
var penaltyWeight = proposition{name: "γ is enough", clauses: []clause{
	{when: (*subject).unconstrained, verdict: Holds, text: "there are no constraints"},
	{when: func(s *subject) bool {
		return s.Gamma.Effective == nil || s.Gamma.Used < *s.Gamma.Effective
	},
		verdict: Fails, text: "γ = {γ}", then: thresholds},
	{when: func(s *subject) bool {
		verdicts := s.judge(&theorem1, &corollary2)
		theorem, limit := verdicts[0].Verdict, verdicts[1].Verdict
		return theorem == Applies || limit == Applies && s.Gamma.Used > *s.Gamma.Limit
	}, verdict: Holds, text: "γ = {γ}", then: thresholds},
	{verdict: Open, text: "γ = {γ}", then: thresholds},
}}

var thresholds = []clause{
	{when: func(s *subject) bool { return s.Gamma.Sufficient != nil },
		text: "; Theorem 1 asks for more than {enough}"},
	{when: func(s *subject) bool { return s.Gamma.Sufficient == nil && s.Gamma.Limit != nil },
		text: "; with a_T in every round it would ask for more than {γ_T}"},
	{when: func(s *subject) bool { return s.Gamma.Effective == nil },
		text: "; no γ is enough for the averaged problem"},
	{when: func(s *subject) bool { return s.Gamma.Effective != nil },
		text: "; the averaged problem needs {multiplier}"},
}
