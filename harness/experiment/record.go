package experiment

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"ocobench/algorithms"
	"ocobench/harness/experiment/spec"
	"ocobench/harness/game"
	"ocobench/harness/store"
	"ocobench/problems"
)

// Record holds what the store remembers of an experiment: enough to read its results without its
// specification.
type Record struct {
	Name        string  `json:"name"`
	Description string  `json:"description,omitempty"`
	Seed        uint64  `json:"seed"`
	Replicates  int     `json:"replicates"`
	Horizon     []int   `json:"horizon"`
	Window      float64 `json:"window"`
	Confidence  float64 `json:"confidence"`
	Algorithms  []Entry `json:"algorithms"`
	Problems    []Entry `json:"problems"`
	Unmet       []Unmet `json:"unmet,omitempty"`
	spec.Tuning
	// Metrics are the values of the key metrics in the experiment file; see [Record.Measured].
	Metrics []string `json:"metrics,omitempty"`
	// States are the recorded metrics that learners show of themselves, such as a dual variable.
	States []string `json:"states,omitempty"`
	// Baseline is the SPEC of the algorithm that the key baseline names.
	Baseline string       `json:"baseline,omitempty"`
	Cells    []RecordCell `json:"cells"`
}

// Entry describes an algorithm or a problem of a recorded experiment.
type Entry struct {
	Spec  string `json:"spec"`
	Label string `json:"label,omitempty"` // shown in place of the SPEC
	Name  string `json:"name"`
	// Flag is the flag of the command line that the entry came from, such as --external PROGRAM. It is
	// empty for an entry of the registry.
	Flag string `json:"flag,omitempty"`
	// FullName is a name for prose, such as "Penalised FTRL". A record has those of other programs
	// only, and an analysis adds those of the registry.
	FullName string          `json:"full_name,omitempty"`
	Params   json.RawMessage `json:"params"` // all of them, defaults included
	// Deterministic says that a problem draws no random number, so that one replicate is all there is.
	Deterministic bool `json:"deterministic,omitempty"`
	// Declares names the comparator set over which a problem itself declares a best fixed action: one
	// of the comparator sets, or "own" for another one. It is empty for most problems.
	Declares string `json:"declares,omitempty"`
	// Indexed says that the parameters of a problem depend on the horizon, so that a longer game does
	// not continue a shorter one, and growth is fitted across horizons.
	Indexed bool `json:"indexed,omitempty"`
	// Of an algorithm only:
	Draws   bool               `json:"draws,omitempty"` // random numbers
	Tuned   string             `json:"tuned,omitempty"` // the grid that it was chosen from
	Anytime bool               `json:"anytime,omitempty"`
	Claims  []algorithms.Claim `json:"claims,omitempty"`
	// Doc, Feedback and Assumes are known from where FullName is: a sentence, the feedback that an
	// algorithm uses, and what it assumes. Facts are what is true of the rounds of a problem, such as
	// "fixed constraints"; only an analysis has them.
	Doc      string              `json:"doc,omitempty"`
	Feedback algorithms.Feedback `json:"feedback,omitempty"`
	Assumes  []string            `json:"assumes,omitempty"`
	Facts    []string            `json:"facts,omitempty"`
	// Source names the store that an algorithm is from, in an analysis that joins two stores.
	Source string `json:"source,omitempty"`
}

// DescribeAlgorithm fills in what the declaration of the algorithm says in words.
func (e *Entry) DescribeAlgorithm(a algorithms.Algorithm) {
	e.FullName, e.Doc, e.Feedback, e.Assumes = a.Title, a.Doc, a.Feedback, a.AssumptionNames()
}

// declaresBest reports whether a problem declares a best fixed action itself.
func (e Entry) declaresBest() bool { return e.Declares != "" }

// LabelOrSpec returns the label, or the SPEC where there is none.
func (e Entry) LabelOrSpec() string {
	if e.Label != "" {
		return e.Label
	}
	return e.Spec
}

// Param returns a parameter as it is shown, or "" if there is none: a text without quotes unless it
// has characters that cannot be printed, and anything else as it stands in JSON.
func (e Entry) Param(name string) string {
	value := e.allParams()[name]
	var text string
	var texts []string
	if json.Unmarshal(value, &text) == nil {
		if strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) }) {
			return strconv.Quote(text)
		}
		return text
	} else if json.Unmarshal(value, &texts) != nil || len(texts) == 0 {
		return string(value)
	}
	for i, text := range texts {
		texts[i] = strconv.Quote(text)
	}
	return "[" + strings.Join(texts, ",") + "]"
}

