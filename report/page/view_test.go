package page

import "ocobench/harness/analysis"

// build returns the view of an analysis of one store.
func build(a *analysis.Analysis) *experimentData { return buildExperiment(a, nil) }
