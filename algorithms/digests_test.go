package algorithms_test

import (
	"crypto/sha256"
	"encoding/binary"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"ocobench/algorithms"
	"ocobench/harness/experiment/spec"
	"ocobench/internal/golden"
	"ocobench/problems"
)

var update = flag.Bool("update", false,
	"rewrite the golden files; only commit the changes if you understand them")

// variants are SPECs with parameters other than the defaults, which lead through other code.
var variants = []string{
	"penalised-ftrl:penalty=per-round", "penalised-ftrl:penalty=difference",
	"penalised-ftrl:gamma=adaptive", "penalised-ftrl:burn-in=5,kappa=0.5",
	"penalised-ftrl:accuracy=certified", "yu-lee-lee:constraint=clipped",
	"sinha-vaze:losses=strongly-convex", "jenatton:losses=strongly-convex",
	"mahdavi:doubling=true", "sun:doubling=true", "yu-neely-wei:doubling=true", "valls:epsilon=0.4",
	"clasp:variant=in-turn", "clasp:losses=strongly-convex", "polyak-feasibility:sigma=0.5",
	"vaze-sinha:projections=once", "vaze-sinha:losses=strongly-convex,curvature=0.5",
	"sinha-vaze:potential=quadratic", "sinha-vaze:anytime=true",
	"sinha-vaze:potential=quadratic,anytime=true", "sinha-vaze:losses=strongly-convex,anytime=true",
	"yu-neely-wei:tightening=0.02", "primal-dual-average:clip=true",
}

// digestProblems lead through all parts of the kernel: one coordinate, breakpoints, many rows,
// curved and kinked constraints, families, a simplex, losses that are not affine.
var digestProblems = []struct {
	problem string
	rounds  int
}{
	{"decaying-frequency:c=0.75", 20000},
	{"decaying-frequency:constraints=2", 3000},
	{"iid:dim=4,constraints=3", 6000},
	{"gradual-slater", 1000},
	{"perturbed:curvature=1,dim=3", 1000},
	{"fixed:dim=3,constraints=2,kind=norm", 300},
	{"perturbed:kind=quadratic", 300},
	{"family", 1000},
	{"logistic", 100},
	{"portfolio", 300},
}

// TestDigests compares the actions of every algorithm with those that it played when its version
// was last raised, in games so long that differences do not hide in their first rounds. A change of
// behaviour, of an algorithm or of the kernel, needs another version: otherwise stored games would
// be taken for new ones.
func TestDigests(t *testing.T) {
	if testing.Short() {
		t.Skip("plays long games: skipped in short mode")
	}
	var all []golden.Digest
	specs := variants
	for _, a := range algorithms.All {
		specs = append(specs, a.Name)
	}
	for _, text := range specs {
		a, params := registeredWith(t, text)
		for _, g := range digestProblems {
			digest, err := digestOf(a, params, g.problem, g.rounds)
			if err != nil {
				digest = "refused         " // what it is told does not suffice
			}
			all = append(all, golden.Digest{Entry: a.Name, Version: a.Version,
				Case: text + " on " + g.problem, Digest: digest})
		}
	}
	for _, name := range []string{"ogd", "yu-neely-wei"} {
		a, err := registered(t, name).WithTwoPoint()
		if err != nil {
			t.Fatal(err)
		}
		for _, g := range digestProblems {
			digest, err := digestOf(a, a.Params, g.problem, g.rounds)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, golden.Digest{Entry: name, Version: a.Version,
				Case: name + ":feedback=two-point on " + g.problem, Digest: digest})
		}
	}
	golden.Digests(t, "digests.golden", "plays other actions", "packages convex and convex/vec, and "+
		"the problems", all, *update)
}

// digestOf plays a game and returns the digest of all actions. The error is that of an algorithm
// that refuses to start.
func digestOf(a algorithms.Algorithm, params any, problem string, rounds int) (string, error) {
	u, err := spec.ParseSpec(problem)
	if err != nil {
		panic(err)
	}
	p, ok := problems.Lookup(problems.All, u.Name)
	if !ok {
		panic("no problem " + u.Name)
	}
	settings, err := u.Apply(p.Params)
	if err != nil {
		panic(err)
	}
	s, err := p.New(settings, rand.New(rand.NewPCG(2026, 1)))
	if err != nil {
		panic(err)
	}
	l, err := a.Start(params, algorithms.Setup{
		Set: s.Set(), Constraints: s.Constraints(), Facts: s.Facts(), Horizon: rounds, Seed: 7,
	})
	if err != nil {
		return "", err
	}
	h := sha256.New()
	x := make([]float64, s.Set().Dim())
	bits := make([]byte, 8)
	for t := 1; t <= rounds; t++ {
		l.Act(x)
		for _, v := range x {
			binary.LittleEndian.PutUint64(bits, math.Float64bits(v+0)) // one zero
			h.Write(bits)
		}
		if err := l.Observe(x, *s.Reveal(t, x)); err != nil {
			return fmt.Sprintf("%-16s", fmt.Sprintf("error at %d", t)), nil
		}
	}
	return fmt.Sprintf("%x", h.Sum(nil)[:8]), nil
}
