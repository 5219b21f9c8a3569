package screen

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"ocobench/convex/vec"
)

// plane is the row a·x + b.
type plane struct {
	a []float64
	b float64
}

func (p plane) at(x []float64) float64 { return vec.Dot(p.a, x) + p.b }

// audit returns what is wrong with a screen of these rows: every row is pending, or is in its
// level, or is not screened, and a cluster knows its rows and their deviations from its centre.
func audit(s *Screen, rows []plane) (wrong []string) {
	expect := func(ok bool, format string, args ...any) {
		if !ok {
			wrong = append(wrong, fmt.Sprintf(format, args...))
		}
	}
	sizes := make([]int, len(s.clusters))
	for i, l := range s.levelOf {
		k := s.clusterOf[i]
		c := s.clusters[k]
		sizes[k]++
		want := vec.Dist(rows[i].a, c.center)
		expect(math.Abs(want-s.deviation[i]) <= 1e-12*(c.size+vec.Norm(rows[i].a)),
			"row %d is %v from the centre, want %v", i, s.deviation[i], want)
		pending, placed := 0, l >= 0 && slices.Contains(s.levels[l].rows, int32(i))
		for _, j := range s.Pending {
			if int(j) == i {
				pending++
			}
		}
		expect(pending <= 1 && (pending == 1) == (l == notPlaced) && placed == (l >= 0),
			"row %d of level %d is pending %d times, and in that level: %v", i, l, pending, placed)
	}
	expect(len(s.levelOf) == len(rows), "there are %d rows, want %d", len(s.levelOf), len(rows))
	for k, c := range s.clusters {
		expect(c.rows == sizes[k], "cluster %d has %d rows, want %d", k, c.rows, sizes[k])
		expect(vec.Norm(c.center) == c.size, "centre %d has the size %v, want %v", k, c.size,
			vec.Norm(c.center))
	}
	return wrong
}

// No row changes its sign while it is in a level, for small steps, jumps and returns of x,
// while rows change, go and come. On segments of any
// length, the first row to change sign is found. Few rows are evaluated.
func TestNoChangeOfSignIsMissed(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	const n, most, steps = 4, 300, 1500
	for trial := range 8 {
		w := New(n, 1)
		var rows []plane
		sign := make([]bool, most)
		draw := func(i int) plane {
			p := plane{make([]float64, n), r.NormFloat64() / 3}
			for k := range p.a {
				p.a[k] = float64(k%2) + r.NormFloat64()/math.Sqrt(float64(1+i*trial))
			}
			return p
		}
		fill := func() {
			for len(rows) < most {
				rows = append(rows, draw(len(rows)))
				w.Add(rows[len(rows)-1].a)
				w.Recenter(func(i int) []float64 { return rows[i].a })
			}
		}
		fill()
		x, y, looked := make([]float64, n), make([]float64, n), 0
		for step := range steps {
			size := 1e-4
			switch {
			case step%100 == 0:
				size = 0.3
			case step%250 == 1:
				w.Truncate(most / 2)
				rows = rows[:most/2]
				fill()
			case step%50 == 2:
				i := r.IntN(most)
				rows[i] = draw(i)
				w.Change(i, rows[i].a)
			case step == steps/2:
				w.Reset()
				rows = rows[:0]
				fill()
			}
			for k := range x {
				x[k] = max(-1, min(1, x[k]+size*r.NormFloat64()))
			}
			w.Update(x, func(i int) (float64, bool) {
				looked++
				s := rows[i].at(x)
				sign[i] = s > 0
				return math.Abs(s), true
			})
			for i, p := range rows {
				if s := p.at(x); w.levelOf[i] >= 0 && (s > 0) != sign[i] {
					t.Fatalf("trial %d, step %d: row %d is %v, want its sign or an evaluation", trial, step, i, s)
				}
			}
			if wrong := audit(w, rows); step%10 == 2 && len(wrong) > 0 {
				t.Fatalf("trial %d, step %d: got faults %v, want none", trial, step, wrong)
			}
			direction := []float64{1, -1, r.Float64(), r.NormFloat64()}
			vec.AxpyTo(y, math.Pow(10, -float64(step%5)), direction, x)
			crossing := func(i int) float64 {
				s, end := rows[i].at(x), rows[i].at(y)
				if (s > 0) == (end > 0) {
					return math.Inf(1)
				}
				return s / (s - end)
			}
			want := None
			for i := range rows {
				if w.levelOf[i] >= 0 && crossing(i) < 1 && (want == None || crossing(i) < crossing(want)) {
					want = i
				}
			}
			got := w.FirstCrossing(y, func(i int) float64 {
				looked++
				return crossing(i)
			})
			if got != want {
				t.Fatalf("trial %d, step %d: row %d is first to change its sign, want %d", trial, step,
					got, want)
			}
		}
		if looked > steps*most/4 {
			t.Errorf("trial %d: %d evaluations, want at most %d", trial, looked, steps*most/4)
		}
	}
}

// Rows that are removed are not evaluated again, others have their numbers, and a row that is not
// screened is evaluated only when it is marked.
func TestRowsAreEvaluatedOnceWhereTheyAre(t *testing.T) {
	w := New(1, 1)
	for range 3 {
		w.Add([]float64{1})
	}
	expect := func(want []int, screened bool) {
		t.Helper()
		var seen []int
		w.Update([]float64{0.5}, func(i int) (float64, bool) { seen = append(seen, i); return 1, screened })
		if !slices.Equal(seen, want) {
			t.Errorf("%v are evaluated, want %v", seen, want)
		}
	}
	expect([]int{0, 1, 2}, true)
	w.Truncate(1)
	w.Add([]float64{2})
	w.MarkPending(0)
	expect([]int{1, 0}, true)
	expect(nil, true)
	w.MarkPending(1)
	expect([]int{1}, false)
	expect(nil, false)
	w.MarkPending(1)
	expect([]int{1}, true)
}
