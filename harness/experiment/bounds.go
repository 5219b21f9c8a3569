package experiment

import (
	"maps"
	"slices"
	"strconv"

	"ocobench/algorithms"
	"ocobench/harness/experiment/spec"
)

// Claims returns the claims of a recorded algorithm with the bounds of this
// program: a record keeps the formula of a bound, and the catalog its function. A
// bound whose formula is another one in the catalog is left out. The formula of another
// program is read, so that it needs no catalog.
func (c Catalog) Claims(a Entry) []algorithms.Claim {
	claims := slices.Clone(a.Claims)
	u, err := spec.ParseSpec(a.Spec)
	if err != nil {
		return claims
	}
	known, err := c.ResolveAlgorithms(u)
	if err != nil || len(known) != 1 || known[0].Resolved() != string(a.Params) {
		if a.Flag != "" {
			a.readBounds(claims)
		}
		return claims
	}
	for _, today := range known[0].OwnClaims() {
		for i := range claims {
			if claims[i].Metric == today.Metric &&
				(claims[i].Formula == today.Formula || len(known[0].open) > 0) {
				claims[i].Bound, claims[i].Moving = today.Bound, today.Moving
			}
		}
	}
	return claims
}

// readBounds reads the bounds of the claims of another program from their formulas. A parameter
// that is an expression has the value of the game that a bound is asked about.
func (e Entry) readBounds(claims []algorithms.Claim) {
	numbers, open := make(map[string]float64), make(map[string]string)
	for name, text := range e.allParams() {
		if v, err := strconv.ParseFloat(string(text), 64); err == nil {
			numbers[name] = v
		} else if e, err := strconv.Unquote(string(text)); err == nil {
			open[name] = e
		}
	}
	for i, claim := range claims {
		if claim.Formula == "" {
			continue
		}
		claims[i].Bound = func(s algorithms.Setup) (func(int) float64, error) {
			all := maps.Clone(numbers)
			for name, text := range open {
				if v, ok := evaluate(text, Variables(s)); ok {
					all[name] = v
				}
			}
			bound, err := ReadBound(claim.Formula, all)
			if err != nil {
				return nil, err
			}
			return bound(s)
		}
	}
}

// evaluate returns the value of an expression; ok is false if it is none, or a variable has no
// value.
func evaluate(text string, values map[string]float64) (v float64, ok bool) {
	names, value, err := spec.ParseExpression(text)
	if err != nil || slices.ContainsFunc(names, func(name string) bool {
		_, known := values[name]
		return !known
	}) {
		return 0, false
	}
	return value(values), true
}