// traceName is the name of the problem that plays a file of rounds.
const traceName = "trace"

// HasWindows reports whether the rounds are a window of a file of rounds, which the seed draws.
func (e Entry) HasWindows() bool {
	window := e.Param("window")
	return e.Name == traceName && window != "" && window != "0"
}

// Needs returns what the cells of a record need beside the program to be played again: the files of
// recorded rounds, and the flags that give programs or recorded actions.
func (r Record) Needs() (files, flags []string) {
	add := func(all []string, one string) []string {
		if one == "" || slices.Contains(all, one) {
			return all
		}
		return append(all, one)
	}
	for _, p := range r.Problems {
		if p.Name == traceName {
			files = add(files, p.Param("file"))
		}
	}
	for _, e := range slices.Concat(r.Algorithms, r.Problems) {
		flags = add(flags, e.Flag)
	}
	return files, flags
}

// allParams returns the parameters and the settings, which are recorded where they are not the
// defaults.
func (e Entry) allParams() map[string]json.RawMessage {
	params := map[string]json.RawMessage{
		feedbackKey: json.RawMessage(strconv.Quote(ownFeedback.Feedback)),
		combineKey:  json.RawMessage(strconv.Quote(ownCombination.Combine)),
	}
	if json.Unmarshal(e.Params, &params) != nil {
		return nil
	}
	return params
}

// Varies reports whether a parameter differs among the entries of one algorithm, or of one problem.
func (r Record) Varies(parameter string) bool {
	for _, entries := range [][]Entry{r.Algorithms, r.Problems} {
		for _, e := range entries {
			sameName := slices.DeleteFunc(slices.Clone(entries),
				func(other Entry) bool { return other.Name != e.Name })
			if slices.Contains(Varying(sameName), parameter) {
				return true
			}
		}
	}
	return false
}

// Varying returns the names of the parameters in which some of the entries differ, in order. A
// parameter that only some of them have is one of these.
func Varying(entries []Entry) []string {
	values := make(map[string][]string) // by parameter, of the entries that have it
	for _, e := range entries {
		for name, v := range e.allParams() {
			values[name] = append(values[name], string(v))
		}
	}
	maps.DeleteFunc(values, func(_ string, of []string) bool {
		return len(of) == len(entries) && len(slices.Compact(of)) == 1
	})
	return slices.Sorted(maps.Keys(values))
}

// RecordCell names a cell of a recorded experiment at one of its horizons, in the order of the
// plan. A cell that serves several horizons is recorded for each of them.
type RecordCell struct {
	Kind      string    `json:"kind"`
	Algorithm string    `json:"algorithm,omitempty"` // SPEC
	Resolved  string    `json:"resolved,omitempty"`  // with the numbers of its expressions
	Problem   string    `json:"problem"`             // SPEC
	Replicate int       `json:"replicate"`
	Horizon   int       `json:"horizon"`
	Key       store.Key `json:"key"`
}

// Digest identifies the cells of a plan, in any order.
func (p *Plan) Digest() string {
	var keys []store.Key
	for _, c := range p.Cells {
		keys = append(keys, c.Key)
	}
	return digestOf(keys)
}

// Overrides reports whether the metrics that an experiment names are shown in place of the usual
// ones. Where it names only metrics on request that are no violations, they are shown beside these.
func Overrides(metrics []string) bool {
	return slices.ContainsFunc(metrics, func(name string) bool {
		return !slices.Contains(spec.OnRequest, name) ||
			slices.Contains(algorithms.Violations, algorithms.Metric(name))
	})
}

// Measured returns the metrics that the experiment has, in the order of the table of metrics, and
// then what learners show of themselves. Metrics on request are among them if the experiment names
// them or a claim is about them; regret against a declared comparator, if a problem declares one.
// The field Shown is set for the metrics that the experiment names, and for the usual ones unless
// the named ones take their place ([Overrides]).
func (r Record) Measured() []game.Metric {
	isNamed := func(m game.Metric) bool { return slices.Contains(r.Metrics, string(m.Name)) }
	metrics := game.Select(func(m game.Metric) bool {
		claimed := func(e Entry) bool {
			return slices.ContainsFunc(e.Claims, func(c algorithms.Claim) bool { return c.Metric == m.Name })
		}
		return !m.Internal && (!m.OnRequest || isNamed(m) || slices.ContainsFunc(r.Algorithms, claimed) ||
			m.Name == algorithms.RegretDeclared && slices.ContainsFunc(r.Problems, Entry.declaresBest))
	})
	usual := !Overrides(r.Metrics)
	for i, m := range metrics {
		metrics[i].Shown = usual && m.Shown || isNamed(m)
	}
	for _, name := range r.States {
		m, _ := game.MetricNamed(algorithms.Metric(name))
		metrics = append(metrics, m)
	}
	return metrics
}

