// Package conform tests whether entries of a catalog, also those of other programs, keep
// the laws of every algorithm (package algtest) and every problem (package probtest).
//
// [Subjects] resolves uses to entries with their laws, [Only] leaves some of the laws, and
// [Subject.Test] tests them. One more law is of the protocol: programs read members of messages
// by their names.
package conform

import (
	"errors"
	"slices"

	"ocobench/algorithms"
	"ocobench/algorithms/algtest"
	"ocobench/harness/experiment"
	"ocobench/harness/experiment/spec"
	"ocobench/harness/external"
	"ocobench/harness/game"
	"ocobench/internal/input"
	"ocobench/problems"
	"ocobench/problems/probtest"
)

// Law is a law of an entry.
type Law struct {
	Name, Doc, Remedy string

	test func() (skip string, err error)
}

// Subject is an entry with the laws that it is tested for.
type Subject struct {
	Kind, Spec string
	Laws       []Law
}

// The verdicts.
const (
	Holds   = "holds"
	Broken  = "broken"
	Skipped = "not applicable"
)

// Verdict is that of a law.
type Verdict struct {
	Law     string `json:"law"`
	Doc     string `json:"doc"`
	Verdict string `json:"verdict"`
	Reason  string `json:"reason,omitempty"`
	Remedy  string `json:"remedy,omitempty"`

	Failed bool `json:"-"` // the program of the entry failed before the law could be tested
}

// Result is what is found of a subject.
type Result struct {
	Kind string    `json:"kind"`
	Spec string    `json:"spec"`
	Laws []Verdict `json:"laws"`
}

// Count is the number of laws that have a verdict.
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

// messages is the law of the protocol, which only programs can break.
var messages = Law{
	Name: "messages",
	Doc: "the order of the members of a message, and members that the protocol does not know, " +
		"change nothing",
	Remedy: "Read members by their names, and ignore all others.",
}

// Names returns the names of the laws.
func Names() (ofAlgorithms, ofProblems []string) {
	ofAlgorithms = names(algtest.Laws, func(l algtest.Law) string { return l.Name })
	return append(ofAlgorithms, messages.Name),
		names(probtest.Laws, func(l probtest.Law) string { return l.Name })
}

func names[E any](entries []E, name func(E) string) (all []string) {
	for _, e := range entries {
		all = append(all, name(e))
	}
	return all
}

// Subjects resolves the uses of algorithms and problems of a catalog, which may include
// these programs. Without uses it resolves the programs. An algorithm and a problem may
// share a name, and parameters may be swept.
func Subjects(
	catalog experiment.Catalog, programs []*external.Program, uses ...spec.Use,
) (all []Subject, err error) {
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
			known := append(names(catalog.Algorithms, func(a algorithms.Algorithm) string { return a.Name }),
				names(catalog.Problems, func(p problems.Problem) string { return p.Name })...)
			return nil, spec.Unknown("name", u.Name, known, spec.Pos{}, "bench list")
		}
		if algorithm {
			contenders, err := catalog.ResolveAlgorithms(u)
			if err != nil {
				return nil, err
			}
			for _, c := range contenders {
				if err := c.Fixed(); err != nil {
					return nil, err
				}
				all = append(all, ofAlgorithm(c, programs))
			}
		}
		if problem {
			arenas, err := catalog.ResolveProblems(u)
			if err != nil {
				return nil, err
			}
			for _, a := range arenas {
				if err := a.Fixed(); err != nil {
					return nil, err
				}
				s, err := ofProblem(a)
				if err != nil {
					return nil, err
				}
				all = append(all, s)
			}
		}
	}
	return all, nil
}

func ofAlgorithm(c experiment.Algorithm, programs []*external.Program) Subject {
	a := c.Algorithm
	a.Params = c.Params
	s := Subject{"algorithm", c.Spec, nil}
	for _, l := range algtest.Laws {
		s.Laws = append(s.Laws, Law{l.Name, l.Doc, l.Remedy, func() (string, error) { return l.Test(a) }})
	}
	order := messages
	order.test = func() (string, error) { return reordered(a, programs) }
	s.Laws = append(s.Laws, order)
	return s
}

// ofProblem returns an error if the stream does not start; a stream that crashes breaks laws.
func ofProblem(arena experiment.Problem) (Subject, error) {
	s := Subject{"problem", arena.Spec, nil}
	var crash *game.CrashError
	switch stream, err := arena.Stream(1, 1); {
	case err == nil:
		game.Close(stream)
	case !errors.As(err, &crash):
		return s, err
	}
	p := arena.Problem
	p.Params = arena.Params
	for _, l := range probtest.Laws {
		s.Laws = append(s.Laws, Law{l.Name, l.Doc, l.Remedy, func() (string, error) { return l.Test(p) }})
	}
	return s, nil
}

// reordered tests the law of messages.
func reordered(a algorithms.Algorithm, programs []*external.Program) (skip string, err error) {
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
	return "it is told no messages", nil
}

// Only returns the subjects that have laws of these names, with no others; all of them
// without names. A name that no subject has is an error.
func Only(all []Subject, laws []string) ([]Subject, error) {
	if len(laws) == 0 {
		return all, nil
	}
	var known []string
	for i, s := range all {
		known = append(known, names(s.Laws, func(l Law) string { return l.Name })...)
		other := func(l Law) bool { return !slices.Contains(laws, l.Name) }
		all[i].Laws = slices.DeleteFunc(s.Laws, other)
	}
	slices.Sort(known)
	known = slices.Compact(known)
	for _, name := range laws {
		if !slices.Contains(known, name) {
			return nil, spec.Unknown("law", name, known, spec.Pos{})
		}
	}
	return slices.DeleteFunc(all, func(s Subject) bool { return len(s.Laws) == 0 }), nil
}

// Test tests the laws, and calls told with each verdict. An error of told ends the test.
func (s Subject) Test(told func(Verdict) error) (Result, error) {
	r := Result{s.Kind, s.Spec, []Verdict{}}
	for _, l := range s.Laws {
		v := l.Verdict()
		r.Laws = append(r.Laws, v)
		if err := told(v); err != nil {
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
			v.Remedy = "The program failed before the law could be told. " +
				"What it cannot play is to be refused by the error −32602 of initialize."
		}
	}
	return v
}
