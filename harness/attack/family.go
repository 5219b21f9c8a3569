package attack

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"ocobench/harness/experiment"
	"ocobench/harness/experiment/spec"
)

// A family turns a point of ℝⁿ, which the search moves, into the SPEC of an instance. There
// are families of the parameters of a registered problem ([parameterFamily]), of schedules
// ([scheduleFamilyFor]), and of the single rounds of a schedule ([Search.roundsFamily]).

// family maps points of ℝ^dim to instances.
type family struct {
	name string // in progress and in findings
	dim  int
	// specAt returns the SPEC of the instance at a point, or "" if there is none.
	specAt func(u []float64) string
}

// randomStart draws a uniform point of [0, 1]^dim, at which a search begins. The search may leave
// the cube; [triangleWave] reflects it back.
func (f *family) randomStart(rng *rand.Rand) []float64 {
	u := make([]float64, f.dim)
	for i := range u {
		u[i] = rng.Float64()
	}
	return u
}

// triangleWave maps a number to [0, 1] by reflecting it at 0 and at 1: 1.2 becomes 0.8, and 2.1
// becomes 0.1. Clamping instead would let the search pile up at the bounds.
func triangleWave(u float64) float64 {
	u = math.Abs(math.Mod(u, 2))
	if u > 1 {
		u = 2 - u
	}
	return u
}

// formatNumber writes a parameter with five digits: instances are read by people, and two
// architectures may differ in the last digits of a float64.
func formatNumber(v float64) string {
	return strconv.FormatFloat(v, 'g', 5, 64)
}

// interpolate maps [0, 1] to a range, geometrically where it spans a factor of 10.
func interpolate(u, low, high float64) float64 {
	u = triangleWave(u)
	if low > 0 && high >= 10*low {
		return low * math.Pow(high/low, u)
	}
	return low + float64((high-low)*u)
}

// parameterFamily returns the family of a registered problem with ranges of parameters, low..high
// in place of a value.
func parameterFamily(c experiment.Catalog, text string) (*family, error) {
	u, err := spec.ParseSpec(text)
	if err != nil {
		return nil, err
	}
	type span struct {
		arg       int // the index of the argument
		low, high float64
		integer   bool
	}
	var spans []span
	integers := make(map[string]bool)
	for _, p := range c.Problems {
		if p.Name == u.Name {
			for _, q := range spec.Describe(p.Params) {
				integers[q.Name] = q.Type == "integer"
			}
		}
	}
	for i, a := range u.Args {
		lower, upper, ok := strings.Cut(a.Value.Text, "..")
		if !ok {
			continue
		}
		low, err := strconv.ParseFloat(lower, 64)
		if err == nil {
			var high float64
			if high, err = strconv.ParseFloat(upper, 64); err == nil && !(low < high) {
				err = fmt.Errorf("%v is not less than %v", low, high)
			}
			spans = append(spans, span{i, low, high, integers[a.Key]})
		}
		if err != nil {
			return nil, a.Value.Pos.Refuse(fmt.Errorf("%s: %q is no range (expected low..high): %w", a.Key,
				a.Value.Text, err))
		}
	}
	withValues := func(valueOf func(s span) float64) spec.Use {
		use := u
		use.Args = slices.Clone(u.Args)
		for _, s := range spans {
			v := valueOf(s)
			if s.integer {
				v = math.Round(v)
			}
			use.Args[s.arg].Value.Text = formatNumber(v)
		}
		return use
	}
	// Both corners are tried now, so that a range that the problem refuses is reported at once.
	for _, end := range []func(s span) float64{
		func(s span) float64 { return s.low }, func(s span) float64 { return s.high },
	} {
		if _, err := c.ResolveProblems(withValues(end)); err != nil {
			return nil, err
		}
	}
	f := &family{name: text, dim: len(spans)}
	f.specAt = func(u []float64) string {
		k := 0
		use := withValues(func(s span) float64 { k++; return interpolate(u[k-1], s.low, s.high) })
		resolved, err := c.ResolveProblems(use)
		if err != nil || len(resolved) != 1 {
			return "" // a combination that the problem does not allow
		}
		return resolved[0].Spec
	}
	return f, nil
}
