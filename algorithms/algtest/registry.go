package algtest

import (
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"ocobench/algorithms"
)

var (
	kebabCase    = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)
	placeInPaper = regexp.MustCompile(`(?i)\b(theorem|corollary|lemma|proposition|equation|eq\.|algorithm|update|section|summary)|§`)
)

// Registry returns an error with every fault of the entries of a registry, one a line, or nil.
func Registry(list []algorithms.Algorithm) error {
	var faults []error
	seen := map[string]bool{}
	for _, a := range list {
		if seen[a.Name] {
			faults = append(faults, fmt.Errorf("%s: the name is there twice", a.Name))
		}
		seen[a.Name] = true
		for _, err := range append(entryFaults(a), parameterFaults(a.Params)...) {
			faults = append(faults, fmt.Errorf("%s: %w", a.Name, err))
		}
	}
	return errors.Join(faults...)
}

// entryFaults returns every fault of the fields of an entry.
func entryFaults(a algorithms.Algorithm) (faults []error) {
	demand := func(ok bool, format string, args ...any) {
		if !ok {
			faults = append(faults, fmt.Errorf(format, args...))
		}
	}
	demand(kebabCase.MatchString(a.Name), "the name %q is not of lower-case words joined by dashes",
		a.Name)
	demand(a.Name != "all" && a.Name != "others",
		"in experiments the name %s stands for every entry, or every other one", a.Name)
	demand(a.Doc != "" && !strings.Contains(a.Doc, "\n") && !strings.HasSuffix(a.Doc, "."),
		"Doc %q is not one sentence without a full stop", a.Doc)
	demand(placeInPaper.MatchString(a.Reference),
		"Reference %q names no theorem, equation, algorithm or section", a.Reference)
	demand(a.Version >= 1, "Version is %d, want ≥ 1", a.Version)
	demand(slices.Contains([]algorithms.Feedback{
		algorithms.FirstOrder, algorithms.FirstOrderPlus, algorithms.FullInfo, algorithms.TwoPoint,
	}, a.Feedback), "unknown Feedback %q", a.Feedback)
	_, hasDoubling := withDoubling(a, true)
	demand(!a.Anytime || !hasDoubling, "it is anytime and embeds Epochs, which is for algorithms "+
		"that need the horizon")
	demand(a.Cost != "", "Cost is missing")
	demand(a.New != nil, "New is missing")
	for _, s := range a.Assumes {
		demand(strings.TrimSpace(s.Name) != "", "an empty assumption")
	}

	regrets, dynamic, violations := 0, 0, 0
	_, hasMethod := a.Params.(interface{ Claims() []algorithms.Claim })
	demand(!hasMethod || a.Claims == nil, "it has both of the field Claims and parameters with a "+
		"method Claims")
	for _, c := range a.ClaimsOf(a.Params) {
		switch {
		case slices.Contains(algorithms.Regrets, c.Metric):
			regrets++
		case slices.Contains(algorithms.Violations, c.Metric):
			violations++
		case slices.Contains(algorithms.DynamicRegrets, c.Metric):
			dynamic++
		default:
			demand(false, "a claim about the unknown metric %q, want one of %v", c.Metric,
				slices.Concat(algorithms.Regrets, algorithms.DynamicRegrets, algorithms.Violations))
		}
		demand(c.Bound == nil || c.Moving == nil, "the claim about %s has both of Bound and Moving",
			c.Metric)
		demand(c.Proven() != (c.NoBound != ""),
			"the claim about %s has not exactly one of Bound and NoBound", c.Metric)
		demand(c.Proven() == (c.Formula != ""),
			"the claim about %s has not both of Bound and Formula, or neither", c.Metric)
		demand(c.Growth == "" || c.Exponent == 0 && c.Log == 0,
			"the claim about %s has both of Growth and an exponent", c.Metric)
		demand(c.Exponent >= 0 && c.Exponent <= 1 && c.Log >= 0,
			"the claim %s = O(t^%v log^%v) is not a rate between 1 and t", c.Metric, c.Exponent, c.Log)
	}
	demand(regrets <= 1, "%d claims about regret, want one at most", regrets)
	demand(dynamic <= 1, "%d claims about dynamic regret, want one at most", dynamic)
	demand(violations <= 1, "%d claims about violation, want one at most", violations)
	return faults
}

// parameterFaults returns every fault of the struct of default parameters: of the names, texts and
// limits that the tags of its fields give.
func parameterFaults(params any) (faults []error) {
	if params == nil {
		return nil
	}
	v := reflect.ValueOf(params)
	if v.Kind() != reflect.Struct {
		return []error{fmt.Errorf("a %T for Params, want a struct", params)}
	}
	seen := map[string]bool{}
	for _, f := range reflect.VisibleFields(v.Type()) {
		tag := f.Tag
		if f.Anonymous && tag == "" { // its fields are visible themselves
			continue
		}
		demand := func(ok bool, format string, args ...any) {
			if !ok {
				faults = append(faults, fmt.Errorf("parameter %s %s", f.Name, fmt.Sprintf(format, args...)))
			}
		}
		name := tag.Get("name")
		demand(f.IsExported(), "is not exported")
		demand(kebabCase.MatchString(name),
			"has the name %q, want lower-case words joined by dashes", name)
		demand(name != "feedback", "has the name of a setting")
		demand(!seen[name], "has the name of another one, %q", name)
		demand(tag.Get("doc") != "", "has no doc")
		seen[name] = true
		if enum, ok := tag.Lookup("enum"); ok {
			demand(slices.Contains(strings.Split(enum, ","), v.FieldByIndex(f.Index).String()),
				"has the default %q, which is none of %s", v.FieldByIndex(f.Index), enum)
		}
		x, number := numberOf(v.FieldByIndex(f.Index))
		for _, bound := range limitTags {
			text, ok := tag.Lookup(bound.tag)
			if !ok {
				continue
			}
			b, err := strconv.ParseFloat(text, 64)
			demand(err == nil, "has a tag %s:%q that is not a number", bound.tag, text)
			demand(!number || tag.Get("required") == "true" || bound.holds(x, b),
				"has the default %v, against its tag %s:%q", v.FieldByIndex(f.Index), bound.tag, text)
		}
	}
	return faults
}

// limitTags lists the tags of a field that limit its value.
var limitTags = []struct {
	tag   string
	holds func(x, bound float64) bool
}{
	{"min", func(x, b float64) bool { return x >= b }},
	{"above", func(x, b float64) bool { return x > b }},
	{"max", func(x, b float64) bool { return x <= b }},
	{"below", func(x, b float64) bool { return x < b }},
}

// numberOf returns the value of a field that is a number; ok is false for lists and texts.
func numberOf(v reflect.Value) (x float64, ok bool) {
	switch {
	case v.CanFloat():
		return v.Float(), true
	case v.CanInt():
		return float64(v.Int()), true
	case v.CanUint():
		return float64(v.Uint()), true
	}
	return 0, false
}
