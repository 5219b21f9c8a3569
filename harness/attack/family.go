package attack

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"ocobench/harness/experiment"
	"ocobench/harness/experiment/spec"
	"ocobench/problems"
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

// A parameterRange is a range low..high in place of the value of an argument of a SPEC.
type parameterRange struct {
	arg       int // the index of the argument
	low, high float64
	integer   bool
}

// parameterFamily returns the family of a registered problem with ranges of parameters, low..high
// in place of a value.
func parameterFamily(c experiment.Catalog, text string) (*family, error) {
	u, err := spec.ParseSpec(text)
	if err != nil {
		return nil, err
	}
	ranges, err := parseRanges(c, u)
	if err != nil {
		return nil, err
	}
	withValues := func(valueOf func(k int) float64) spec.Use {
		use := u
		use.Args = slices.Clone(u.Args)
		for k, r := range ranges {
			v := valueOf(k)
			if r.integer {
				v = math.Round(v)
			}
			use.Args[r.arg].Value.Text = formatNumber(v)
		}
		return use
	}
	// Both corners are tried now, so that a range that the problem refuses is reported at once.
	for _, corner := range []func(k int) float64{
		func(k int) float64 { return ranges[k].low }, func(k int) float64 { return ranges[k].high },
	} {
		if _, err := c.ResolveProblems(withValues(corner)); err != nil {
			return nil, err
		}
	}
	specAt := func(u []float64) string {
		resolved, err := c.ResolveProblems(withValues(func(k int) float64 {
			return interpolate(u[k], ranges[k].low, ranges[k].high)
		}))
		if err != nil || len(resolved) != 1 {
			return "" // a combination that the problem does not allow
		}
		return resolved[0].Spec
	}
	return &family{name: text, dim: len(ranges), specAt: specAt}, nil
}

// parseRanges returns the ranges among the arguments of a registered problem.
func parseRanges(c experiment.Catalog, u spec.Use) (ranges []parameterRange, err error) {
	isInteger := make(map[string]bool)
	if p, ok := problems.Lookup(c.Problems, u.Name); ok {
		for _, q := range spec.Describe(p.Params) {
			isInteger[q.Name] = q.Type == "integer"
		}
	}
	for i, a := range u.Args {
		lower, upper, isRange := strings.Cut(a.Value.Text, "..")
		if !isRange {
			continue
		}
		low, errLow := strconv.ParseFloat(lower, 64)
		high, errHigh := strconv.ParseFloat(upper, 64)
		err := cmp.Or(errLow, errHigh)
		if err == nil && !(low < high) {
			err = fmt.Errorf("%v is not less than %v", low, high)
		}
		if err != nil {
			return nil, a.Value.Pos.Refuse(fmt.Errorf("%s: %q is no range (expected low..high): %w", a.Key,
				a.Value.Text, err))
		}
		ranges = append(ranges, parameterRange{i, low, high, isInteger[a.Key]})
	}
	return ranges, nil
}
