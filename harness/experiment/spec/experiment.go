package spec

import (
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"ocobench/internal/input"
)

// Experiment holds the content of an experiment file. Describe(Defaults()) describes its keys.
type Experiment struct {
	Name        string   `name:"name" doc:"what results and files are called" required:"true"`
	Description string   `name:"description" doc:"what the experiment shows"`
	Horizon     []int    `name:"horizon" doc:"the number of rounds, or an increasing list: an across-T sweep" required:"true" min:"1" type:"integer or a list of integers"`
	Replicates  int      `name:"replicates" doc:"independent repetitions of every game" min:"1"`
	Seed        uint64   `name:"seed" doc:"from which all randomness is derived"`
	Window      float64  `name:"window" doc:"decades of t over which growth exponents are fitted" above:"0"`
	Confidence  float64  `name:"confidence" doc:"of every interval" above:"0" below:"1"`
	Assumptions string   `name:"assumptions" doc:"check: an algorithm is not played on a problem that does not meet its assumptions; ignore: it is, and marked" enum:"check,ignore"`
	Metrics     []string `name:"metrics" doc:"what page, figures and tables show; on request: violation_ccv, violation_norm, movement, regret_dynamic, path_length, constraint_variation, and what learners show of themselves, such as state_queue, or state for all of it" type:"list of metrics"`
	Baseline    string   `name:"baseline" doc:"the algorithm that the others are compared with: its SPEC, label, or unique name; default: your own, else the first"`
	Problems    []Use    `name:"problems" doc:"the problems, or all; a parameter with a list of values is swept" required:"true" type:"list of {use: NAME, key: value} or the word all"`
	Algorithms  []Use    `name:"algorithms" doc:"the algorithms, or all, each played on every problem; others in the list stands for those that it does not name" required:"true" type:"list of {use: NAME, key: value} or the word all"`
	Feedback    []string `name:"feedback" doc:"what each algorithm sees of a round that does not say otherwise, all of first-order feedback; a list is swept" enum:"first-order,two-point" type:"first-order, two-point or a list of them"`
	Tuned       []Use    `name:"tuned" doc:"the grids that parameters were chosen from, as bench tune writes them" type:"list of {use: NAME, key: list}"`
	Attack      []Use    `name:"attack" doc:"what bench attack was asked and has found, as it writes it" type:"list of {use: GOAL, key: value}"`
	Tuning
}

// Tuning says on which games bench tune chose parameters. Horizon and replicates are 0 if the file
// does not name them, as files of version 0.1 do not.
type Tuning struct {
	TuningSeed       uint64 `name:"tuning_seed" json:"tuning_seed,omitempty" doc:"the seed on which they were chosen, not the one of the experiment"`
	TuningHorizon    int    `name:"tuning_horizon" json:"tuning_horizon,omitempty" doc:"the number of rounds on which they were chosen" min:"0"`
	TuningReplicates int    `name:"tuning_replicates" json:"tuning_replicates,omitempty" doc:"the replicates on which they were chosen" min:"0"`
}

// All names a [Use] that stands for every algorithm, or every problem, of the program that runs
// the experiment, at its defaults.
const All = "all"

// Others names a [Use] in a list that stands for every algorithm, or every problem, that no other
// use of the list names, at its defaults.
const Others = "others"

// IsWord reports whether a name is [All] or [Others], so that its [Use] stands for several entries.
func IsWord(name string) bool { return name == All || name == Others }

// OnRequest lists the metrics that an experiment has only if its key metrics names them, or an
// algorithm or a problem brings them: dynamic regret of a claim, or a declared comparator.
var OnRequest = []string{"regret_declared", "regret_dynamic", "violation_ccv", "violation_norm",
	"movement", "path_length", "constraint_variation"}

// Metrics lists the metrics that the key metrics of an experiment may name.
var Metrics = []string{"loss", "regret_xmin", "regret_xhat", "regret_xmax", "regret_xe",
	"regret_declared", "regret_dynamic", "violation_signed", "violation_soft", "violation_running",
	"violation_hard", "violation_penalty", "violation_squared", "violation_max", "violation_ccv",
	"violation_norm", "movement", "path_length", "constraint_variation"}

// IsState reports whether a name stands for what learners show of themselves: state for all of it,
// or one such as state_queue.
func IsState(name string) bool { return stateName.MatchString(name) }

// stateName matches state, and names such as state_queue.
var stateName = regexp.MustCompile(`^state(_[A-Za-z0-9]+)*$`)

// ParseUse reads a use as [Use.String] writes it: a name or {use: NAME, label: TEXT, key: value}.
func ParseUse(text string) (u Use, err error) {
	v, err := parseYAML("use", []byte("use: "+text))
	if err != nil {
		return u, err
	}
	if v.kind != mapping || len(v.Args) != 1 {
		return u, fmt.Errorf("%q is not a use", shorten(text))
	}
	err = decodeUse("use", v.Args[0].Value, reflect.ValueOf(&u).Elem()).sortedOrNil()
	return u, err
}

