// Package claims holds the claims of the paper that started this project (Leith and
// Iosifidis, "Penalised FTRL With Time-Varying Constraints"), each with what it is
// tested by, and computes a verdict for each from what the tests find:
//
//	claim → checks → findings → verdict
//
// A [Claim] is a sentence of the paper in our words. Its [Check]s look for a
// counterexample, most of them in every round of many streams. A [Finding] says what a
// check has found, with numbers. [Claim.Judge] runs the checks and computes the verdict on
// the claim from the findings by a rule that is the same for all:
//
//	no verdict   the claim is an opinion
//	fails        a check of the claim as stated has a counterexample
//	holds if …   it has, and there is a condition, or a reading, under which the claim is
//	             proved and no check has a counterexample
//	holds        no check has a counterexample, and there is a proof
//	open         no check has a counterexample, and there is no proof; or a check
//	             could not decide
//
// A verdict is never typed. What is typed is the proof, what is amended, and what is true
// instead.
//
// # Hypothesis, condition, reading, correction
//
// [Convention] says in short what the verdicts mean. The Setting of a claim is what the paper
// assumes for it, and a reading of the claim if only one was tested. A claim that is refuted as
// stated may be amended in three ways, which [paper.Entry] keeps apart:
//
//   - The Condition is whatever else has to be assumed, even if it is usual, such as a convex
//     domain, or R_τ = κ√τ‖x − x_0‖² where Condition 1 admits more. The claim holds if it is met.
//   - ReadAs is the reading in which the claim holds, where another one is refuted.
//   - The Correction is what the claim has to say instead, such as another sign. What is
//     printed is false, so that the claim fails, whether or not it is proved as corrected.
//
// So a claim "holds" only if it holds under the words of the paper alone, and a claim is amended
// only if it has a counterexample as stated. A narrower sentence, or another rate, that is true
// but not proved here is in Instead.
//
// Checks with the role beside decide nothing. The comments at the checks of a claim name them by
// "Beside it".
//
// # How to add a claim
//
// It takes a file with its texts, such as sets_nested.yaml, a file with its checks,
// sets_nested.go, and a line in the registry, all.go. The keys of the texts are the fields of
// [Claim], [paper.Entry] and [Check]. Texts are TeX with mathematics between dollar signs.
// Experiments are named as in the folder harness/experiments; the caller
// of [Claim.Judge] plays them. A counterexample that needs rounds of its own is a problem of
// the registry, so that bench play replays it.
//
// What checks share is in files of its own: trials.go walks over replicates of problems,
// observers.go measures games, streams.go and follower.go make streams and learners, bounds.go and
// convergence.go have bounds, findings.go says what was found; line.go, exact_line.go, programs.go
// and separable.go have small instances that are solved exactly.
package claims

import (
	"fmt"
	"math"

	"ocobench/harness/analysis"
	"ocobench/harness/game"
	"ocobench/paper"
)

// Claim is a sentence of the paper in our words, with its hypotheses as the paper states them, and
// its checks. Its texts are TeX. A Condition, a Correction or a reading, ReadAs, needs a check with
// the role [paper.Amended].
type Claim struct {
	paper.Entry `yaml:",inline"` // with a Proof of the claim, or of the claim as amended
	// Opinion says why a sentence that is an opinion gets no verdict, and is empty for all others.
	// The findings of its checks are reported all the same.
	Opinion paper.TeX
	Checks  []Check
}

// Check looks for a counterexample to a claim.
type Check struct {
	Name string // in [checks], of lower-case words joined by dashes
	Role paper.Role
	What paper.TeX // what is looked at, such as "200 random programs at $\gamma=\gamma_0$"
	// Command is a command line that shows the evidence without this package, such as
	// "bench play --algorithm … --problem …"; empty where there is none.
	Command string
	Run     func(l *Lab) (Finding, error) `yaml:"-"`
}

// Outcome is what a check says of the claim.
type Outcome string

// The outcomes of a check. An undecided one could not tell, and leaves the claim open.
const (
	Survives  Outcome = paper.Survives
	Refutes   Outcome = "counterexample"
	Undecided Outcome = "undecided"
)

// Finding says what a check has found.
type Finding struct {
	Outcome Outcome
	// Text says it in a sentence with numbers, such as "$\|w_{\tau+1}-w_\tau\|$ is at
	// most 0.98 times the bound, at $\tau=17$ of stream 3"; TeX.
	Text string
	// Ratios has the ratios of measured values to the bound of the claim, if it has one.
	Ratios Worst
	// Values are numbers that prose quotes.
	Values []Value
}

// Value is a measured number with a name of lower-case words joined by dashes.
type Value struct {
	Name  string
	Value float64
}

// The verdicts on a claim.
const (
	Holds   = "holds"
	HoldsIf = "holds if"
	Fails   = "fails"
	Open    = "open"
	None    = "no verdict" // on an opinion
)

