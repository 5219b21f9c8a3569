package attack

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"ocobench/harness"
	"ocobench/harness/spec"
)

// family is a set of instances, a point of ℝ^dim each.
type family struct {
	name string // in progress and in findings
	dim  int
	// spec returns the SPEC of a point.
	spec func(u []float64) string
}

// start draws a generic point: the ranges are [0, 1], mirrored at both ends.
func (f *family) start(rng *rand.Rand) []float64 {
	u := make([]float64, f.dim)
	for i := range u {
		u[i] = rng.Float64()
	}
	return u
}

// mirror maps a number to [0, 1] so that no bound attracts: the identity there, and
// continued as a triangle wave.
func mirror(u float64) float64 {
	u = math.Abs(math.Mod(u, 2))
	if u > 1 {
		u = 2 - u
	}
	return u
}

// number writes a parameter with five digits: instances are to be read, and two
// architectures may differ in the last ones.
func number(v float64) string {
	return strconv.FormatFloat(v, 'g', 5, 64)
}

// between maps [0, 1] to a range, geometrically where it spans a factor of 10.
func between(u, low, high float64) float64 {
	u = mirror(u)
	if low > 0 && high >= 10*low {
		return low * math.Pow(high/low, u)
	}
	return low + float64((high-low)*u)
}

// slackOf maps [0, 1] to [margin, 1], with more of the small ones.
func slackOf(u, margin float64) float64 {
	u = mirror(u)
	return margin + float64((1-margin)*u*u)
}

// ranges is the family of a registered problem with ranges of parameters, low..high in
// place of a value.
func ranges(c harness.Catalog, text string) (*family, error) {
	u, err := spec.ParseSpec(text)
	if err != nil {
		return nil, err
	}
	type span struct {
		arg       int
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
			return nil, a.Value.Pos.Refuse(fmt.Errorf("%s: %q is no range (expected low..high): %w", a.Key, a.Value.Text, err))
		}
	}
	at := func(ends func(s span) float64) spec.Use {
		use := u
		use.Args = slices.Clone(u.Args)
		for _, s := range spans {
			v := ends(s)
			if s.integer {
				v = math.Round(v)
			}
			use.Args[s.arg].Value.Text = number(v)
		}
		return use
	}
	for _, end := range []func(s span) float64{func(s span) float64 { return s.low }, func(s span) float64 { return s.high }} {
		if _, err := c.Arenas(at(end)); err != nil {
			return nil, err
		}
	}
	f := &family{name: text, dim: len(spans)}
	f.spec = func(u []float64) string {
		k := 0
		use := at(func(s span) float64 { k++; return between(u[k-1], s.low, s.high) })
		arenas, err := c.Arenas(use)
		if err != nil || len(arenas) != 1 {
			return "" // a combination that the problem does not allow
		}
		return arenas[0].Spec
	}
	return f, nil
}

// shape says how the constraints of a schedule differ, for what algorithms assume.
type shape int

const (
	free     shape = iota // slopes and slack
	parallel              // slack only: one function plus numbers
	fixed                 // nothing
)

