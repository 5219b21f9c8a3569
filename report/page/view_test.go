package page

import "ocobench/harness/analysis"

// build returns the view of an analysis of one store.
func build(a *analysis.Analysis) *experimentView { return buildView(a, nil) }
