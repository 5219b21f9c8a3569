package algorithms_test

import (
	"testing"

	"ocobench/algorithms"
	"ocobench/algorithms/algtest"
)

func TestConformance(t *testing.T) { algtest.Run(t, algorithms.All...) }
