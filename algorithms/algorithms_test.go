package algorithms_test

import (
	"testing"

	"ocobench/algorithms"
	"ocobench/algorithms/algtest"
)

func TestRegistry(t *testing.T) { algtest.Registry(t, algorithms.All) }

func TestConformance(t *testing.T) {
	for _, a := range algorithms.All {
		t.Run(a.Name, func(t *testing.T) { algtest.Learner(t, a) })
	}
}
