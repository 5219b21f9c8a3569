package report

import (
	"encoding/json"
	"slices"
	"strings"

	"ocobench/harness/experiment"
	"ocobench/report/table"
	"ocobench/report/tex"
	"ocobench/stats"
)

// A sweep is one parameter of a problem or of an algorithm that takes several values.
type sweep struct {
	param     string
	columns   []experiment.Entry // by the values of the parameter
	ofProblem bool
}

// findSweeps finds the sweeps of an experiment: those of problems or, if it has none, those of
// algorithms.
func (v *analysisView) findSweeps() {
	var specs []string
	v.unsweptProblems = v.problemMembers
	if v.sweeps, specs = findSweeps(v.problems); v.sweeps != nil {
		for _, s := range v.sweeps {
			s.ofProblem = true
		}
		v.unsweptProblems = membersNamed(v.problemMembers, specs)
		return
	}
	v.sweeps, _ = findSweeps(v.Algorithms)
}

// findSweeps returns the entries that have a name in common and differ in one parameter,
// and the SPECs of all others. Those that have labels of their own are no sweep.
func findSweeps(entries []experiment.Entry) (sweeps []*sweep, rest []string) {
	alike := make(map[string][]experiment.Entry)
	for _, e := range entries {
		alike[e.Name] = append(alike[e.Name], e)
	}
	for _, e := range entries {
		all := alike[e.Name]
		delete(alike, e.Name)
		if varying := experiment.Varying(all); len(varying) == 1 && !slices.ContainsFunc(all,
			func(e experiment.Entry) bool { return e.Label != "" && labelStem(e, varying[0]) == e.Label }) {
			sweeps = append(sweeps, &sweep{param: varying[0], columns: all})
			continue
		}
		for _, e := range all {
			rest = append(rest, e.Spec)
		}
	}
	return sweeps, rest
}

// sweepOf returns the sweep that some problems or algorithms are, or nil.
func (v *analysisView) sweepOf(d Dimension, some []member) *sweep {
	all := v.problems
	if d == ByAlgorithm {
		all = v.Algorithms
	}
	all = slices.DeleteFunc(slices.Clone(all), func(e experiment.Entry) bool {
		return !slices.ContainsFunc(some, func(k member) bool { return k.spec == e.Spec })
	})
	if sweeps, rest := findSweeps(all); len(sweeps) == 1 && rest == nil {
		return sweeps[0]
	}
	return nil
}

// sweepOfAll returns the sweep of a parameter that has all problems, or nil.
func (v *analysisView) sweepOfAll() *sweep {
	if len(v.sweeps) == 1 && v.sweeps[0].ofProblem && len(v.unsweptProblems) == 0 {
		return v.sweeps[0]
	}
	return nil
}

// labelStem returns the label of an entry without the value of the swept parameter, with which
// labels of a sweep end ([spec.Use.Expand]).
func labelStem(e experiment.Entry, param string) string {
	if k := strings.LastIndex(e.Label, ", "+param+" = "); k >= 0 {
		return e.Label[:k]
	}
	return e.Label
}

// withoutParam returns an entry that lacks a parameter.
func withoutParam(e experiment.Entry, param string) experiment.Entry {
	args := strings.Split(strings.TrimPrefix(strings.TrimPrefix(e.Spec, e.Name), ":"), ",")
	args = slices.DeleteFunc(args, func(arg string) bool { return strings.HasPrefix(arg, param+"=") })
	e.Spec, e.Label = strings.TrimSuffix(e.Name+":"+strings.Join(args, ","), ":"), labelStem(e, param)
	e.Params = withoutParameter(e.Params, param)
	return e
}

// withoutParameter returns the parameters of an entry without one.
func withoutParameter(params json.RawMessage, name string) json.RawMessage {
	all := make(map[string]json.RawMessage)
	if json.Unmarshal(params, &all) != nil {
		return params
	}
	delete(all, name)
	text, err := json.Marshal(all)
	if err != nil {
		return params
	}
	return text
}

// columnElements returns the columns of the table of the sweep, named by the values of the
// parameter.
func (s *sweep) columnMembers() (members []member) {
	for k, e := range s.columns {
		name := table.Text{Plain: s.columnHeading(k), TeX: tex.Param(s.param, e.Param(s.param)),
			CSV: []string{e.Spec}}
		members = append(members, member{name: name, spec: e.Spec})
	}
	return members
}

// columnHeading returns the heading of a column, such as c = 0.5.
func (s *sweep) columnHeading(k int) string { return s.param + " = " + s.columns[k].Param(s.param) }

// titleSuffix says by what the columns of a sweep go, such as " by c of Decaying frequency".
func (s *sweep) titleSuffix() table.Text {
	of := textInSentence(withoutParam(s.columns[0], s.param))
	return joinTexts(table.Plain(" by "), table.Text{Plain: s.param, TeX: tex.ParamSymbol(s.param)},
		table.Plain(" of "), of)
}

// anyCompared reports whether a table of [againstBaseline] has a comparison.
func anyCompared(t *table.Table) bool {
	return cellsContain([]*table.Table{t}, less) || cellsContain([]*table.Table{t}, more) ||
		cellsContain([]*table.Table{t}, stats.Undecided.Sign())
}