// schedules draws a family of the problem schedule: how many dimensions, functions and
// constraints there are, and by which laws they are chosen. The point of a family has
// the numbers. With growth, its instances may be indexed by the horizon, see
// [Question.indexed].
func schedules(rng *rand.Rand, dims []int, horizon int, growth bool, a assumptions) *family {
	pick := func(n int) int { return rng.IntN(n) }
	n, m, k := dims[pick(len(dims))], 1+pick(2), 1+pick(4)
	set := []string{"box", "ball"}[pick(2)]
	laws := []string{"turns", "rare"}
	if a.iid {
		laws = []string{"iid"}
	} else if !a.oblivious {
		laws = append(laws, "worst", "stages")
	}
	law := laws[pick(len(laws))]
	lossLaws := []string{"turns", "rare", "same"}
	if !a.oblivious {
		lossLaws = append(lossLaws, "worst")
	}
	lossLaw := lossLaws[pick(len(lossLaws))]
	if law == "stages" || law == "rare" {
		k = max(k, 2)
	}
	turning, lossTurning := n > 1 && pick(2) == 0 && a.shape == free && !a.iid, n > 1 && pick(2) == 0
	fading := pick(3) == 0 && !a.slater && a.shape != fixed && !a.iid
	quadratic, indexed := pick(3) == 0 && !a.affine, pick(2) == 0 && growth

	f := &family{name: fmt.Sprintf("schedule, n = %d (%s), m = %d, K = %d, losses %s, constraints %s", n, set, m, k, lossLaw, law)}
	if quadratic {
		f.name += ", quadratic"
	}
	if indexed {
		f.name += ", indexed by T"
	}
	differ, slacks := k*m, k*m // constraints that differ in more than slack, and in slack
	if a.shape != free {
		differ = m
	}
	if a.shape == fixed {
		slacks = m
	}
	f.dim = k*n + differ*n + slacks + n + 7
	if quadratic {
		f.dim += differ
	}
	if indexed {
		f.dim += 5
	}
	f.spec = func(u []float64) string {
		next := 0
		take := func() float64 { next++; return u[next-1] }
		vectors := func(numbers, repeat int) string {
			list := make([]string, numbers)
			for i := range list {
				list[i] = number(between(take(), -1, 1))
			}
			return "[" + strings.Join(slices.Repeat(list, repeat), ",") + "]"
		}
		losses := vectors(k*n, 1)
		gradients := vectors(differ*n, k*m/differ)
		slack := make([]string, slacks)
		for i := range slack {
			slack[i] = number(slackOf(take(), a.margin))
		}
		slackList := "[" + strings.Join(slices.Repeat(slack, k*m/slacks), ",") + "]"
		point := vectors(n, 1)
		// A law ticks from once to in every round, which is what is drawn: at the horizon, if
		// there are several, where the period grows by a power of them, at most that of the clock.
		clock := func() (period, power, growth float64) {
			ticks, power := between(take(), 1, float64(max(horizon, 10))), math.Round(10*between(take(), 0, 1))/10
			end := math.Log(float64(horizon))
			if power > 0 {
				end = (math.Pow(float64(horizon), power) - 1) / power
			}
			if indexed {
				growth = math.Round(100*power*mirror(take())) / 100
			}
			return max(end, 1) / ticks / math.Pow(float64(horizon), growth), power, growth
		}
		period, power, periodGrowth := clock()
		lossPeriod, lossPower, lossPeriodGrowth := clock()
		turn, lossTurn := 0.0, 0.0
		angle, lossAngle := between(take(), -1, 1), between(take(), -1, 1)
		if turning {
			turn = 3 * angle * math.Abs(angle)
		}
		if lossTurning {
			lossTurn = 3 * lossAngle * math.Abs(lossAngle)
		}
		last := take()
		var b strings.Builder
		fmt.Fprintf(&b, "schedule:dim=%d,set=%s,constraints=%d,functions=%d,losses=%s,slopes=%s,slack=%s,point=%s", n, set, m, k, losses, gradients, slackList, point)
		fmt.Fprintf(&b, ",loss-law=%s,law=%s,loss-period=%s,loss-power=%s,period=%s,power=%s", lossLaw, law, number(lossPeriod), number(lossPower), number(period), number(power))
		if quadratic {
			curved := make([]string, differ)
			for i := range curved {
				curved[i] = number(mirror(take()))
			}
			fmt.Fprintf(&b, ",quadratic=[%s]", strings.Join(slices.Repeat(curved, k*m/differ), ","))
		}
		if indexed {
			turnGrowth, lossTurnGrowth, slackGrowth := -mirror(take()), -mirror(take()), -mirror(take())
			if a.slater {
				slackGrowth = 0
			}
			fmt.Fprintf(&b, ",scale=%d,period-growth=%v,loss-period-growth=%v,turn-growth=%s,loss-turn-growth=%s,slack-growth=%s",
				horizon, periodGrowth, lossPeriodGrowth, number(turnGrowth), number(lossTurnGrowth), number(slackGrowth))
		}
		if a.curvature > 0 {
			fmt.Fprintf(&b, ",curvature=%s", number(a.curvature))
		}
		if turn != 0 {
			fmt.Fprintf(&b, ",turn=%s", number(turn))
		}
		if lossTurn != 0 {
			fmt.Fprintf(&b, ",loss-turn=%s", number(lossTurn))
		}
		switch {
		case law == "stages":
			fmt.Fprintf(&b, ",threshold=%s", number(between(last, -1, 1)))
		case fading:
			fmt.Fprintf(&b, ",fade=%s", number(mirror(last)))
		}
		return b.String()
	}
	return f
}
