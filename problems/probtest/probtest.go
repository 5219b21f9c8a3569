// Package probtest is the conformance suite of problems: the laws that package
// problems states, and that learners, comparators and statistics rely on, checked
// on a generator.
//
// One line tests a registry, or a single problem:
//
//	func TestProblemsKeepAllLaws(t *testing.T) { probtest.Run(t, myProblems...) }
//
// [Run] looks at what the entries say of themselves and then plays several
// hundred rounds of a few seeds of each problem at the parameters of its entry,
// and looks at its functions at sampled points. Seeds and points are fixed, so
// that a verdict does not change by itself. A failure names the law and the
// round, and says what to do. Other parameters are tested by another entry, and
// so is a problem with required parameters:
//
//	p.Params = MyParams{Margin: 0.5}
//	probtest.Run(t, p)
package probtest

import (
	"fmt"
	"testing"

	"ocobench/convex"
	"ocobench/problems"
)

// Law is a rule that every problem keeps.
type Law struct {
	Name   string
	Doc    string // the rule
	Remedy string // what to do where it is broken
	// Skip returns why the rule does not apply to this problem, or "". A nil Skip means that the rule
	// applies to every problem.
	Skip  func(problems.Problem) string
	Check func(problems.Problem) error
}

// Test checks the law, unless there is a reason to skip it.
func (l Law) Test(p problems.Problem) (skip string, err error) {
	if l.Skip != nil {
		if skip = l.Skip(p); skip != "" {
			return skip, nil
		}
	}
	return "", l.Check(p)
}

// Run checks the entries with [Registry], and every law of [Laws] for each of
// them, in subtests NAME/LAW.
func Run(t *testing.T, all ...problems.Problem) {
	t.Helper()
	if err := Registry(all); err != nil {
		t.Error(err)
	}
	for _, p := range all {
		t.Run(p.Name, func(t *testing.T) {
			for _, law := range Laws {
				t.Run(law.Name, func(t *testing.T) {
					skip, err := law.Test(p)
					switch {
					case skip != "":
						t.Skip(skip)
					case err != nil:
						t.Errorf("%s breaks the law %q (%s): %v\n%s", p.Name, law.Name, law.Doc, err, law.Remedy)
					}
				})
			}
		})
	}
}

