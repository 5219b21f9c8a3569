package convex

import (
	"runtime"
	"slices"
	"testing"
)

// What a sum or a program allocates is foreseen, within a tenth: in a large box or simplex, once
// a solution is inside.
func TestMemoryIsForeseen(t *testing.T) {
	const n = 800
	allocated := func(do func()) int64 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		do()
		runtime.ReadMemStats(&after)
		return int64(after.TotalAlloc - before.TotalAlloc)
	}
	box, _ := NewBox(make([]float64, n), slices.Repeat([]float64{1}, n))
	ball, _ := NewBall(make([]float64, n), 1)
	simplex, _ := NewSimplex(n, 1)
	inside := Prox{Weight: 1, Center: slices.Repeat([]float64{1. / n}, n)}
	x := make([]float64, n)
	for _, set := range []Set{box, ball, simplex} {
		for what, do := range map[string]func(){
			"a sum": func() {
				if s := NewSum(set); set != Set(ball) {
					s.AddHinge(1, &Form{Const: -2, Lin: slices.Repeat([]float64{1. / n}, n)})
					s.Minimize(x, inside)
				}
			},
			"a program": func() {
				if p := NewProgram(set); set != Set(ball) {
					p.Constrain(&Form{Const: -2, Lin: slices.Repeat([]float64{1. / n}, n)})
					p.Project(x, inside.Center)
				}
			},
		} {
			got, want := allocated(do), Memory(set)
			if got > want+want/10 || got < want-want/10 {
				t.Errorf("%s over a %T allocates %d bytes, want %d", what, set, got, want)
			}
		}
	}
	interval, _ := NewBox([]float64{0}, []float64{1})
	if got := Memory(interval); got != 0 {
		t.Errorf("an interval: got %d bytes, want 0", got)
	}
}
