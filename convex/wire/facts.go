package wire

import (
	"math"
	"reflect"
	"slices"
	"strings"

	"ocobench/convex"
)

// FactKeys are the names of the facts, in the order of the fields of [convex.Facts].
var FactKeys = factKeys()

// factKeys returns the names of all facts in JSON.
func factKeys() (names []string) {
	for i := range reflect.TypeFor[convex.Facts]().NumField() {
		name, _, _ := strings.Cut(reflect.TypeFor[convex.Facts]().Field(i).Tag.Get("json"), ",")
		names = append(names, name)
	}
	return names
}

// Facts reads an object of facts into f. It returns the keys that were there, as bits in the order
// of [FactKeys]: the other facts of f are as they were.
func (r *Reader) Facts(f *convex.Facts) (given uint) {
	facts := reflect.ValueOf(f).Elem()
	return r.Object("facts", FactKeys, func(key string) {
		what := "the fact " + key
		switch field := facts.Field(slices.Index(FactKeys, key)); field.Kind() {
		case reflect.Bool:
			field.SetBool(r.Bool(what))
		case reflect.Int:
			field.SetInt(int64(r.Integer(what, 0, math.MaxInt32, "")))
		default:
			at := r.At
			if v := r.Number(what); v < 0 {
				r.Fault(at, "%s is %v, expected a number ≥ 0", what, v)
			} else {
				field.SetFloat(v)
			}
		}
	})
}

// Facts writes the facts for which wanted holds, as an object. A fact is declared if it is not 0 or
// false.
func (w *Writer) Facts(f convex.Facts, wanted func(key string, declared bool) bool) {
	facts := reflect.ValueOf(f)
	sep := "{"
	for i, key := range FactKeys {
		v := facts.Field(i)
		if !wanted(key, !v.IsZero()) {
			continue
		}
		w.Text(sep + `"` + key + `":`)
		if v.Kind() == reflect.Float64 {
			w.Number(v.Float())
		} else {
			w.JSON(v.Interface())
		}
		sep = ","
	}
	if sep == "{" {
		w.Text(sep)
	}
	w.Text("}")
}
