package probtest

import (
	"fmt"
	"math"
	"reflect"
	"slices"

	"ocobench/convex"
	"ocobench/problems"
)

// checkOverwriting compares a stream with its twin, whose rounds and sets are overwritten as soon
// as they have been read. Afterwards it compares a new stream with another one.
func checkOverwriting(p *problemUnderTest) error {
	honest, err := p.newReader(1, nil)
	if err != nil {
		return err
	}
	victim, err := p.newReader(1, nil)
	if err != nil {
		return err
	}
	n := roundsChecked(honest.stream, maxRounds/2)
	overwriteReachable(victim.stream.Set())
	means, want := expectationValues(victim)
	for t := 1; t <= n; t++ {
		if !slices.Equal(victim.next(), honest.next()) {
			return fmt.Errorf("round %d is another one where the rounds before and the set were overwritten",
				t)
		}
		overwriteReachable(victim.round)
		overwriteReachable(victim.stream.Set())
		if !slices.Equal(valuesAt(means, victim.points), want) {
			return fmt.Errorf("the expectation is another one where round %d was overwritten", t)
		}
	}
	dim := len(honest.points[0])
	a, b := make([]float64, dim), make([]float64, dim)
	for _, x := range honest.points {
		for i := range x {
			x[i] = 3*x[i] + 1
		}
		honest.stream.Set().Project(a, x)
		victim.stream.Set().Project(b, x)
		if !slices.Equal(a, b) {
			return fmt.Errorf("the set is another one where what Set returned was overwritten: %v is "+
				"projected to %v, not to %v", x, b, a)
		}
	}
	fresh, err := p.newReader(1, nil)
	if err != nil {
		return err
	}
	if honest, err = p.newReader(1, nil); err != nil {
		return err
	}
	if t := firstDifference(fresh, honest, n); t > 0 {
		return fmt.Errorf("round %d of a new stream is another one where the rounds of an old one were "+
			"overwritten", t)
	}
	return nil
}

// expectationValues returns the expectations that a stream declares, and their values at the points
// of the reader.
func expectationValues(r *streamReader) (means []convex.Func, at []float64) {
	if e, ok := r.stream.(problems.Expecter); ok {
		means = e.Expectation()
	}
	return means, valuesAt(means, r.points)
}

// valuesAt returns the values of every function at every point, function after function.
func valuesAt(funcs []convex.Func, points [][]float64) (at []float64) {
	for _, f := range funcs {
		for _, x := range points {
			at = append(at, f.Value(x))
		}
	}
	return at
}

// overwriteReachable overwrites every number, text, element and pointer that can be reached from v
// through exported fields, as a learner could that is given v.
func overwriteReachable(v any) {
	seen := make(map[reflect.Value]bool)
	var visit func(v reflect.Value)
	visit = func(v reflect.Value) {
		switch v.Kind() {
		case reflect.Interface:
			visit(v.Elem())
		case reflect.Pointer:
			if v.IsNil() || seen[v] {
				return
			}
			seen[v] = true
			visit(v.Elem())
		case reflect.Struct:
			for i := range v.NumField() {
				// Exported fields of an embedded struct can be reached, whatever
				// its name.
				if f := v.Type().Field(i); f.IsExported() || f.Anonymous && f.Type.Kind() == reflect.Struct {
					visit(v.Field(i))
				}
			}
		case reflect.Slice:
			whole := v.Slice(0, v.Cap())
			for i := range whole.Len() {
				visit(whole.Index(i))
			}
		case reflect.Array:
			for i := range v.Len() {
				visit(v.Index(i))
			}
		case reflect.Map:
			for _, k := range v.MapKeys() {
				visit(v.MapIndex(k))
			}
			v.Clear()
		}
		switch {
		case !v.CanSet():
		case v.CanFloat():
			v.SetFloat(math.Pi * 1e3)
		case v.CanInt():
			v.SetInt(100)
		case v.CanUint():
			v.SetUint(100)
		case v.Kind() == reflect.Struct: // its fields have been seen to
		default:
			v.SetZero()
		}
	}
	visit(reflect.ValueOf(v))
}