// Convention says in words for a reader what the verdicts mean.
const Convention = "A claim holds if no check has a counterexample and there is a proof. It " +
	"holds if … where the claim as stated has a\ncounterexample, and this is so under the condition " +
	"named, which the paper does not state, or in the reading named,\none of several that its text " +
	"has. It fails where there is a counterexample otherwise, also if a correction makes it\ntrue; what " +
	"is true instead is said. Losses and constraints are convex unless a claim says otherwise."

// Kind describes a document of claims.
var Kind = &paper.Kind{
	Name:  "claims",
	Title: "The claims of the paper",
	Introduction: "Each sentence of the paper that can be tested, with the verdict that the checks " +
		"compute, and the numbers that\ndecide. What is amended has a proof too. bench claims NAME " +
		"has the numbers of all checks, also of those in parentheses.\n\n" + Convention,
	Hint: "bench claims NAME prints a claim with its proof, what is measured, what would refute it, " +
		"and the commands that show it.",
	Verdicts: []string{Holds, HoldsIf, Fails, Open, None},
}

// Judge runs the checks of a claim and returns it with its verdict. The error names the claim and
// the check that could not run; a panic of a check is returned as an error.
func (c *Claim) Judge(l *Lab) (e paper.Entry, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("claim %s: %w", c.Name, game.Panicked(p))
		}
	}()
	var findings []Finding
	for k, check := range c.Checks {
		if l.Context.Err() != nil {
			return e, l.Context.Err()
		}
		f, err := check.Run(l)
		if err != nil {
			return e, fmt.Errorf("claim %s, check %d: %w", c.Name, k+1, err)
		}
		findings = append(findings, f)
	}
	return c.entry(findings), nil
}

// entry returns the claim with its findings and verdict.
func (c *Claim) entry(findings []Finding) paper.Entry {
	e := c.Entry
	e.Command, e.Verdict, e.Reason = "bench claims "+c.Name, c.verdict(findings), c.Opinion
	refutes := e.Verdict == HoldsIf || e.Verdict == Fails // the claim as stated
	amended := refutes && c.holdsAmended(findings)
	if !amended {
		e.ReadAs, e.Condition, e.Correction = "", "", ""
	}
	if !refutes {
		e.Instead = ""
	}
	if e.Verdict != Open {
		e.Decide = ""
	}
	for k, f := range findings {
		check := c.Checks[k]
		out := paper.Finding{Role: check.Role, What: check.What, Command: check.Command,
			Outcome: string(f.Outcome), Text: paper.TeX(withoutE(f.Text))}
		switch stated := check.Role == paper.Stated; {
		case e.Verdict == None:
			out.Decides = true // an opinion shows all its findings
		case refutes: // decided by the counterexamples, and by what shows that the amended claim holds
			out.Decides = stated && f.Outcome == Refutes || amended && check.Role == paper.Amended
		default:
			out.Decides = stated
		}
		add := func(name string, x float64, samples int) {
			out.Values = append(out.Values, paper.Value{Name: name, Measured: analysis.Number(x),
				Error: analysis.Number(math.NaN()), Samples: samples})
		}
		if n := f.Ratios.seen; n > 0 {
			add("ratio", f.Ratios.Ratio, n)
			add("mean-ratio", f.Ratios.sum/float64(n), n)
		}
		for _, v := range f.Values {
			add(v.Name, v.Value, 0)
		}
		e.Findings = append(e.Findings, out)
	}
	return e
}

// verdict applies the rule of the package comment.
func (c *Claim) verdict(findings []Finding) string {
	switch {
	case c.Opinion != "":
		return None
	case c.hasOutcome(findings, paper.Stated, Refutes):
		if c.holdsAmended(findings) {
			return c.amendedVerdict()
		}
		return Fails
	case c.hasOutcome(findings, paper.Stated, Undecided) || c.Proof == "" || c.isAmended():
		return Open
	}
	return Holds
}

// hasOutcome reports whether a check in a role has an outcome.
func (c *Claim) hasOutcome(findings []Finding, role paper.Role, o Outcome) bool {
	for k, f := range findings {
		if c.Checks[k].Role == role && f.Outcome == o {
			return true
		}
	}
	return false
}

// isAmended reports whether the claim has a condition, a reading or a correction.
func (c *Claim) isAmended() bool { return c.Condition+c.ReadAs+c.Correction != "" }

// holdsAmended reports whether the claim is amended, at least one check of the claim as amended has
// decided, and all of these survive.
func (c *Claim) holdsAmended(findings []Finding) bool {
	return c.isAmended() && c.hasOutcome(findings, paper.Amended, Survives) &&
		!c.hasOutcome(findings, paper.Amended, Refutes) &&
		!c.hasOutcome(findings, paper.Amended, Undecided)
}

// amendedVerdict returns the verdict on a claim that is refuted as stated and holds as amended:
// holds if … for a condition or a reading, which leave the words of the claim as they are; fails
// for a correction, which changes them.
func (c *Claim) amendedVerdict() string {
	if c.Correction != "" {
		return Fails
	}
	return HoldsIf
}
