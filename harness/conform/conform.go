// Package conform tests whether entries of a catalog, also those of other programs, keep
// the laws of every algorithm (package algtest) and every problem (package probtest).
//
// [ResolveEntries] resolves uses to entries with their laws, [Only] keeps some of the laws, and
// [TestedEntry.Test] tests them. Programs have one more law, of the protocol: they read members of
// messages by their names.
package conform

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"ocobench/algorithms"
	"ocobench/algorithms/algtest"
	"ocobench/harness/experiment"
	"ocobench/harness/experiment/spec"
	"ocobench/harness/external"
	"ocobench/harness/game"
	"ocobench/harness/run"
	"ocobench/internal/input"
	"ocobench/problems"
	"ocobench/problems/probtest"
)

// Law names a property that an entry must have, and what to do where it is broken.
type Law struct {
	Name, Doc, Remedy string

	test func() (skip string, err error)
}

// TestedEntry holds a configured algorithm or problem and the laws that it is tested for.
type TestedEntry struct {
	Kind, Spec string
	Laws       []Law

	undeclared []Undeclared // see [Result]
}

// The verdicts on a law.
const (
	Holds   = "holds"
	Broken  = "broken"
	Skipped = "not applicable"
)

// Verdict says whether an entry keeps a law, and why not.
type Verdict struct {
	Law     string `json:"law"`
	Doc     string `json:"doc"`
	Verdict string `json:"verdict"`
	Reason  string `json:"reason,omitempty"`
	Remedy  string `json:"remedy,omitempty"`

	Failed bool `json:"-"` // the program of the entry failed before the law could be tested
}

// Result holds the verdicts on all laws of an entry.
type Result struct {
	Kind string    `json:"kind"`
	Spec string    `json:"spec"`
	Laws []Verdict `json:"laws"`
	// Undeclared lists the facts that a problem of another program does not declare, and whom that
	// excludes.
	Undeclared []Undeclared `json:"undeclared,omitempty"`
}

// Undeclared holds a fact that a problem does not declare, or facts of which one is enough, and the
// algorithms of the program that are not played for want of it.
type Undeclared struct {
	Fact     string   `json:"fact"`
	Excludes []string `json:"excludes"`
}

// Count returns the number of laws with this verdict.
func (r *Result) Count(verdict string) (n int) {
	for _, v := range r.Laws {
		if v.Verdict == verdict {
			n++
		}
	}
	return n
}

// Faults returns the broken laws of all results, and whether one is broken because another
// program failed.
func Faults(all []Result) (faults []string, failed bool) {
	for _, r := range all {
		for _, v := range r.Laws {
			if v.Verdict == Broken {
				faults = append(faults, v.Law+" ("+r.Spec+")")
				failed = failed || v.Failed
			}
		}
	}
	return faults, failed
}

// messagesLaw states that programs read members of messages by their names. Only programs can
// break it.
var messagesLaw = Law{
	Name: "messages",
	Doc: "the order of the members of a message, and members that the protocol does not know, " +
		"change nothing",
	Remedy: "Read members by their names, and ignore all others.",
}

// declaredLaw states what is checked of a comparator that a problem declares.
var declaredLaw = Law{
	Name: "declared",
	Doc: "a declared comparator is an action, has the sum of its losses as value, and is as good as " +
		"the certified one over the same set",
	Remedy: "Let hindsight return the least sum of the first t losses over the set that is " +
		`declared, and the action where it is; with another set, declare that one, or "own".`,
}

// Names returns the names of the laws.
func Names() (ofAlgorithms, ofProblems []string) {
	ofAlgorithms = mapNames(algtest.Laws, func(l algtest.Law) string { return l.Name })
	ofProblems = mapNames(probtest.Laws, func(l probtest.Law) string { return l.Name })
	return append(ofAlgorithms, messagesLaw.Name), append(ofProblems, declaredLaw.Name)
}

// mapNames returns the names of entries.
func mapNames[E any](entries []E, name func(E) string) (all []string) {
	for _, e := range entries {
		all = append(all, name(e))
	}
	return all
}

