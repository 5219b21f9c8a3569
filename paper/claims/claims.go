// Package claims has the claims of the paper that started this project (Leith and
// Iosifidis, "Penalised FTRL With Time-Varying Constraints"), each with what it is
// tested by, and computes a verdict for each from what the tests find:
//
//	claim → checks → findings → verdict
//
// A [Claim] is a sentence of the paper in our words. Its [Check]s look for a
// counterexample, most of them in every round of many streams. A [Finding] is what a
// check has found, with numbers. [Claim.Judge] runs the checks and reads the [State] of
// the claim off the findings by a rule that is the same for all:
//
//	no verdict   the claim is an opinion
//	fails        a check of the claim as stated has a counterexample
//	holds if …   it has, and there is a condition under which the claim is proved and
//	             no check has a counterexample
//	holds        no check has a counterexample, and there is a proof
//	open         no check has a counterexample, and there is no proof; or a check
//	             could not decide
//
// A verdict is never typed. What is typed is the proof, the condition, and what is true
// instead.
//
// # What is a hypothesis, and what a condition
//
// [Convention] is one for all claims. The Hypothesis has what the paper states for the claim,
// there or where the claim refers to, and which reading is taken where the text has several.
// Whatever is assumed besides is part of the Condition, be it usual, such as a convex domain
// and R_τ = κ√τ‖x − x_0‖² where Condition 1 admits more, and the claim then "holds if". So a
// claim "holds" under the words of the paper alone, and a condition is needed: the claim as
// stated has a counterexample. A narrower sentence, another constant or another rate is no
// condition; the claim fails, and Instead has what is true.
//
// # How to add a claim
//
// It takes a file with its texts, such as sets_nested.yaml, a file with its checks,
// sets_nested.go, and a line in the registry, all.go. The keys of the texts are the fields of
// [Claim] and [Check]. Texts are TeX with mathematics between dollar signs, and table.TeX
// gives their plain form. Experiments are those of harness/experiments, by name; the caller
// of [Claim.Judge] plays them. A counterexample that needs rounds of its own is a problem of
// the registry, so that bench play replays it.
package claims

import (
	"context"
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"regexp"
	"strconv"
	"strings"

	"ocobench/algorithms"
	"ocobench/harness/analysis"
	"ocobench/harness/experiment"
	"ocobench/harness/experiment/spec"
	"ocobench/harness/game"
	"ocobench/problems"
	"ocobench/report/table"
)

// Claim is an entry of the registry. Its texts are TeX.
type Claim struct {
	Name       string `yaml:"-"` // the name of the file, of lower-case words joined by dashes
	Number     int    // its place in the paper, from 1
	Place      string // in the paper, such as "Theorem 1" or "§4.2, below Lemma 5"
	Sentence   string // the claim in our words, with all that it says
	Hypothesis string // the assumptions that the paper states for it, may be empty
	Statistic  string // what the checks measure
	Rule       string // the outcome that counts as a counterexample
	// Opinion says why the sentence gets no verdict. Its checks are reported.
	Opinion string
	// Proof settles the claim, or with a Condition the claim under the condition. A claim
	// about rates needs one to hold: measured growth alone leaves it open.
	Proof string
	// Condition is what has to be assumed besides. It needs a Proof, and a check that is
	// [Amended].
	Condition string
	Instead   string // what is true instead of a claim that fails, where known
	Decide    string // what would decide a claim that is open
	// Experiments are those that the checks read.
	Experiments []string
	Cost        string // of all checks, in rounds played or problems solved
	Checks      []Check
}

// Role says which form of a claim a check is about.
type Role string

const (
	Stated  Role = "stated"  // the claim as the paper states it
	Amended Role = "amended" // the claim under the Condition
	Beside  Role = "beside"  // something of interest that decides nothing
)

// Check looks for a counterexample to a claim.
type Check struct {
	Name string // in [checks], of lower-case words joined by dashes
	Role Role
	What string // what is looked at, such as "200 random programs at $\gamma=\gamma_0$"; TeX
	// Command is a command line that shows the evidence without this package, such as
	// "bench play --algorithm … --problem …"; empty where there is none.
	Command string
	Run     func(l *Lab) (Finding, error) `yaml:"-"`
}

// Outcome is what a check says of the claim.
type Outcome string

const (
	Survives  Outcome = "no counterexample"
	Refutes   Outcome = "counterexample"
	Undecided Outcome = "undecided"
)

