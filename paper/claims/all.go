package claims

// All is the registry, in the order of the paper. The number of a claim is its place in it.
var All = []*Claim{
	&ftrlFixedSet,          // 1
	&setsNested,            // 2
	&mannor,                // 3
	&largestBenchmark,      // 4
	&shrinkingSets,         // 5
	&ratesOfTheLiterature,  // 6
	&onlyEarlierWorks,      // 7
	&exactPenalty,          // 8
	&exactPenaltyThreshold, // 9
	&beTheLeader,           // 10
	&ftrlRegret,            // 11
	&leaderStep,            // 12
	&fixedConstraints,      // 13
	&zeroSets,              // 14
	&perRoundHinge,         // 15
	// &differencePenalty, // 16
	// &averageLipschitz, // 17
	// &activePrefixes, // 18
	// &prefixExactPenalty, // 19
	// &feasiblePrefixes, // 20
	// &gammaGrown, // 21
	// &regretRate, // 22
	// &penaltyViolationRate, // 23
	// &twoViolations, // 24
	// &relaxation, // 25
	// &perturbedPenalty, // 26
	// &necessity, // 27
	// &activePrefixesExample, // 28
	// &frequencyThresholds, // 29
	// &gammaGrowing, // 30
	// &classesSatisfyGrowth, // 31
	// &perturbedAverage, // 32
	// &perturbedBound, // 33
	// &familiesRate, // 34
	// &familiesSets, // 35
	// &frequencySums, // 36
	// &exampleViolation, // 37
	// &exampleGamma, // 38
	// &convergenceNecessary, // 39
	// &examplePrimalDual, // 40
	// &iidConvergence, // 41
	// &iidRate, // 42
	// &periodic, // 43
	// &averagedPrimalDual, // 44
	// &substantiallyExtends, // 45
}