// Defaults returns an experiment with the default values of all keys.
func Defaults() Experiment {
	return Experiment{Replicates: 30, Seed: 1, Window: 2, Confidence: 0.95, Assumptions: "check"}
}

// Read returns the bytes of an experiment file, a regular file or a pipe of at most
// 256 KiB. The error does not name it.
func Read(file string) ([]byte, error) { return input.ReadFile(file, maxBytes) }

// Parse reads an experiment. File is its name in messages. Parse does not check the
// names and the parameters of problems and algorithms: see [Unknown], [Use.Expand]
// and [Use.Decode].
func Parse(file string, data []byte) (*Experiment, error) {
	v, err := parseYAML(file, data)
	if v.kind != mapping {
		return nil, err
	}
	e := Defaults()
	u := Use{Name: "experiment", Pos: v.Pos, Args: v.Args}
	errs := append(u.decode("key", reflect.ValueOf(&e).Elem(), nil), checkExperiment(v.Args)...)
	if err := Join(err, errs.sortedOrNil()); err != nil {
		return nil, err
	}
	e.spreadFeedback(v.Args)
	return &e, nil
}

// spreadFeedback adds the experiment's key feedback, if there is one, to each use of an algorithm
// that has no such key.
func (e *Experiment) spreadFeedback(args []Arg) {
	isFeedback := func(a Arg) bool { return a.Key == "feedback" }
	k := slices.IndexFunc(args, isFeedback)
	if k < 0 {
		return
	}
	for i, u := range e.Algorithms {
		if !slices.ContainsFunc(u.Args, isFeedback) {
			e.Algorithms[i].Args = append(slices.Clip(u.Args), args[k])
		}
	}
}

// checkExperiment checks the conditions that the types of the keys do not express.
func checkExperiment(args []Arg) (errs Errors) {
	indexOf := func(key string) int {
		return slices.IndexFunc(args, func(a Arg) bool { return a.Key == key })
	}
	for _, pair := range [][2]string{{"tuned", "tuning_seed"}, {"tuning_seed", "tuned"},
		{"tuning_horizon", "tuned"}, {"tuning_replicates", "tuned"}} {
		if k := indexOf(pair[0]); k >= 0 && indexOf(pair[1]) < 0 {
			errs = append(errs, args[k].Pos.errorAt(" (expected both, as bench tune writes them, or none)",
				"%s without %s", pair[0], pair[1]))
		}
	}
	for _, a := range args {
		switch a.Key {
		case "name":
			if fault, rule := experimentFault(a.Value.Text); isScalar(a.Value) && fault != "" {
				errs = append(errs, a.Value.Pos.errorAt(rule, "name: %q %s", shorten(a.Value.Text), fault))
			}
		case "metrics":
			items := a.Value.Items
			if isScalar(a.Value) {
				items = []Value{a.Value}
			}
			for i, item := range items {
				switch {
				case !isScalar(item): // refused when it is decoded
				case !slices.Contains(Metrics, item.Text) && !IsState(item.Text):
					errs = append(errs, Unknown("metric", item.Text, Metrics, item.Pos))
				case slices.ContainsFunc(items[:i], func(other Value) bool { return other.Text == item.Text }):
					errs = append(errs, item.Pos.errorAt(" (expected each metric once)", "metrics: %s twice",
						item.Text))
				}
			}
		case "horizon":
			last := 0
			for _, item := range a.Value.Items {
				t, err := ParseInt(item.Text)
				if err != nil || !isScalar(item) { // refused when it is decoded
					break
				}
				if t <= last && t > 0 {
					errs = append(errs, item.Pos.errorAt(" (expected each horizon once, in increasing order)",
						"horizon: %d after %d", t, last))
					break
				}
				last = t
			}
		}
	}
	return errs
}

// isScalar reports whether a value is neither null nor a list nor a mapping.
func isScalar(v Value) bool { return v.kind < null }