// Finding is what a check has found.
type Finding struct {
	Outcome Outcome `json:"outcome"`
	// Text says it in a sentence with numbers, such as "$\|w_{\tau+1}-w_\tau\|$ is at
	// most 0.98 times the bound, at $\tau=17$ of stream 3"; TeX.
	Text string `json:"text"`
	// Ratio is the largest ratio of what was measured to the bound of the claim, or nil
	// where the claim has no bound.
	Ratio *float64 `json:"ratio,omitempty"`
	// Looked says how many such ratios were looked at, and Mean is their mean.
	Looked int      `json:"looked,omitempty"`
	Mean   *float64 `json:"mean,omitempty"`
	// Values are numbers that prose quotes.
	Values []Value `json:"values,omitempty"`
}

// Value is a measured number with a name of lower-case words joined by dashes.
type Value struct {
	Name  string  `json:"name"`
	Value float64 `json:"value"`
}

// State is a verdict.
type State string

const (
	Holds   State = "holds"
	HoldsIf State = "holds if"
	Fails   State = "fails"
	Open    State = "open"
	None    State = "no verdict" // of an opinion
)

// Verdict is a claim with its findings, in the order of its checks.
type Verdict struct {
	Claim    *Claim
	State    State
	Findings []Finding
}

// Convention says in words for a reader what the verdicts mean; the [State] is computed.
const Convention = "A claim holds where the assumptions that the paper states are enough: no " +
	"check has a counterexample, and there is a proof. It holds if … where they are not: the claim as " +
	"stated has a counterexample, and under the condition named, which the paper does not state, " +
	"there is none, and there is a proof. It fails where there is a counterexample and no such " +
	"condition; what is true instead, a narrower sentence or another rate, is said. An assumption " +
	"that the paper does not state is always a condition, however usual it is, and never among " +
	"what is assumed; where its text has several readings, the one that is taken is named there. " +
	"Losses and constraints are convex, as in Lemmas 1 and 6 of the paper, where a claim does not say " +
	"otherwise."

// Judge runs the checks of a claim and returns its verdict. The error is that of a check
// that could not run, with the name of the claim; a panic is one.
func (c *Claim) Judge(l *Lab) (v Verdict, err error) {
	v.Claim = c
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("claim %s: %w", c.Name, game.Panicked(p))
		}
	}()
	for k, check := range c.Checks {
		if l.Context.Err() != nil {
			return v, l.Context.Err()
		}
		f, err := check.Run(l)
		if err != nil {
			return v, fmt.Errorf("claim %s, check %d: %w", c.Name, k+1, err)
		}
		f.Text = withoutE(f.Text)
		v.Findings = append(v.Findings, f)
	}
	v.State = c.state(v.Findings)
	return v, nil
}

// numberWithE matches a number such as 9.2e+03 that is no value of a parameter.
var numberWithE = regexp.MustCompile(`(^|[^=\w.-])(-?\d(?:\.\d+)?e[+-]\d+)`)

// withoutE returns a text in TeX in which numbers such as 9.2e+03 are written as in tables.
func withoutE(text string) string {
	var out strings.Builder
	done := 0
	for _, at := range numberWithE.FindAllStringSubmatchIndex(text, -1) {
		from, to := at[4], at[5]
		v, err := strconv.ParseFloat(text[from:to], 64)
		if err != nil {
			continue
		}
		mantissa, _, _ := strings.Cut(text[from:to], "e")
		digits := len(strings.Trim(strings.Replace(mantissa, ".", "", 1), "-"))
		number := table.Precise(v, digits).TeX
		if strings.Count(text[:from], "$")%2 == 1 {
			number = strings.Trim(number, "$")
		}
		out.WriteString(text[done:from] + number)
		done = to
	}
	return out.String() + text[done:]
}

// state is the rule of the package comment.
func (c *Claim) state(findings []Finding) State {
	has := func(role Role, o Outcome) bool {
		for k, f := range findings {
			if c.Checks[k].Role == role && f.Outcome == o {
				return true
			}
		}
		return false
	}
	switch {
	case c.Opinion != "":
		return None
	case has(Stated, Refutes):
		if c.Condition != "" && has(Amended, Survives) && !has(Amended, Refutes) &&
			!has(Amended, Undecided) {
			return HoldsIf
		}
		return Fails
	case has(Stated, Undecided) || c.Proof == "" || c.Condition != "":
		return Open
	}
	return Holds
}

// Lab is what checks measure with. Several may use it at once.
type Lab struct {
	Context context.Context
	Catalog experiment.Catalog
	// Quick asks for fewer repetitions, for a look. Verdicts are to be the same.
	Quick bool
	// Experiment returns the analysis of an experiment that comes with the program.
	Experiment func(name string) (*analysis.Analysis, error)
}