// ResolveEntries resolves the uses of algorithms and problems of a catalog, which may include
// these programs, to one entry for each value of a swept parameter. Without uses it resolves the
// programs. An algorithm and a problem may share a name. The error says which name is unknown, or
// that there is nothing to check.
func ResolveEntries(
	catalog experiment.Catalog, programs []*external.Program, uses ...spec.Use,
) (all []TestedEntry, err error) {
	if len(uses) == 0 {
		for i, p := range programs {
			same := func(other *external.Program) bool { return other.Name() == p.Name() }
			if !slices.ContainsFunc(programs[:i], same) {
				uses = append(uses, spec.Use{Name: p.Name(), Pos: spec.Pos{File: p.Name()}})
			}
		}
	}
	if len(uses) == 0 {
		return nil, errors.New("nothing to check: name algorithms or problems, or give --external " +
			"NAME=COMMAND")
	}
	for _, u := range uses {
		_, algorithm := algorithms.Lookup(catalog.Algorithms, u.Name)
		_, problem := problems.Lookup(catalog.Problems, u.Name)
		if !algorithm && !problem {
			known := append(mapNames(catalog.Algorithms,
				func(a algorithms.Algorithm) string { return a.Name }),
				mapNames(catalog.Problems, func(p problems.Problem) string { return p.Name })...)
			return nil, spec.UnknownEntry("name", u.Name, known, spec.Pos{}, "bench list")
		}
		if algorithm {
			resolved, err := catalog.ResolveAlgorithms(u)
			if err != nil {
				return nil, err
			}
			for _, a := range resolved {
				if err := a.Fixed(); err != nil {
					return nil, err
				}
				all = append(all, algorithmEntry(a, programs))
			}
		}
		if problem {
			resolved, err := catalog.ResolveProblems(u)
			if err != nil {
				return nil, err
			}
			for _, p := range resolved {
				if err := p.Fixed(); err != nil {
					return nil, err
				}
				entry, err := problemEntry(p, catalog.Algorithms)
				if err != nil {
					return nil, err
				}
				all = append(all, entry)
			}
		}
	}
	return all, nil
}

// algorithmEntry returns a configured algorithm with its laws.
func algorithmEntry(configured experiment.Algorithm, programs []*external.Program) TestedEntry {
	a := configured.Algorithm
	a.Params = configured.Params
	entry := TestedEntry{Kind: "algorithm", Spec: configured.Spec}
	for _, l := range algtest.Laws {
		test := func() (string, error) { return l.Test(a) }
		entry.Laws = append(entry.Laws, Law{l.Name, l.Doc, l.Remedy, test})
	}
	messages := messagesLaw
	messages.test = func() (string, error) { return testMessagesLaw(a, programs) }
	entry.Laws = append(entry.Laws, messages)
	return entry.inWordsFor(a.Flag)
}

// problemEntry returns a configured problem with its laws. It returns an error if the stream does
// not start, unless it crashes: a crash is reported as a broken law.
func problemEntry(
	problem experiment.Problem, all []algorithms.Algorithm,
) (TestedEntry, error) {
	entry := TestedEntry{Kind: "problem", Spec: problem.Spec}
	var crash *game.CrashError
	switch stream, err := problem.Stream(1, 1); {
	case err == nil:
		if problem.Flag != "" { // problems of this program declare all that is true of them
			entry.undeclared = undeclaredFacts(stream, all)
		}
		game.Close(stream)
	case !errors.As(err, &crash):
		return entry, err
	}
	p := problem.Problem
	p.Params = problem.Params
	for _, l := range probtest.Laws {
		test := func() (string, error) { return l.Test(p) }
		entry.Laws = append(entry.Laws, Law{l.Name, l.Doc, l.Remedy, test})
	}
	declared := declaredLaw
	declared.test = func() (string, error) { return testDeclaredLaw(problem) }
	entry.Laws = append(entry.Laws, declared)
	return entry.inWordsFor(p.Flag), nil
}

// inWordsFor returns an entry with its laws in the words of programs if it comes from a flag, such
// as --external. An entry of a registry, without a flag, has its laws in the words of Go.
func (e TestedEntry) inWordsFor(flag string) TestedEntry {
	if flag == "" {
		return e
	}
	for k, l := range e.Laws {
		e.Laws[k] = inProgramWords(l)
	}
	return e
}

// undeclaredFacts returns the facts that a stream does not declare, and that algorithms of the
// program need, at their default parameters, to be played. The facts that most need come first.
func undeclaredFacts(s problems.Stream, all []algorithms.Algorithm) (undeclared []Undeclared) {
	facts := s.Facts()
	setup := algorithms.Setup{Set: s.Set(), Constraints: s.Constraints(), Facts: facts, Horizon: 100}
	for _, a := range all {
		if a.Flag != "" {
			continue
		}
		missing := a.Unmet(facts)
		var lack *algorithms.LackError
		if _, err := a.Start(a.Params, setup); errors.As(err, &lack) {
			missing = append(missing, lack.What)
		}
		var names []string
		for _, description := range missing {
			names = append(names, algorithms.FactsOf([]string{description})...)
		}
		slices.Sort(names)
		for _, name := range slices.Compact(names) {
			k := slices.IndexFunc(undeclared, func(u Undeclared) bool { return u.Fact == name })
			if k < 0 {
				k = len(undeclared)
				undeclared = append(undeclared, Undeclared{Fact: name})
			}
			undeclared[k].Excludes = append(undeclared[k].Excludes, a.Name)
		}
	}
	slices.SortStableFunc(undeclared, func(a, b Undeclared) int {
		return len(b.Excludes) - len(a.Excludes)
	})
	return undeclared
}

