package main

import (
	"testing"

	"ocobench/algorithms/algtest"
	"ocobench/problems/probtest"
)

func TestPenaltyDescentKeepsAllLaws(t *testing.T) { algtest.Run(t, penaltyDescent) }

func TestProblemKeepsAllLaws(t *testing.T) {
	probtest.Run(t, turning)

	still := turning
	still.Params = TurningParams{Margin: 0.5, Period: 1}
	probtest.Run(t, still)
}
