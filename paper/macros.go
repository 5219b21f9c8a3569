package paper

import (
	"ocobench/harness/analysis"
)

func Macros(a *analysis.Analysis, metrics []analysis.Metric) string { return "" }
