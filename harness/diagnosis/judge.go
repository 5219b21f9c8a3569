package diagnosis

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"ocobench/convex"
)

// A proposition is a condition or a theorem of the paper, as a row of the table in
// theory.go. A condition is judged by its clauses: the first one that applies has the
// verdict and the sentence. A theorem applies if all that it needs holds, and then its
// clauses say what follows; otherwise the conditions that decide are named, with the numbers
// that decided on them.
type proposition struct {
	name    string
	number  int                      // of the paper's condition
	verdict func(s *subject) Verdict // where that does not depend on the clause; or nil
	needs   func(s *subject) []Finding
	clauses []clause
	lacking []clause // what is added, by the first that applies, if the theorem does not apply
}

// A clause is a verdict with its sentence. Words in braces are the fields of a subject.
type clause struct {
	when    func(s *subject) bool // nil: always
	verdict Verdict               // "": that of the measurement, or that the theorem applies
	text    string
	brief   string   // the text as part of a theorem's, where that is another one
	then    []clause // each that applies adds its text
}

// A subject is what propositions are about: a diagnosis, with the Slater point and the
// penalty growth of all constraints or of some of them.
type subject struct {
	*Diagnosis
	facts  convex.Facts
	slater *Slater
	growth *Growth
	kinds  []string // of the functions that are to be Lipschitz
	// Constraints that need a Slater point and penalty growth for Corollary 1, and the
	// measurement for these only.
	plus    []int
	relaxed *condition
}

// judge returns a finding for each proposition.
func (s *subject) judge(ps ...*proposition) []Finding {
	var all []Finding
	for _, p := range ps {
		f := Finding{Name: p.name, number: p.number}
		clauses := p.clauses
		switch {
		case p.verdict != nil:
			f.Verdict = p.verdict(s)
		case p.needs != nil:
			if f = conclude(p.name, p.needs(s)); f.Verdict != Applies {
				clauses = p.lacking
			}
		}
		for _, c := range clauses {
			if c.when == nil || c.when(s) {
				s.say(&f, c)
				break
			}
		}
		all = append(all, f)
	}
	return all
}

// say adds a clause to a finding.
func (s *subject) say(f *Finding, c clause) {
	if c.verdict != "" {
		f.Verdict = c.verdict
	}
	fill := s.fields()
	f.brief = fill.Replace(c.brief)
	f.Reason += fill.Replace(strings.ReplaceAll(c.text, "{brief}", c.brief))
	for _, also := range c.then {
		if also.when == nil || also.when(s) {
			f.Reason += fill.Replace(also.text)
		}
	}
	if f.brief == "" {
		f.brief = f.Reason
	}
}

// conclude reports whether a theorem applies, and otherwise names the conditions that
// decide.
func conclude(name string, conditions []Finding) Finding {
	for _, want := range []struct {
		condition, theorem Verdict
		verb               string
	}{{Fails, Inapplicable, "fails"}, {Open, Open, "is open"}} {
		var why []string
		for _, c := range conditions {
			if c.Verdict != want.condition {
				continue
			}
			if c.number > 0 {
				c.brief = fmt.Sprintf("%s (Condition %d) %s: %s", c.Name, c.number, want.verb, c.brief)
			}
			why = append(why, c.brief)
		}
		if why != nil {
			return Finding{Name: name, Verdict: want.theorem, Reason: strings.Join(why, "; ")}
		}
	}
	return Finding{Name: name, Verdict: Applies}
}

