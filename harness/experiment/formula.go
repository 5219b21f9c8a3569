package experiment

import (
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strings"

	"ocobench/algorithms"
	"ocobench/convex"
	"ocobench/harness/experiment/spec"
)

// A program that is not written in Go states its bound as a formula in t, such as 2*Δ*G*sqrt(t), in
// the syntax of expressions. A record keeps the text, so that the bound can be evaluated without
// the program.

// ReadBound reads a formula of a bound b(t), for [algorithms.Claim.Bound]. It may name t, the
// variables of expressions ([spec.Variables]), the numbers of [convex.Facts] as its JSON names
// them, and parameters, with _ for what cannot be in a name. A number that a problem does not
// declare is an error of the bound. The bound is +Inf where the formula is no finite number.
func ReadBound(text string, params map[string]float64) (
	func(algorithms.Setup) (func(t int) float64, error), error,
) {
	parameters := make(map[string]float64)
	for name, v := range params {
		parameters[strings.NewReplacer("-", "_", ".", "_").Replace(name)] = v
	}
	gameNames := append([]string{"t"}, slices.Sorted(maps.Keys(factNumbers(convex.Facts{})))...)
	names := slices.Concat(gameNames, slices.Sorted(maps.Keys(parameters)))
	used, value, err := spec.ParseExpression(text, names...)
	if err != nil {
		return nil, err
	}
	for _, v := range spec.Variables {
		gameNames = append(gameNames, v.Name)
	}
	for _, name := range used {
		if _, parameter := parameters[name]; parameter && slices.Contains(gameNames, name) {
			return nil, fmt.Errorf("%q: %s is a parameter and a number of the game; give the parameter "+
				"another name", text, name)
		}
	}
	return func(s algorithms.Setup) (func(t int) float64, error) {
		values := maps.Clone(parameters)
		for name, v := range factNumbers(s.Facts) {
			if v > 0 {
				values[name] = v
			}
		}
		maps.Copy(values, Variables(s))
		for _, name := range used {
			if _, ok := values[name]; !ok && name != "t" {
				return nil, fmt.Errorf("the problem declares no %s", name)
			}
		}
		return func(t int) float64 {
			atRound := maps.Clone(values)
			atRound["t"] = float64(t)
			b := value(atRound)
			if math.IsNaN(b) || math.IsInf(b, 0) {
				b = math.Inf(1)
			}
			return b
		}, nil
	}, nil
}

// factNumbers returns the fields of facts that are numbers, by the names that their JSON has.
func factNumbers(f convex.Facts) map[string]float64 {
	all := make(map[string]float64)
	for field, v := range reflect.ValueOf(f).Fields() {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		switch v.Kind() {
		case reflect.Float64:
			all[name] = v.Float()
		case reflect.Int:
			all[name] = float64(v.Int())
		}
	}
	return all
}
