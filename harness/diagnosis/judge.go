package diagnosis

import (
	_ "embed"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/goccy/go-yaml"

	"ocobench/convex"
)

// A proposition is a row of theory.yaml: a condition or a theorem of the paper.
type proposition struct {
	Name     string
	Number   int    // of the paper's condition
	Asks     string // what the paper asks for
	Measured string // what stands for it
	Part     bool   // it is part of theorems, and no finding of its own
	Needs    []string
	Cases    []clause
	Lacking  []clause
}

// A clause is a verdict with its sentence.
type clause struct {
	When    []string
	Verdict Verdict // "": the theorem applies, or does not
	Say     string
	Brief   string // what stands for the sentence in the reasons of theorems
	Also    []clause
}

//go:embed theory.yaml
var theoryFile []byte

var theory = sync.OnceValue(func() (all []proposition) {
	if err := yaml.UnmarshalWithOptions(theoryFile, &all, yaml.Strict()); err != nil {
		panic("diagnosis: " + err.Error())
	}
	return all
})

// A subject is a diagnosis that propositions are judged on, with the Slater point and the
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
	found   map[string]Verdict // of the propositions judged so far
}

// findings judges all propositions.
func (s *subject) findings() (all []Finding) {
	s.found = make(map[string]Verdict)
	for _, p := range theory() {
		f := s.judge(p.Name)
		if s.found[p.Name] = f.Verdict; !p.Part {
			all = append(all, f)
		}
	}
	return all
}

// judge judges the proposition of a name.
func (s *subject) judge(name string) Finding {
	k := slices.IndexFunc(theory(), func(p proposition) bool { return p.Name == name })
	p := theory()[k]
	f, clauses := Finding{Name: name, number: p.Number}, p.Cases
	if p.Needs != nil {
		if s.conclude(&f, p.Needs); f.Verdict != Applies {
			clauses = p.Lacking
		}
	}
	is, fill := s.words(), s.fields()
	for _, c := range clauses {
		if !is.all(c.When) {
			continue
		}
		if c.Verdict != "" {
			f.Verdict = c.Verdict
		}
		f.brief = c.Brief
		f.Reason += strings.ReplaceAll(c.Say, "{brief}", c.Brief)
		for _, also := range c.Also {
			if is.all(also.When) {
				f.Reason += also.Say
			}
		}
		break
	}
	if f.brief == "" {
		f.brief = f.Reason
	}
	f.brief, f.Reason = fill.Replace(f.brief), fill.Replace(f.Reason)
	return f
}

// conclude says in f whether a theorem applies, and otherwise names the conditions that
// decide, with the numbers that decided on them.
func (s *subject) conclude(f *Finding, needs []string) {
	conditions := s.conditions(needs)
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
				name := fmt.Sprintf("%s (Condition %d)", c.Name, c.number)
				c.brief = fmt.Sprintf("%s %s: %s", name, want.verb, c.brief)
			}
			why = append(why, c.brief)
		}
		if why != nil {
			f.Verdict, f.Reason = want.theorem, strings.Join(why, "; ")
			return
		}
	}
	f.Verdict = Applies
}

// conditions judges what a theorem needs: "of losses" asks of losses only, "of others" of the
// constraints that cannot be left out, and "of all" only where none can. Where all can, or the
// FTRL condition fails, nothing is asked of the others.
func (s *subject) conditions(needs []string) (all []Finding) {
	losses, others := *s, *s
	losses.kinds = []string{"loss"}
	others.slater, others.growth = &s.relaxed.slater, &s.relaxed.growth
	alone := len(s.plus) == 0 || s.found["FTRL condition"] == Fails
	for _, need := range needs {
		name, of, _ := strings.Cut(need, " of ")
		about := s
		switch {
		case of == "losses":
			about = &losses
		case of == "others" && !alone:
			about = &others
		case of == "others" || of == "all" && (alone || s.left() > 0):
			continue
		}
		all = append(all, about.judge(name))
	}
	return all
}