// Laws are the rules that every problem keeps.
var Laws = []Law{
	{
		Name: "fingerprint",
		Doc: "parameters that name a file are loaded with a fingerprint that is not empty and does " +
			"not change, and then have the same rounds",
		Remedy: "Let Load read the file once, and return its content in the parameters and a digest " +
			"of its bytes.",
		Skip: func(p problems.Problem) string {
			if _, ok := p.Params.(problems.Loader); !ok {
				return "its parameters name no file"
			}
			return ""
		},
		Check: lawOf(checkFingerprint),
	},
	{
		Name: "shapes",
		Doc:  "every round has one loss and m constraints on ℝⁿ, with finite numbers",
		Remedy: "Let Reveal return a loss and as many constraints as Constraints says, at least 1, " +
			"and bound what is drawn.",
		Check: lawOf(checkShapes),
	},
	{
		Name: "forms",
		Doc:  "a function and its normal form have the same values",
		Remedy: "Make Value and AddTo of the function compute the same mathematics, or use a " +
			"function of package convex.",
		Skip: func(p problems.Problem) string {
			if isExternal(p) {
				return "a program gives the normal form alone"
			}
			return ""
		},
		Check: lawOf(checkForms),
	},
	{
		Name: "convex",
		Doc:  "functions are convex, and their subgradients are",
		Remedy: "Check the sign of every term, and the subgradient against finite differences of " +
			"Value.",
		Check: lawOf(checkConvexity),
	},
	{
		Name: "replay",
		Doc:  "one seed, one stream, whatever other streams do meanwhile",
		Remedy: "Draw from the rng of New alone (a program: from the seed of the game), and keep no " +
			"state of other streams.",
		Check: lawOf(checkReplay),
	},
	{
		Name:   "seeds",
		Doc:    "a stream that draws depends on its seed",
		Remedy: "Use what is drawn in the rounds. If nothing is to be random, do not draw.",
		Skip: func(p problems.Problem) string {
			if isExternal(p) {
				return "what a program draws is not seen; the law deterministic compares its seeds"
			}
			return ""
		},
		Check: lawOf(checkSeeds),
	},
	{
		Name: "deterministic",
		Doc:  "Deterministic is declared where nothing is drawn, and only there",
		Remedy: "Declare Deterministic if no round depends on the rng of New, whatever the " +
			"parameters, and only then.",
		Check: lawOf(checkDeterministic),
	},
	{
		Name:   "blind",
		Doc:    "rounds do not depend on the actions, unless Adaptive is declared, and then they do",
		Remedy: "Declare Adaptive if Reveal uses x, and only then.",
		Check:  lawOf(checkBlind),
	},
	{
		Name: "untouchable",
		Doc: "whatever is written to a round or a set that was handed out, what comes later is the " +
			"same",
		Remedy: "Freeze functions that are revealed more than once (convex.Freeze), write all others " +
			"whole in every Reveal, and return Set().Clone() (problems.Instance does).",
		Skip:  skipExternal,
		Check: lawOf(checkOverwriting),
	},
	{
		Name: "facts",
		Doc:  "facts are finite, do not change, and the diameter is that of the set",
		Remedy: "Compute the facts in New, Adaptive, Deterministic and Rounds from the parameters " +
			"alone, and set Diameter to Set().Diameter(); 0 stands for an unknown constant.",
		Check: lawOf(checkFacts),
	},
	{
		Name: "lipschitz",
		Doc:  "subgradients are no longer than declared",
		Remedy: "Raise the fact LossLipschitz or ConstraintLipschitz to a bound that holds for all " +
			"rounds and actions, or declare 0, unknown.",
		Skip: skipUndeclared("loss_lipschitz and constraint_lipschitz",
			func(f convex.Facts) bool { return f.G() > 0 }),
		Check: lawOf(checkLipschitz),
	},
	{
		Name: "bounds",
		Doc:  "values are in the range declared",
		Remedy: "Raise the fact LossRange or ConstraintBound to a bound that holds for all rounds " +
			"and actions, or declare 0, unknown.",
		Skip: skipUndeclared("loss_range and constraint_bound",
			func(f convex.Facts) bool { return max(f.LossRange, f.ConstraintBound) > 0 }),
		Check: lawOf(checkBounds),
	},
	{
		Name: "curvature",
		Doc:  "losses are as strongly convex as declared",
		Remedy: "Lower the fact Curvature to the least strong convexity of a loss; 0 for losses that " +
			"are not strongly convex.",
		Skip:  skipUndeclared("curvature", func(f convex.Facts) bool { return f.Curvature != 0 }),
		Check: lawOf(checkCurvature),
	},
	{
		Name: "slater",
		Doc:  "one point of the set satisfies all constraints with the margin declared",
		Remedy: "Lower the fact Slater to a margin that one action has in all rounds; 0 if there is " +
			"none.",
		Skip:  skipUndeclared("slater", func(f convex.Facts) bool { return f.Slater != 0 }),
		Check: lawOf(checkSlater),
	},
	{
		Name: "feasible",
		Doc: "some action satisfies all constraints of a round, in every round, if Feasible is " +
			"declared",
		Remedy: "Declare Feasible only if no round that may come is empty; it is not if a Slater " +
			"margin is declared.",
		Skip:  skipUndeclared("feasible", func(f convex.Facts) bool { return f.Feasible }),
		Check: lawOf(checkFeasible),
	},
	{
		Name:   "fixed",
		Doc:    "constraints do not change if Fixed is declared",
		Remedy: "Reveal the same functions in every round, or do not declare Fixed.",
		Skip:   skipUndeclared("fixed", func(f convex.Facts) bool { return f.Fixed }),
		Check:  lawOf(checkFixed),
	},
	{
		Name:   "affine",
		Doc:    "constraints are affine if Affine is declared, and not all are if not",
		Remedy: "Declare Affine if all constraints of all rounds are affine, and only then.",
		Check:  lawOf(checkAffine),
	},
	{
		Name:   "iid",
		Doc:    "constraints look independent and of one law if IID is declared",
		Remedy: "Declare IID only if the constraints of each round are drawn anew from one law.",
		Skip:   skipUndeclared("iid", func(f convex.Facts) bool { return f.IID }),
		Check:  lawOf(checkIID),
	},
	{
		Name: "expectation",
		Doc: "an Expectation is m functions that do not change, and the averages of i.i.d. " +
			"constraints go to them",
		Remedy: "Let Expectation return E g_1, …, E g_m, or nil where it is not known; copy " +
			"functions that Reveal overwrites.",
		Check: lawOf(checkExpectation),
	},
	{
		Name:   "known",
		Doc:    "known constraints are fixed",
		Remedy: "Declare KnownConstraints only together with Fixed.",
		Check:  lawOf(checkKnown),
	},
	{
		Name:   "allocations",
		Doc:    "Reveal does not allocate where constraints are affine",
		Remedy: "Make the functions in New, and let Reveal overwrite their numbers.",
		Skip:   skipExternal,
		Check:  lawOf(checkAllocations),
	},
}

// skipUndeclared returns the Skip of a law about facts that a problem need not declare; names are
// these facts, for the reason. It does not skip a stream that fails to start, or whose facts panic:
// then the law fails, and says so.
func skipUndeclared(names string, declares func(convex.Facts) bool) func(problems.Problem) string {
	return func(problem problems.Problem) (skip string) {
		p := &problemUnderTest{Problem: problem}
		defer func() {
			_ = p.close()
			if recover() != nil {
				skip = ""
			}
		}()
		for seed := range uint64(3) { // facts may depend on what is drawn
			s, _, err := p.start(seed)
			if err != nil || declares(s.Facts()) {
				return ""
			}
		}
		return "the facts do not declare " + names
	}
}

// isExternal reports whether the problem runs in another program.
func isExternal(p problems.Problem) bool { return p.Fingerprint != "" }

// skipExternal is the Skip of a law about memory, which other programs do not share.
func skipExternal(p problems.Problem) string {
	if isExternal(p) {
		return "a program shares no memory with this one"
	}
	return ""
}

// lawOf returns the Check of a law. A panic, and a stream that fails, break the law.
func lawOf(check func(*problemUnderTest) error) func(problems.Problem) error {
	return func(problem problems.Problem) (err error) {
		p := &problemUnderTest{Problem: problem}
		defer func() {
			closed := p.close()
			switch v := recover().(type) {
			case nil:
				if err == nil {
					err = closed
				}
			case *streamFailure:
				err = fmt.Errorf("round %d: %w", v.t, &problems.FailedError{Reason: v.err.Error()})
			default:
				err = fmt.Errorf("panic: %v", v)
			}
		}()
		return check(p)
	}
}
