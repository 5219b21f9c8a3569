package experiment

import (
	"maps"
	"slices"
	"strconv"

	"ocobench/algorithms"
	"ocobench/harness/experiment/spec"
)

// Claims returns the claims of a recorded algorithm with functions for their bounds. A record keeps
// only the formula of a bound. For an algorithm of the catalog the function is taken from there, if
// the formula has not changed since; for one of another program the formula itself is parsed.
func (c Catalog) Claims(a Entry) []algorithms.Claim {
	claims := slices.Clone(a.Claims)
	u, err := spec.ParseSpec(a.Spec)
	if err != nil {
		return claims
	}
	known, err := c.ResolveAlgorithms(u)
	if err != nil || len(known) != 1 || known[0].Resolved() != string(a.Params) {
		if a.Flag != "" { // of another program, which the catalog does not have now
			a.readBounds(claims)
		}
		return claims
	}
	for _, current := range known[0].OwnClaims() {
		for i := range claims {
			// With expressions, the record has the formula with the numbers of one game, which is not
			// compared.
			if claims[i].Metric == current.Metric &&
				(claims[i].Formula == current.Formula || len(known[0].open) > 0) {
				claims[i].Bound, claims[i].Moving = current.Bound, current.Moving
			}
		}
	}
	return claims
}

// readBounds sets the bounds of the claims of another program by parsing their formulas. A
// parameter that is an expression is evaluated for the game that the bound is called for.
func (e Entry) readBounds(claims []algorithms.Claim) {
	numbers, expressions := make(map[string]float64), make(map[string]string)
	for name, text := range e.allParams() {
		if v, err := strconv.ParseFloat(string(text), 64); err == nil {
			numbers[name] = v
		} else if expression, err := strconv.Unquote(string(text)); err == nil {
			expressions[name] = expression
		}
	}
	for i, claim := range claims {
		if claim.Formula == "" {
			continue
		}
		claims[i].Bound = func(s algorithms.Setup) (func(int) float64, error) {
			params := maps.Clone(numbers)
			for name, text := range expressions {
				if v, ok := evaluateExpression(text, Variables(s)); ok {
					params[name] = v
				}
			}
			bound, err := ReadBound(claim.Formula, params)
			if err != nil {
				return nil, err
			}
			return bound(s)
		}
	}
}

// evaluateExpression returns the value of an expression; ok is false if the text is no expression,
// or names a variable that has no value.
func evaluateExpression(text string, values map[string]float64) (v float64, ok bool) {
	names, value, err := spec.ParseExpression(text)
	if err != nil || slices.ContainsFunc(names, func(name string) bool {
		_, known := values[name]
		return !known
	}) {
		return 0, false
	}
	return value(values), true
}
