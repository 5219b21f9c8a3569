package run

import (
	"fmt"
	"testing"

	"ocobench/harness/experiment"
	"ocobench/harness/store"
)

// BenchmarkFTRL measures games of penalised-ftrl, whose rounds cost more the later they are. One of
// the long ones is
//
//	go test -run '^$' -bench 'FTRL/problem=iid/n=10/m=1/T=100000' -benchtime 1x ./harness/run
func BenchmarkFTRL(b *testing.B) {
	for _, t := range []int{10_000, 100_000, 1_000_000} {
		playFTRL(b, "problem=decaying-frequency", "decaying-frequency", t)
	}
	for _, k := range []int{3, 5} {
		for _, t := range []int{1000, 10_000, 100_000} {
			playFTRL(b, fmt.Sprintf("problem=family/n=3/K=%d", k),
				fmt.Sprintf("family:dim=3,functions=%d,kind=quadratic", k), t)
		}
	}
	for _, n := range []int{2, 10, 50} {
		for _, m := range []int{1, 3} {
			for _, t := range []int{1000, 10_000, 100_000} {
				playFTRL(b, fmt.Sprintf("problem=iid/n=%d/m=%d", n, m),
					fmt.Sprintf("iid:dim=%d,constraints=%d", n, m), t)
			}
		}
	}
}

// playFTRL plays one game of penalised-ftrl an iteration: generation, learner, metrics and trace.
func playFTRL(b *testing.B, name, problem string, horizon int) {
	b.Run(fmt.Sprintf("%s/T=%d", name, horizon), func(b *testing.B) {
		if testing.Short() && horizon > 10_000 {
			b.Skip("a long game")
		}
		a, err := experiment.One(useOf(b, "penalised-ftrl"), programCatalog.ResolveAlgorithms)
		if err != nil {
			b.Fatal(err)
		}
		p := problemOf(b, problem)
		cell := &experiment.Cell{Kind: store.Game, Algorithm: &a, Problem: &p, Seed: 1, Replicate: 1,
			Horizon: horizon}
		b.ReportAllocs()
		for b.Loop() {
			if _, _, err := cell.Play(b.Context()); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(horizon), "ns/round")
	})
}