// fields fills in the words in braces. A number that does not exist is –.
func (s *subject) fields() *strings.Replacer {
	float := func(format byte, digits int, v *float64) string {
		if v == nil {
			return "–"
		}
		return strconv.FormatFloat(*v, format, digits, 64)
	}
	short := func(v *float64) string { return float('g', 3, v) }
	fixed := func(v *float64) string { return float('f', 2, v) }
	whole := func(v *int) string {
		if v == nil {
			return "–"
		}
		return strconv.Itoa(*v)
	}
	z, k, slopes, left, start := s.slater, s.growth, s.slopes(), s.left(), s.slater.Burn+1
	first := "round"
	if z.Burn != 1 {
		first = fmt.Sprintf("%d rounds", z.Burn)
	}
	open, penalty := s.penalties()
	return strings.NewReplacer(
		"{departure}", short(&s.convexity().Measured),
		"{kind}", strings.TrimSuffix(slopes.Name, "_lipschitz"), "{grows}", fixed(slopes.Grows),
		"{limit}", short(z.Limit), "{η}", short(z.Eta), "{t_ε}", whole(&start), "{first}", first,
		"{other}", short(z.Other), "{round}", short(z.Round),
		"{j}", whole(&z.Constraint), "{margin}", fixed(z.Exponent),
		"{k}", whole(k.Count), "{least}", whole(k.Lower), "{p}", fixed(k.Exponent),
		"{β}", short(k.Beta), "{from}", whole(&k.From), "{ε}", short(k.Epsilon),
		"{rate}", interval(&s.Convergence.Exponent), "{penalty}", interval(penalty),
		"{left}", whole(&left), "{m}", whole(&s.Constraints), "{open}", whole(&open),
		"{γ}", short(&s.Gamma.Used), "{enough}", short(s.Gamma.Sufficient),
		"{γ_T}", short(s.Gamma.Limit), "{multiplier}", short(s.Gamma.Effective),
	)
}

func interval(e *Exponent) string {
	switch {
	case e.Value == nil:
		return "?"
	case e.Lower == nil || e.Upper == nil:
		return fmt.Sprintf("%.2f", *e.Value)
	}
	return fmt.Sprintf("%.2f [%.2f, %.2f]", *e.Value, *e.Lower, *e.Upper)
}

func (s *subject) before(horizon int) bool { return s.Rounds < horizon }

func (s *subject) unconstrained() bool { return s.Constraints == 0 }

// fact returns the first fact that is so, or else one that says nothing.
func (s *subject) fact(is func(f *Fact) bool) *Fact {
	if k := slices.IndexFunc(s.Facts, func(f Fact) bool { return is(&f) }); k >= 0 {
		return &s.Facts[k]
	}
	return &Fact{bounded: Holds}
}

func (s *subject) convexity() *Fact {
	return s.fact(func(f *Fact) bool { return f.Name == "departure_from_convex" })
}

// slopes returns the Lipschitz constant that decides on the FTRL condition.
func (s *subject) slopes() *Fact {
	about := func(v Verdict) *Fact {
		return s.fact(func(f *Fact) bool {
			return f.bounded == v && slices.Contains(s.kinds, strings.TrimSuffix(f.Name, "_lipschitz"))
		})
	}
	if f := about(Fails); f.bounded == Fails {
		return f
	}
	return about(Open)
}

// left is the number of constraints that can be left out of Corollary 1.
func (s *subject) left() int { return s.Constraints - len(s.plus) }

// penalties returns the first constraint, counted from 1, of which it is open whether it can
// be left out, or 0, and the exponent of the penalty that grows fastest of the other ones
// that cannot.
func (s *subject) penalties() (open int, fastest *Exponent) {
	fastest = &Exponent{}
	for _, j := range s.plus {
		switch e := &s.Penalties[j]; {
		case e.Verdict != Open:
			if e.Value != nil && (fastest.Value == nil || *e.Value > *fastest.Value) {
				fastest = e
			}
		case open == 0:
			open = j + 1
		}
	}
	return open, fastest
}

// undecided reports whether it is open if some constraint can be left out.
func (s *subject) undecided() bool {
	open, _ := s.penalties()
	return open > 0
}

// gone reports whether the margin at z vanishes, and none at another point stays.
func (s *Slater) gone() bool { return s.vanishes && s.Other == nil }

func (s *Slater) shrinks() bool { return s.Exponent != nil && *s.Exponent < -vanishing }
