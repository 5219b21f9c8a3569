package report

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"ocobench/harness/experiment"
	"ocobench/report/table"
	"ocobench/report/tex"
)

// A sweep is one parameter of a problem or of an algorithm that takes several values while all
// others stay the same. Horizons that an experiment sweeps over are not among these.
type sweep struct {
	param     string
	columns   []experiment.Entry // one entry for each value of the parameter, in their order
	ofProblem bool
}

// setSweeps sets the sweeps of an experiment, those of problems or, if it has none, those of
// algorithms, and unsweptProblems, the problems that are in no sweep.
func (v *analysisView) setSweeps() {
	var specs []string
	v.unsweptProblems = v.problemMembers
	if v.sweeps, specs = sweepsOf(v.problems); v.sweeps != nil {
		for _, s := range v.sweeps {
			s.ofProblem = true
		}
		v.unsweptProblems = membersNamed(v.problemMembers, specs)
		return
	}
	v.sweeps, _ = sweepsOf(v.Algorithms)
}

// sweepsOf returns a sweep for each set of entries that have a name in common and differ in one
// parameter, and the SPECs of all other entries. A set in which an entry has a label of its own,
// not the one that a swept parameter gives it, is no sweep.
func sweepsOf(entries []experiment.Entry) (sweeps []*sweep, rest []string) {
	byName := make(map[string][]experiment.Entry)
	for _, e := range entries {
		byName[e.Name] = append(byName[e.Name], e)
	}
	for _, e := range entries {
		namesakes := byName[e.Name]
		delete(byName, e.Name) // each name once, where its first entry is
		varying := experiment.Varying(namesakes)
		if len(varying) == 1 && !hasOwnLabel(namesakes, varying[0]) {
			sweeps = append(sweeps, &sweep{param: varying[0], columns: namesakes})
			continue
		}
		for _, e := range namesakes {
			rest = append(rest, e.Spec)
		}
	}
	return sweeps, rest
}

// hasOwnLabel reports whether some entry has a label that does not end with the value of the swept
// parameter.
func hasOwnLabel(entries []experiment.Entry, param string) bool {
	return slices.ContainsFunc(entries, func(e experiment.Entry) bool {
		return e.Label != "" && !labelHasValue(e, param)
	})
}

// sweepOf returns the sweep if these members, problems or algorithms, form exactly one, and else
// nil.
func (v *analysisView) sweepOf(d Dimension, members []member) *sweep {
	entries := v.problems
	if d == ByAlgorithm {
		entries = v.Algorithms
	}
	entries = slices.DeleteFunc(slices.Clone(entries), func(e experiment.Entry) bool {
		return !slices.ContainsFunc(members, func(k member) bool { return k.spec == e.Spec })
	})
	if sweeps, rest := sweepsOf(entries); len(sweeps) == 1 && rest == nil {
		return sweeps[0]
	}
	return nil
}

// onlyProblemSweep returns the sweep if all problems form exactly one, and else nil.
func (v *analysisView) onlyProblemSweep() *sweep {
	if len(v.sweeps) == 1 && v.sweeps[0].ofProblem && len(v.unsweptProblems) == 0 {
		return v.sweeps[0]
	}
	return nil
}

// labelHasValue reports whether the label of an entry names the value of a parameter, which was
// swept, such as gamma of "mine, gamma = 25".
func labelHasValue(e experiment.Entry, param string) bool { return labelStem(e, param) != e.Label }

// labelStem returns the label of an entry without the value of one swept parameter. A label names
// the values of all swept parameters at its end ([spec.Use.Expand]), and keeps those of the others:
// "mine, gamma = 25, kappa = 2" without gamma is "mine, kappa = 2".
func labelStem(e experiment.Entry, param string) string {
	begin := strings.LastIndex(e.Label, ", "+param+" = ")
	if begin < 0 {
		return e.Label
	}
	end := len(e.Label)
	if next := labelValue.FindStringIndex(e.Label[begin+1:]); next != nil {
		end = begin + 1 + next[0]
	}
	return e.Label[:begin] + e.Label[end:]
}

// labelValue matches the beginning of a swept value in a label.
var labelValue = regexp.MustCompile(`, [^ ,=]+ = `)

// entryWithout returns the entry with a parameter removed from its SPEC, its label and its
// parameters, as a name for all entries of a sweep.
func entryWithout(e experiment.Entry, param string) experiment.Entry {
	args := strings.Split(strings.TrimPrefix(strings.TrimPrefix(e.Spec, e.Name), ":"), ",")
	args = slices.DeleteFunc(args, func(arg string) bool { return strings.HasPrefix(arg, param+"=") })
	e.Spec, e.Label = strings.TrimSuffix(e.Name+":"+strings.Join(args, ","), ":"), labelStem(e, param)
	e.Params = paramsWithout(e.Params, param)
	return e
}

// paramsWithout returns the parameters of an entry, a JSON object, with one removed.
func paramsWithout(params json.RawMessage, name string) json.RawMessage {
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

// columnMembers returns the columns of the table of the sweep, named by the values of the
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
	of := textInSentence(entryWithout(s.columns[0], s.param))
	return joinTexts(table.Plain(" by "), table.Text{Plain: s.param, TeX: tex.ParamSymbol(s.param)},
		table.Plain(" of "), of)
}