// Repeat returns n, or a fifth of it, at least 1, where the lab is quick.
func (l *Lab) Repeat(n int) int {
	if l.Quick {
		return max(1, n/5)
	}
	return n
}

// Rand returns a source of random numbers that depends on the name only.
func (l *Lab) Rand(name string) *rand.Rand {
	h := fnv.New64a()
	h.Write([]byte(name))
	return rand.New(rand.NewPCG(h.Sum64(), 0))
}

// Stream starts a stream of a problem by its SPEC, with seed 1 as bench play has it.
func (l *Lab) Stream(problem string, replicate int) (problems.Stream, error) {
	a, err := one(problem, l.Catalog.ResolveProblems)
	if err != nil {
		return nil, err
	}
	return a.Stream(1, replicate)
}

// Play plays an algorithm on a problem, both by their SPECs, with seed 1 as bench play
// has it. Assumptions are not looked at. The stream is a fresh one; hindsight of it is
// an observer made with another that [Lab.Stream] starts.
func (l *Lab) Play(algorithm, problem string, replicate, horizon int,
	observers ...game.Observer) error {
	c, err := one(algorithm, l.Catalog.ResolveAlgorithms)
	if err != nil {
		return err
	}
	s, err := l.Stream(problem, replicate)
	if err != nil {
		return err
	}
	learner, err := c.Learner(s, 1, replicate, horizon)
	if err != nil {
		return err
	}
	if err := game.Play(l.Context, learner, s, horizon, observers...); err != nil {
		return fmt.Errorf("%s on %s: %w", algorithm, problem, err)
	}
	return nil
}

// PlayLearner plays a learner of the check's own on a stream of its own.
func (l *Lab) PlayLearner(learner algorithms.Learner, s problems.Stream, horizon int,
	observers ...game.Observer) error {
	return game.Play(l.Context, learner, s, horizon, observers...)
}

// one resolves a SPEC.
func one[T any](text string, resolve func(spec.Use) ([]T, error)) (v T, err error) {
	u, err := spec.ParseSpec(text)
	if err != nil {
		return v, err
	}
	all, err := resolve(u)
	if err == nil && len(all) != 1 {
		err = fmt.Errorf("%s has several values of a parameter", text)
	}
	if err != nil {
		return v, err
	}
	return all[0], nil
}

// Worst keeps the largest ratio of what is measured to a bound, and where it was. NaN is
// larger than every number. The zero value is ready.
type Worst struct {
	Ratio float64
	At    string
	seen  int     // ratios
	sum   float64 // of them
}

// See looks at another ratio. At says where it is, and is formatted only if it is the largest so
// far.
func (w *Worst) See(ratio float64, at string, args ...any) {
	if w.seen == 0 || !math.IsNaN(w.Ratio) && !(ratio <= w.Ratio) {
		w.Ratio, w.At = ratio, fmt.Sprintf(at, args...)
	}
	w.seen++
	w.sum += ratio
}

// Finding is that of a bound that is kept if the largest ratio is at most 1 + tolerance.
// The text is followed by the ratio and its place.
func (w *Worst) Finding(text string, tolerance float64) Finding {
	f := Finding{Outcome: Survives,
		Text: fmt.Sprintf("%s at most %.4g times the bound, at %s", text, w.Ratio, w.At)}
	if !(w.Ratio <= 1+tolerance) {
		f.Outcome, f.Text = Refutes, fmt.Sprintf("%s %.4g times the bound, at %s", text, w.Ratio, w.At)
	}
	if w.seen == 0 {
		f = Finding{Outcome: Undecided, Text: "nothing was looked at"}
	}
	return f.of(w)
}

// of gives the finding the largest ratio of all, the number of ratios and their mean. JSON has no
// numbers that are infinite or none.
func (f Finding) of(all ...*Worst) Finding {
	number := func(x float64) *float64 {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return nil
		}
		return &x
	}
	worst := worstOf(all...)
	if f.Looked = worst.seen; f.Looked > 0 {
		f.Ratio, f.Mean = number(worst.Ratio), number(worst.sum/float64(f.Looked))
	}
	return f
}

// worstOf is the worst over the ratios of all.
func worstOf(all ...*Worst) (worst Worst) {
	seen, sum := 0, 0.
	for _, w := range all {
		if w.seen > 0 {
			worst.See(w.Ratio, "%s", w.At)
		}
		seen, sum = seen+w.seen, sum+w.sum
	}
	worst.seen, worst.sum = seen, sum
	return worst
}