// Digest identifies the cells of a recorded experiment, in any order.
func (r Record) Digest() string {
	var keys []store.Key
	for _, c := range r.Cells {
		keys = append(keys, c.Key)
	}
	return digestOf(keys)
}

// Sum returns the digest of all that the record says.
func (r Record) Sum() store.Key {
	data, err := json.Marshal(r)
	if err != nil {
		// Cannot happen: every field of a record has a JSON form.
		panic("experiment: " + err.Error())
	}
	return store.KeyOf(data)
}

// digestOf returns the digest of a set of keys.
func digestOf(keys []store.Key) string {
	slices.Sort(keys)
	keys = slices.Compact(keys)
	var all []byte
	for _, k := range keys {
		all = append(all, k...)
	}
	return string(store.KeyOf(all))[:16]
}

// Dropped returns the names of the entries of an older record that are of other programs, or files
// of actions, and that the catalog of the plan does not have, with the flags that gave them.
func (p *Plan) Dropped(r Record) (names, flags []string) {
	for k, e := range slices.Concat(r.Algorithms, r.Problems) {
		_, known := algorithms.Lookup(p.catalog.Algorithms, e.Name)
		if k >= len(r.Algorithms) {
			_, known = problems.Lookup(p.catalog.Problems, e.Name)
		}
		if e.Flag != "" && !known && !slices.Contains(flags, e.Flag) {
			names, flags = append(names, e.Name), append(flags, e.Flag)
		}
	}
	return names, flags
}

// Record returns what a store remembers of the plan.
func (p *Plan) Record() Record {
	e := p.Experiment
	r := Record{
		Name: e.Name, Description: e.Description, Seed: e.Seed, Replicates: e.Replicates,
		Horizon: e.Horizon, Window: e.Window, Confidence: e.Confidence, Unmet: p.Unmet,
		Tuning: e.Tuning, Baseline: p.baseline,
	}
	for _, name := range e.Metrics {
		if !spec.IsState(name) {
			r.Metrics = append(r.Metrics, name)
		}
	}
	for _, m := range p.states {
		r.States = append(r.States, string(m))
	}
	for _, a := range p.Algorithms {
		tuned := ""
		if u, ok := p.Tuned[a.Spec]; ok {
			tuned = u.String()
		}
		entry := Entry{
			Tuned: tuned, Spec: a.Spec, Label: a.Use.Label, Name: a.Name, Flag: a.Flag,
			Params:  json.RawMessage(a.Resolved()),
			Anytime: a.IsAnytime(), Draws: a.Draws, Claims: p.recordedClaims(a),
		}
		if a.Flag != "" { // a view of the store does not start the program
			entry.DescribeAlgorithm(a.Algorithm)
		}
		r.Algorithms = append(r.Algorithms, entry)
	}
	for _, problem := range p.Problems {
		entry := Entry{
			Spec: problem.Spec, Label: problem.Use.Label, Name: problem.Name, Flag: problem.Flag,
			Params:        json.RawMessage(problem.Resolved()),
			Deterministic: problem.deterministic, Declares: problem.declares, Indexed: problem.IsIndexed(),
		}
		if problem.Flag != "" {
			entry.FullName, entry.Doc = problem.Title, problem.Doc
		}
		r.Problems = append(r.Problems, entry)
	}
	for _, entry := range p.Entries {
		rc := entry.recordCell()
		rc.Horizon, rc.Key = entry.At, entry.Key
		r.Cells = append(r.Cells, rc)
	}
	return r
}

