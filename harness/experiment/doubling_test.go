package experiment

import (
	"slices"
	"testing"

	"ocobench/algorithms"
	"ocobench/convex"
	"ocobench/harness/experiment/spec"
	"ocobench/harness/harnesstest"
)

// foreign is a learner that another module could have: it uses only exported names. It
// plays 1/T in every round.
type foreign struct{ horizon int }

type foreignParams struct{ algorithms.Epochs }

func (l *foreign) Act(dst []float64) { dst[0] = 1 / float64(l.horizon) }

func (l *foreign) Observe([]float64, convex.Round) error { return nil }

// A learner of another module restarts on epochs where its parameters say so,
// and is told their lengths.
func TestForeignLearnersRestartOnEpochs(t *testing.T) {
	catalog := Catalog{Algorithms: []algorithms.Algorithm{{
		Name: "foreign", Version: 1, Params: foreignParams{},
		New: algorithms.Typed(func(_ foreignParams, s algorithms.Setup) (algorithms.Learner, error) {
			return &foreign{s.Horizon}, nil
		}),
	}}}
	for text, want := range map[string][]float64{
		"foreign":               {1. / 7, 1. / 7, 1. / 7, 1. / 7, 1. / 7, 1. / 7, 1. / 7},
		"foreign:doubling=true": {1, 1. / 2, 1. / 2, 1. / 4, 1. / 4, 1. / 4, 1. / 4},
	} {
		t.Run(text, func(t *testing.T) {
			u, err := spec.ParseSpec(text)
			if err != nil {
				t.Fatal(err)
			}
			resolvedAlgorithms, err := catalog.ResolveAlgorithms(u)
			if err != nil {
				t.Fatal(err)
			}
			s := &harnesstest.Stream{Domain: convex.Cube(1, 0, 1)}
			l, err := resolvedAlgorithms[0].Learner(s, 1, 1, len(want))
			if err != nil {
				t.Fatal(err)
			}
			got := make([]float64, len(want))
			for k := range got {
				l.Act(got[k : k+1])
				if err := l.Observe(got[k:k+1],
					convex.Round{Loss: &convex.Affine{A: []float64{0}}}); err != nil {
					t.Fatal(err)
				}
			}
			if !slices.Equal(got, want) {
				t.Errorf("%s plays %v, want %v", text, got, want)
			}
		})
	}
}