// testDeclaredLaw plays some rounds, and compares the declared comparator with the certified one.
func testDeclaredLaw(p experiment.Problem) (skip string, err error) {
	const rounds = 64
	s, err := p.New(p.Params, rand.New(rand.NewPCG(1, 1)))
	if err != nil {
		return "", fmt.Errorf("from New: %w", err)
	}
	defer game.Close(s)
	if game.DeclaredSet(s) == "" {
		return "it declares no comparator", nil
	}
	h := game.NewHindsightRecorder(s, game.Checkpoints(rounds))
	x := make([]float64, s.Set().Dim())
	s.Set().Project(x, x)
	for t := 1; t <= rounds; t++ {
		r := s.Reveal(t, x)
		if f, ok := s.(problems.Fallible); ok && f.Err() != nil {
			return "", f.Err()
		}
		if err := h.Round(t, x, r); err != nil {
			return "", err
		}
	}
	return "", nil
}

// testMessagesLaw compares a program with itself when the members of messages are reordered and
// unknown ones are added. It skips algorithms of this program, which receive no messages.
func testMessagesLaw(a algorithms.Algorithm, programs []*external.Program) (skip string,
	err error) {
	for _, p := range programs {
		if _, problem := p.Problem(); p.Name() == a.Name && !problem {
			other := p.Reordered()
			other.Params = a.Params
			if a.Feedback == algorithms.TwoPoint {
				if other, err = other.WithTwoPoint(); err != nil {
					return "", err
				}
			}
			return "", algtest.Equal(a, other)
		}
	}
	return "it receives no messages", nil
}

// Only keeps the laws of these names, and the entries that have one. Without names it keeps all.
// A name that no entry has is an error.
func Only(all []TestedEntry, laws []string) ([]TestedEntry, error) {
	if len(laws) == 0 {
		return all, nil
	}
	var known []string
	for i, e := range all {
		known = append(known, mapNames(e.Laws, func(l Law) string { return l.Name })...)
		isOther := func(l Law) bool { return !slices.Contains(laws, l.Name) }
		all[i].Laws = slices.DeleteFunc(e.Laws, isOther)
	}
	slices.Sort(known)
	known = slices.Compact(known)
	for _, name := range laws {
		if !slices.Contains(known, name) {
			return nil, spec.Unknown("law", name, known, spec.Pos{})
		}
	}
	return slices.DeleteFunc(all, func(e TestedEntry) bool { return len(e.Laws) == 0 }), nil
}

// repeatable names, for each kind of entry, the law that the same game, or the same seed, gives the
// same bits. Other laws compare games that should be equal, and decide nothing where it is broken.
var repeatable = map[string]string{"algorithm": "deterministic", "problem": "replay"}

// Test tests the laws. It calls begin before each law, and what begin returned after it, and then
// report with the verdict. An error of report ends the test. Of the laws that a program fails in
// the same way, only the first is broken, and the others are skipped.
// If the law of [repeatable] is broken, the laws after it that would be broken are skipped, too.
func (e TestedEntry) Test(begin func(law string) (end func()),
	report func(Verdict) error) (Result, error) {
	r := Result{e.Kind, e.Spec, []Verdict{}, e.undeclared}
	failures := make(map[string]string) // the first law with each kind of failure
	repeats := true                     // the law of [repeatable] is not broken so far
	for _, l := range e.Laws {
		end := begin(l.Name)
		v := l.Verdict()
		end()
		switch kind := run.FailureKind(v.Reason); {
		case v.Verdict != Broken:
		case v.Failed && failures[kind] != "":
			v = Verdict{Law: v.Law, Doc: v.Doc, Verdict: Skipped,
				Reason: "the program fails as in the law " + failures[kind]}
		case v.Failed:
			failures[kind] = v.Law
		case !repeats:
			v = Verdict{Law: v.Law, Doc: v.Doc, Verdict: Skipped, Reason: "mend the law " +
				repeatable[e.Kind] + " first: this one compares games that should be equal"}
		case v.Law == repeatable[e.Kind]:
			repeats = false
		}
		r.Laws = append(r.Laws, v)
		if err := report(v); err != nil {
			return r, err
		}
	}
	return r, nil
}

// Verdict tests the law.
func (l Law) Verdict() Verdict {
	v := Verdict{Law: l.Name, Doc: l.Doc, Verdict: Holds}
	skip, err := l.test()
	switch {
	case skip != "":
		v.Verdict, v.Reason = Skipped, skip
	case err != nil:
		v.Verdict, v.Reason, v.Remedy = Broken, input.Message(err.Error()), l.Remedy
		var learner *algorithms.FailedError
		var stream *problems.FailedError
		if v.Failed = errors.As(err, &learner) || errors.As(err, &stream); v.Failed {
			v.Remedy = "The program failed before the law could be tested: mend this error first. A " +
				"program that cannot play a game refuses it in initialize, by the error −32602."
		}
	}
	return v
}