// decodeUse sets into, a Use, from the value v of the key name: a mapping, or the word all or
// others.
func decodeUse(name string, v Value, into reflect.Value) Errors {
	const expected = " (expected {use: NAME, key: value})"
	if isScalar(v) && IsWord(v.Text) {
		into.Set(reflect.ValueOf(Use{Name: v.Text, Pos: v.Pos}))
		return nil
	}
	if v.kind != mapping {
		tail := expected
		if isScalar(v) && nameSyntax.MatchString(v.Text) {
			tail = fmt.Sprintf(" (expected {use: %s})", v.Text)
			if word := nearestName(v.Text, []string{All, Others}); word != "" {
				tail = fmt.Sprintf("; did you mean %q?", word) + tail
			}
		}
		return Errors{v.Pos.errorAt(tail, "%s: found %v", name, v)}
	}
	i := slices.IndexFunc(v.Args, func(a Arg) bool { return a.Key == "use" })
	if i < 0 {
		return Errors{v.Pos.errorAt(expected, "%s: missing key \"use\"", name)}
	}
	used := v.Args[i].Value
	if !isScalar(used) {
		return Errors{used.Pos.errorAt(" (expected a name)", "use: found %v", used)}
	}
	if !nameSyntax.MatchString(used.Text) {
		return Errors{used.Pos.errorAt(" (expected a name; parameters are keys beside use)",
			"use: %q is not a name", shorten(used.Text))}
	}
	args := slices.Concat(v.Args[:i], v.Args[i+1:])
	label := ""
	if k := slices.IndexFunc(args, func(a Arg) bool { return a.Key == "label" }); k >= 0 {
		text := args[k].Value
		if !isScalar(text) || !IsLabel(text.Text) {
			return Errors{text.Pos.errorAt(fmt.Sprintf(" (expected a text of one line with at most %d "+
				"characters)", maxLabel), "label: found %v", text)}
		}
		label, args = text.Text, slices.Delete(args, k, k+1)
	}
	if IsWord(used.Text) && label != "" {
		return Errors{used.Pos.errorAt(" (expected a use of its own with the label)",
			"use: %s takes no label", used.Text)}
	}
	if IsWord(used.Text) && len(args) > 0 {
		return Errors{args[0].Pos.errorAt(fmt.Sprintf(" (expected %s, and another use with the "+
			"parameters)", used.Text), "use: %s takes no parameters", used.Text)}
	}
	into.Set(reflect.ValueOf(Use{Name: used.Text, Pos: used.Pos, Args: args, Label: label}))
	return nil
}

// maxLabel limits the characters of a label.
const maxLabel = 60

// IsLabel reports whether a text can be the label of a use.
func IsLabel(s string) bool {
	return s != "" && utf8.RuneCountInString(s) <= maxLabel && strings.TrimSpace(s) == s &&
		!strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) })
}

// maxSweep bounds the combinations of one use.
const maxSweep = 10000

// Expand returns one use for each combination of the swept parameters: a parameter is swept if its
// value is a list, or a list of lists if the parameter is a list. The last parameter varies
// fastest. A label names the swept values too. Defaults is the struct of parameters that Decode
// fills; every use returned decodes into a copy of it without error, or is open: see
// [Use.ApplyClosed].
func (u Use) Expand(defaults any) ([]Use, error) {
	fields, _ := fieldsOf(defaults)
	uses := []Use{{Name: u.Name, Pos: u.Pos, Label: u.Label}}
	var errs Errors
	for _, a := range u.Args {
		if len(errs) >= maxErrors {
			break
		}
		f, err := findField("parameter", fields, a)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		values, _ := f.sweptValues(a.Value)
		errs = append(errs, f.checkValues(values)...)
		if len(uses)*len(values) > maxSweep {
			errs = append(errs, a.Pos.errorAt(fmt.Sprintf(" (at most %d; split the experiment)", maxSweep),
				"%s: too many combinations", u.Name))
			break
		}
		next := make([]Use, 0, len(uses)*len(values))
		for _, use := range uses {
			for _, v := range values {
				args := append(slices.Clip(use.Args), Arg{Key: a.Key, Pos: a.Pos, Value: v})
				label := use.Label
				if label != "" && len(values) > 1 {
					label += ", " + a.Key + " = " + v.yaml()
				}
				next = append(next, Use{Name: u.Name, Pos: u.Pos, Args: args, Label: label})
			}
		}
		uses = next
	}
	if len(errs) > 0 {
		return nil, errs.sortedOrNil()
	}
	for _, use := range uses {
		if _, _, err := use.ApplyClosed(defaults); err != nil {
			return nil, err
		}
	}
	return uses, nil
}

// Swept returns the names of the parameters that u sweeps, in the order in which
// they are written. [Format] writes them whatever their values.
func (u Use) Swept(defaults any) (names []string) {
	fields, _ := fieldsOf(defaults)
	for _, a := range u.Args {
		if f, err := findField("parameter", fields, a); err == nil {
			if _, swept := f.sweptValues(a.Value); swept {
				names = append(names, a.Key)
			}
		}
	}
	return names
}

// sweptValues returns the values of the field that v stands for, and whether v sweeps them.
func (f field) sweptValues(v Value) (values []Value, swept bool) {
	swept = v.kind == list && len(v.Items) > 0
	if f.isList {
		swept = slices.ContainsFunc(v.Items, func(item Value) bool { return item.kind == list })
	}
	if swept {
		return v.Items, true
	}
	return []Value{v}, false
}

// checkValues refuses values that the field does not allow, and repeated values.
func (f field) checkValues(values []Value) (errs Errors) {
	seen := map[string]bool{}
	for _, v := range values {
		if len(errs) >= maxErrors {
			break
		}
		text := ""
		if e, err := f.readExpression(v); err != nil {
			errs = append(errs, err)
			continue
		} else if e != nil {
			text = e.String()
		} else {
			p := reflect.New(f.typ).Elem()
			if faults := f.decodeValue(v, p); len(faults) > 0 {
				errs = append(errs, faults...)
				continue
			}
			text = f.formatValue(p, quoteSpec)
		}
		if seen[text] {
			errs = append(errs, v.Pos.errorAt(" (expected each value once)", "%s: %s is swept twice", f.Name,
				shorten(text)))
		}
		seen[text] = true
	}
	return errs
}
