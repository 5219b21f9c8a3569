package problems

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"testing"
)

// numbers returns the fields of parameters that are numbers or lists, those of embedded structs
// too, by their names.
func numbers(v reflect.Value, out map[string]reflect.Value) map[string]reflect.Value {
	for i := range v.NumField() {
		switch f, field := v.Field(i), v.Type().Field(i); {
		case field.Anonymous:
			numbers(f, out)
		case f.CanInt() || f.CanFloat() || f.Kind() == reflect.Slice:
			out[field.Tag.Get("name")] = f
		}
	}
	return out
}

// What is said of parameters that do not go together names them with the values that they have, and
// what is said to be more is more.
func TestRefusedParametersAreNamed(t *testing.T) {
	named := regexp.MustCompile(`([a-z-]+)[ =](-?\d[\d.e+-]*)`)
	more := regexp.MustCompile(`(-?\d[\d.e+-]*)[a-z ]* is more than [a-z-]+ (-?\d[\d.e+-]*)`)
	rng := rand.New(rand.NewPCG(49, 1))
	seen := make(map[string]int)
	for _, p := range All {
		if _, ok := p.Params.(interface{ Validate() error }); !ok {
			continue
		}
		for range 400 {
			params := reflect.New(reflect.TypeOf(p.Params)).Elem()
			params.Set(reflect.ValueOf(p.Params))
			fields := numbers(params, make(map[string]reflect.Value))
			for _, name := range slices.Sorted(maps.Keys(fields)) {
				f := fields[name]
				switch n := 1 + rng.IntN(9); {
				case f.CanInt():
					f.SetInt(int64(n))
				case f.CanFloat():
					f.SetFloat(float64(n) / 4)
				default:
					f.Set(reflect.MakeSlice(f.Type(), n/5, n/5))
				}
			}
			err := params.Interface().(interface{ Validate() error }).Validate()
			if err == nil {
				continue
			}
			for _, m := range named.FindAllStringSubmatch(err.Error(), -1) {
				if f, ok := fields[m[1]]; ok && fmt.Sprint(f.Interface()) != m[2] {
					t.Fatalf("%s: %v, where %s is %v", p.Name, err, m[1], f.Interface())
				}
				seen[m[1]]++
			}
			if m := more.FindStringSubmatch(err.Error()); m != nil {
				a, _ := strconv.ParseFloat(m[1], 64)
				b, _ := strconv.ParseFloat(m[2], 64)
				if seen["more"]++; !(a > b) {
					t.Fatalf("%s: %v", p.Name, err)
				}
			}
		}
	}
	for _, name := range []string{"zones", "floor", "margin", "slack", "low", "half", "dim",
		"functions", "more"} {
		if seen[name] < 20 {
			t.Errorf("%d refusals name %s", seen[name], name)
		}
	}
}
