package conform_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"ocobench/algorithms"
	"ocobench/convex"
	"ocobench/harness/conform"
	"ocobench/harness/experiment"
	"ocobench/harness/experiment/spec"
	"ocobench/harness/harnesstest/misbehave"
	"ocobench/internal/errtest"
	"ocobench/problems"
)

func Example() {
	catalog := experiment.Catalog{Algorithms: algorithms.All, Problems: problems.All}
	all, err := conform.ResolveEntries(catalog, nil, spec.Use{Name: "shrinking"})
	if err != nil {
		fmt.Println(err)
		return
	}
	if all, err = conform.Only(all, []string{"deterministic"}); err != nil {
		fmt.Println(err)
		return
	}
	for _, s := range all {
		r, err := s.Test(quiet, func(conform.Verdict) error { return nil })
		fmt.Println(r.Kind, r.Spec, r.Laws[0].Law, r.Laws[0].Verdict, err)
	}
	// Output:
	// problem shrinking deterministic holds <nil>
}

// Names of no law and of no entry are errors, and a broken law is named with its entry.
func TestUnknownNamesAreRefusedAndBreaksNamed(t *testing.T) {
	catalog := misbehave.Catalog()
	_, err := conform.ResolveEntries(catalog, nil)
	errtest.Contains(t, err, "nothing to check", "without entries")
	_, err = conform.ResolveEntries(catalog, nil, spec.Use{Name: "none"})
	errtest.Contains(t, err, `unknown name "none"`, "an unknown entry")
	all, err := conform.ResolveEntries(catalog, nil, spec.Use{Name: "ogd"})
	if err != nil {
		t.Fatal(err)
	}
	_, err = conform.Only(slices.Clone(all), []string{"none"})
	errtest.Contains(t, err, `unknown law "none"`, "an unknown law")
	broken := conform.Verdict{Law: "b", Verdict: conform.Broken, Failed: true}
	results := []conform.Result{
		{Spec: "x", Laws: []conform.Verdict{
			{Law: "a", Verdict: conform.Holds}, {Law: "b", Verdict: conform.Broken},
		}},
		{Spec: "y", Laws: []conform.Verdict{broken, {Law: "c", Verdict: conform.Skipped}}},
	}
	faults, failed := conform.Faults(results)
	if want := []string{"b (x)", "b (y)"}; !slices.Equal(faults, want) || !failed {
		t.Errorf("faults %q, failed %v, want %q", faults, failed, want)
	}
	if _, failed := conform.Faults(results[:1]); failed {
		t.Error("a broken law: got failed, want false")
	}
	if n := results[0].Count(conform.Holds); n != 1 {
		t.Errorf("%d laws hold, want 1", n)
	}
}

// A program that fails in the same way under every law breaks the first one, and the others are
// not tested.
func TestFailureOfProgramBreaksOneLaw(t *testing.T) {
	p, _ := problems.Lookup(problems.All, "shrinking")
	starts, whole := 0, p.New
	p.New = func(params any, rng *rand.Rand) (problems.Stream, error) {
		if starts++; starts > 1 { // the first start finds out what the entry is
			return nil, &problems.FailedError{Reason: fmt.Sprintf("it has failed %d times", starts)}
		}
		return whole(params, rng)
	}
	catalog := experiment.Catalog{Algorithms: algorithms.All, Problems: []problems.Problem{p}}
	all, err := conform.ResolveEntries(catalog, nil, spec.Use{Name: "shrinking"})
	if err != nil {
		t.Fatal(err)
	}
	r, err := all[0].Test(quiet, func(conform.Verdict) error { return nil })
	if err != nil {
		t.Fatal(err)
	}
	if n := r.Count(conform.Broken); n != 1 {
		t.Errorf("%d laws are broken, want 1: %+v", n, r.Laws)
	}
	if n := r.Count(conform.Skipped); n < 5 {
		t.Errorf("%d laws are skipped, want at least 5", n)
	}
}

// A learner whose games cannot be repeated breaks the law that says so, and no other.
func TestUnrepeatableLearnerBreaksOneLaw(t *testing.T) {
	games := 0.0
	catalog := experiment.Catalog{Algorithms: []algorithms.Algorithm{{Name: "unseeded", Version: 1,
		Anytime: true, New: func(_ any, s algorithms.Setup) (algorithms.Learner, error) {
			games++
			return &unseeded{set: s.Set, size: 1 / games}, nil
		}}}}
	all, err := conform.ResolveEntries(catalog, nil, spec.Use{Name: "unseeded"})
	if err != nil {
		t.Fatal(err)
	}
	r, err := all[0].Test(quiet, func(conform.Verdict) error { return nil })
	if err != nil {
		t.Fatal(err)
	}
	faults, _ := conform.Faults([]conform.Result{r})
	if want := []string{"deterministic (unseeded)"}; !slices.Equal(faults, want) {
		t.Errorf("broken are %q, want %q", faults, want)
	}
	waiting := slices.ContainsFunc(r.Laws, func(v conform.Verdict) bool {
		return strings.HasPrefix(v.Reason, "mend the law deterministic first")
	})
	if !waiting {
		t.Errorf("got no law that waits for deterministic, want one: %+v", r.Laws)
	}
}

// An unseeded learner plays another constant in every game.
type unseeded struct {
	set  convex.Set
	size float64
}

func (u *unseeded) Act(dst []float64) {
	for i := range dst {
		dst[i] = u.size
	}
	u.set.Project(dst, dst)
}

func (u *unseeded) Observe([]float64, convex.Round) error { return nil }

// quiet shows no progress of a law.
func quiet(string) (end func()) { return func() {} }