// Experiment returns the experiment that was recorded, with each algorithm and problem of its lists
// of values on its own.
func (r Record) Experiment() (e *spec.Experiment, err error) {
	e = &spec.Experiment{
		Name: r.Name, Description: r.Description, Horizon: r.Horizon, Replicates: r.Replicates,
		Seed: r.Seed, Window: r.Window, Confidence: r.Confidence, Assumptions: "check",
		Metrics: slices.Concat(r.Metrics, r.States), Baseline: r.Baseline, Tuning: r.Tuning,
	}
	// Either all pairs that do not meet assumptions were played, or none of them.
	for _, u := range r.Unmet {
		if slices.ContainsFunc(r.Cells, func(cell RecordCell) bool {
			return cell.Algorithm == u.Algorithm && cell.Problem == u.Problem
		}) {
			e.Assumptions = "ignore"
		}
	}
	if e.Problems, err = parseEntries(r.Problems); err != nil {
		return nil, err
	}
	if e.Algorithms, err = parseEntries(r.Algorithms); err != nil {
		return nil, err
	}
	var grids []string
	for _, a := range r.Algorithms {
		if a.Tuned == "" || slices.Contains(grids, a.Tuned) {
			continue
		}
		grids = append(grids, a.Tuned)
		grid, err := spec.ParseUse(a.Tuned)
		if err != nil {
			return nil, err
		}
		e.Tuned = append(e.Tuned, grid)
	}
	return e, nil
}

// Replan plans a recorded experiment with the algorithms and problems that the program has now. It
// returns the plan; for each of its cells, the key that the cell has in the record; and in gone,
// how many cells of the record the program no longer plans. The error names an algorithm or a
// problem that the program no longer has.
func (r Record) Replan(ctx context.Context, s Starter, c Catalog) (p *Plan, keys []store.Key,
	gone int, err error) {
	e, err := r.Experiment()
	if err != nil {
		return nil, nil, 0, err
	}
	e.Tuned, e.Tuning, e.Baseline = nil, spec.Tuning{}, "" // no cell depends on them
	recorded, distinct := make(map[RecordCell]store.Key), make(map[store.Key]bool)
	for _, cell := range r.Cells {
		key := cell.Key
		cell.Key = ""
		recorded[cell], distinct[key] = key, true
	}
	if p, err = c.Plan(ctx, s, e); err != nil {
		return nil, nil, 0, err
	}
	// The record may write a SPEC in another way, with or without a default.
	for i := range p.Problems {
		p.Problems[i].Spec = r.Problems[i].Spec
	}
	for i := range p.Algorithms {
		p.Algorithms[i].Spec = r.Algorithms[i].Spec
	}
	p.Cells = slices.DeleteFunc(p.Cells,
		func(cell *Cell) bool { return recorded[cell.recordCell()] == "" })
	for _, cell := range p.Cells {
		keys = append(keys, recorded[cell.recordCell()])
	}
	return p, keys, len(distinct) - len(keys), nil
}

// parseEntries returns the uses that the SPECs of recorded entries name, with their labels.
func parseEntries(entries []Entry) (uses []spec.Use, err error) {
	for _, entry := range entries {
		u, err := spec.ParseSpec(entry.Spec)
		if err != nil {
			return nil, err
		}
		u.Label = entry.Label
		uses = append(uses, u)
	}
	return uses, nil
}

// recordCell returns the cell as a record has it, without its key.
func (c *Cell) recordCell() RecordCell {
	rec := RecordCell{Kind: c.Kind, Problem: c.Problem.listedSpec(), Replicate: c.Replicate,
		Horizon: c.Horizon}
	if a := c.Algorithm; a != nil {
		rec.Algorithm, rec.Resolved = a.listedSpec(), a.played
	}
	return rec
}

// Sample keeps k cells of the plan, evenly spaced, and drops the others; it keeps all if k is 0 or
// there are no more than k. keys holds a key for each cell, for example from [Record.Replan]; the
// keys of the cells that are kept are returned.
func (p *Plan) Sample(k int, keys []store.Key) []store.Key {
	n := len(p.Cells)
	if k == 0 || k >= n {
		return keys
	}
	var cells []*Cell
	var sampled []store.Key
	for i := range k {
		cells, sampled = append(cells, p.Cells[i*n/k]), append(sampled, keys[i*n/k])
	}
	p.Cells = cells
	return sampled
}

// recordedClaims returns the claims of an algorithm that a record keeps. Where it has expressions,
// the claims are those of the last game planned for it, with the numbers of that game.
func (p *Plan) recordedClaims(a Algorithm) []algorithms.Claim {
	for _, cell := range slices.Backward(p.Cells) {
		if bound := cell.Algorithm; bound != nil && bound.Spec == a.Spec && bound.played != "" {
			return bound.ClaimsOf(bound.Params)
		}
	}
	return a.ClaimsOf(a.Params)
}