// words are the words of the cases, each with whether it is true.
func (s *subject) words() words {
	z, k, c, g, slopes := s.slater, s.growth, &s.Convergence, &s.Gamma, s.slopes()
	open, _ := s.penalties()
	above := func(a, b *float64) bool { return a != nil && b != nil && *a > *b }
	atMost := func(p *float64, most float64) bool { return p != nil && *p <= most }
	return words{
		"no constraints": s.Constraints == 0,
		"too short":      s.Rounds < shortest,
		"long enough":    s.Rounds >= long,

		"not convex":              s.convexity().Broken,
		"slopes grow":             slopes.bounded == Fails,
		"slopes are bounded":      slopes.bounded == Holds,
		"slopes have no exponent": slopes.Grows == nil,

		"no margin in expectation": z.none,
		"limit is unknown":         z.Limit == nil,
		"margin":                   z.Eta != nil,
		"no margin":                z.Eta == nil,
		"hopeless":                 !z.hopeful && s.Rounds >= shortest,
		"margin stays":             !z.gone() && !z.unclear && !z.late,
		"margin vanishes":          z.gone(),
		"margin shrinks":           z.Exponent != nil && *z.Exponent < -vanishing,
		"another margin stays":     z.Other != nil,
		"no other margin":          z.Other == nil,
		"Slater point fails":       z.Verdict == Fails,

		"still":               k.Still,
		"nothing is active":   k.Vacuous,
		"k is linear":         k.linear,
		"k is slower":         k.slower,
		"k is slower so far":  s.Rounds < long && atMost(k.Exponent, sublinear),
		"k stays":             k.Exponent != nil && *k.Exponent < vanishing,
		"k has no exponent":   k.Count != nil && k.Exponent == nil,
		"k has a lower bound": k.Lower != nil && *k.Lower > 0,
		"early averages cut":  k.Early,
		"tolerant":            k.Tolerant,

		"averages are constant":     c.Zero,
		"averages have no exponent": c.Value == nil,
		"rate is faster":            c.Rate == "faster",
		"rate is 1/√t":              c.Rate == "1/sqrt(t)",
		"rate is slower":            c.Rate == "slower",
		"rate is open":              c.Rate == "open",
		"drift":                     c.Drift,
		"one path":                  s.Paths == 1,

		"X̂^max is empty":     slices.Contains(s.Sets, Set{"xhat", true}),
		"all left out":        len(s.plus) == 0,
		"none left out":       s.left() == 0,
		"leaving out is open": open > 0,
		"fixed":               s.facts.Fixed,
		"iid":                 s.facts.IID && !s.facts.Fixed,
		"perturbed":           s.facts.Perturbed && !s.facts.Fixed && !s.facts.IID,

		"nothing to pay":            g.Sufficient == nil,
		"sufficient":                g.Sufficient != nil,
		"sufficient for a_T alone":  g.Sufficient == nil && g.Limit != nil,
		"necessary":                 g.Effective != nil,
		"no γ is enough":            g.Effective == nil,
		"γ is above the sufficient": above(&g.Used, g.Sufficient),
		"γ is above that for a_T":   above(&g.Used, g.Limit),
		"γ is below the necessary":  g.Effective == nil || *g.Effective > g.Used,

		"FTRL condition fails": s.found["FTRL condition"] == Fails,
		"theorem 1 applies":    s.found["theorem 1"] == Applies,
		"corollary 2 applies":  s.found["corollary 2"] == Applies,
	}
}

type words map[string]bool

// all reports whether all of these words are true. It panics on a word that it does not know.
func (w words) all(these []string) bool {
	for _, word := range these {
		if is, known := w[word]; !known {
			panic(fmt.Sprintf("diagnosis: theory.yaml has the word %q", word))
		} else if !is {
			return false
		}
	}
	return true
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

// fact returns the first fact for which the function is true, or else an empty one.
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
			kind := strings.TrimSuffix(f.Name, "_lipschitz")
			return f.bounded == v && slices.Contains(s.kinds, kind)
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

// gone reports whether the margin at z vanishes, and none at another point stays.
func (s *Slater) gone() bool { return s.vanishes && s.Other == nil }
