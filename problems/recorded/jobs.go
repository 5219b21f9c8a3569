package recorded

import (
	"fmt"
	"slices"

	"ocobench/convex"
	"ocobench/convex/vec"
	"ocobench/internal/input"
)

// Jobs makes rounds of the prices c_{t,z} of power in zones, and of a demand. A server with
// power p ≤ P does h(p) = gain·log(1+rate·p) jobs, and a zone has N servers:
//
//	f_t = Σ_z c_{t,z}·(power of z),   g_t = demand_t − (jobs done)
//
// An action is the power of each zone, 0 ≤ x_z ≤ N·P. Every server has the same part of it, which
// is best since h is concave. With K > 0, K chords of h, between powers at which log(1+rate·p) is
// evenly spaced, replace it: an action has for each zone K powers 0 ≤ x_k ≤ N·(length of the k-th
// chord), and x_k does s_k·x_k jobs, s_k being the slope of the chord.
type Jobs struct {
	Servers           int // N
	Power, Gain, Rate float64
	Segments          int // K, 0 for h itself
}

// Read implements [Kind]. Own is the column of the demand, and Many are those of the prices.
func (j Jobs) Read(s *input.Sheet, c Columns) (*Import, error) {
	jobs := input.Column{
		Expected: "a number of jobs ≥ 0", Valid: func(v float64) bool { return v >= 0 },
	}
	if err := j.checkZoneCount(s, len(c.Many)); err != nil {
		return nil, err
	}
	read, err := c.read(s, jobs, input.Column{Expected: "a price"}, nil)
	if err != nil {
		return nil, err
	}
	// Columns without numbers have been left out.
	zones := len(read.names) - 1
	if err := j.checkZoneCount(s, zones); err != nil {
		return nil, err
	}
	read.addNote("%s: jobs that arrive; %s: prices", read.names[0], input.Few(read.names[1:], ", "))
	servers := float64(j.Servers) * float64(zones)
	fullPowerJobs := servers * j.Gain * vec.Log(1+float64(j.Rate*j.Power))
	var r *Import
	if j.Segments == 0 {
		r, err = j.exactRounds(read)
	} else {
		var gap float64
		r, gap, err = j.chordRounds(read)
		read.addNote("the chords do at most %.3g jobs a round less than the servers can, of "+
			"%.4g at full power", servers*gap, fullPowerJobs)
	}
	if err != nil {
		return nil, err
	}
	r.Notes = read.notes
	// The mean of demand − jobs is least at full power.
	r.budgetText = func(leastMean float64) string {
		return fmt.Sprintf("the demand is in jobs a round, %.4g on average, and all servers at full "+
			"power do %.4g", leastMean+fullPowerJobs, fullPowerJobs)
	}
	return r, nil
}

// checkZoneCount returns an error if there cannot be n zones.
func (j Jobs) checkZoneCount(s *input.Sheet, n int) error {
	switch {
	case n == 0:
		return fmt.Errorf("%s:1:1: there is no column of prices (expected one for each zone, "+
			"beside the demand)", s.Name)
	case n > MaxImported:
		return fmt.Errorf("%s:1:1: %d zones (expected at most %d; name them in --prices)", s.Name, n,
			MaxImported)
	case j.Segments > MaxImported/n:
		return fmt.Errorf("--segments: %d chords for each of %s make more than %d dimensions",
			j.Segments, input.Plural(n, "zone"), MaxImported)
	}
	return nil
}

// exactRounds makes rounds of h itself.
func (j Jobs) exactRounds(read *sheetNumbers) (*Import, error) {
	zones, n := len(read.names)-1, float64(j.Servers)
	domain, err := convex.NewBox(make([]float64, zones), slices.Repeat([]float64{n * j.Power}, zones))
	if err != nil {
		return nil, fmt.Errorf("--power or --servers: %w", err)
	}
	negativeJobs := convex.NewBasis(&convex.Separable{Curve: convex.NegLog{}, Weight: n * j.Gain,
		Rate: slices.Repeat([]float64{j.Rate / n}, zones), Offset: 1})
	r := newImport(read, domain, 1, func(line []float64) convex.Round {
		return convex.Round{Loss: &convex.Affine{A: line[1:]},
			Constraints: []convex.Func{&convex.Shifted{Base: negativeJobs, Shift: line[0]}}}
	})
	r.bases = []*convex.Basis{negativeJobs}
	return r, nil
}

// chordRounds makes rounds of K chords of h. largestGap is the largest number of jobs by which a
// chord is below h, for one server.
func (j Jobs) chordRounds(read *sheetNumbers) (r *Import, largestGap float64, err error) {
	gain, rate, power, n := j.Gain, j.Rate, j.Power, float64(j.Servers)
	zones, k := len(read.names)-1, j.Segments
	if rate*power < 1e-9 { // where 1 + rate·p has few digits of p left
		return nil, 0, fmt.Errorf("--rate: %v times the power %v is too small for chords (expected a "+
			"product ≥ 1e-9; below it h is nearly gain·rate·p)", rate, power)
	}
	var upper, constraintSlopes []float64
	logAtFullPower := vec.Log(1 + float64(rate*power))
	start := 0.0
	for i := range k {
		end := power
		if i+1 < k {
			end = (vec.Exp(logAtFullPower*float64(i+1)/float64(k)) - 1) / rate
		}
		slope := gain * (logAtFullPower / float64(k)) / (end - start)
		// The distance from the chord to h is largest at the power where their slopes are equal. Both
		// are counted from the start of the chord.
		powerOfGap := gain/slope - 1/rate
		jobs := float64(gain * vec.Log((1+float64(rate*powerOfGap))/(1+float64(rate*start))))
		gap := jobs - float64(slope*(powerOfGap-start))
		largestGap = max(largestGap, gap)
		upper = append(upper, n*(end-start))
		constraintSlopes = append(constraintSlopes, -slope)
		start = end
	}
	domain, err := convex.NewBox(make([]float64, zones*k), slices.Repeat(upper, zones))
	if err != nil {
		return nil, 0, fmt.Errorf("--power, --rate or --servers: %w", err)
	}
	constraintSlopes = slices.Repeat(constraintSlopes, zones)
	r = newImport(read, domain, 1, func(line []float64) convex.Round {
		prices := make([]float64, 0, zones*k)
		for _, price := range line[1:] {
			prices = append(prices, slices.Repeat([]float64{price}, k)...)
		}
		return convex.Round{Loss: &convex.Affine{A: prices},
			Constraints: []convex.Func{&convex.Affine{A: constraintSlopes, B: line[0]}}}
	})
	return r, largestGap, nil
}
