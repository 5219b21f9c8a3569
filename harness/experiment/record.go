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
	TuningSeed  uint64  `json:"tuning_seed,omitempty"` // if algorithms are tuned
	// those of the key metrics: see Measured
	Metrics []string `json:"metrics,omitempty"`
	// States are the metrics that the games have of what learners show of themselves.
	States []string `json:"states,omitempty"`
	// the SPEC of the key baseline
	Baseline string       `json:"baseline,omitempty"`
	Cells    []RecordCell `json:"cells"`
}

// Entry describes an algorithm or a problem of a recorded experiment.
type Entry struct {
	Spec  string `json:"spec"`
	Label string `json:"label,omitempty"` // is shown in place of the SPEC
	Name  string `json:"name"`
	// Flag gave it to the program, where it is of another program or of a file of actions.
	Flag string `json:"flag,omitempty"`
	// FullName is the title that the registry has of the name, such as "Penalised FTRL". An
	// analysis has it, a record does not.
	FullName string          `json:"full_name,omitempty"`
	Params   json.RawMessage `json:"params"` // all of them, defaults included
	// Of a problem: no random number is drawn, and one replicate is all there is.
	Deterministic bool `json:"deterministic,omitempty"`
	// Of a problem: the comparator set over which it declares a best fixed action itself, or own.
	Declares string `json:"declares,omitempty"`
	// Indexed says that the parameters of a problem depend on the horizon, so that a longer game does
	// not continue a shorter one, and growth is fitted across horizons.
	Indexed bool `json:"indexed,omitempty"`
	// Of an algorithm:
	Draws   bool               `json:"draws,omitempty"` // random numbers
	Tuned   string             `json:"tuned,omitempty"` // the grid that it was chosen from
	Anytime bool               `json:"anytime,omitempty"`
	Claims  []algorithms.Claim `json:"claims,omitempty"`
	// What the registry says, which an analysis has and a record does not: the feedback
	// that an algorithm uses and what it assumes, or what is true of the rounds of a
	// problem, such as "fixed constraints".
	Doc      string              `json:"doc,omitempty"`
	Feedback algorithms.Feedback `json:"feedback,omitempty"`
	Assumes  []string            `json:"assumes,omitempty"`
	Facts    []string            `json:"facts,omitempty"`
	// Source is the store that an algorithm is from, where an analysis shows two.
	Source string `json:"source,omitempty"`
}

// declaresBest reports whether a problem declares a best fixed action itself.
func (e Entry) declaresBest() bool { return e.Declares != "" }

// Title returns the label, or the SPEC where there is none.
func (e Entry) Title() string {
	if e.Label != "" {
		return e.Label
	}
	return e.Spec
}

// Param returns a parameter as it is shown, or "": a text as it is, in quotes with escapes only
// where it has characters that cannot be printed, and anything else as it stands in JSON.
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

// Varies reports whether a parameter takes several values among the uses of one algorithm, or of
// one problem.
func (r Record) Varies(parameter string) bool {
	for _, all := range [][]Entry{r.Algorithms, r.Problems} {
		for _, e := range all {
			alike := slices.DeleteFunc(slices.Clone(all), func(o Entry) bool { return o.Name != e.Name })
			if slices.Contains(Varying(alike), parameter) {
				return true
			}
		}
	}
	return false
}

// Varying returns the names of the parameters in which some of the entries
// differ, in order.
func Varying(entrants []Entry) []string {
	values := make(map[string]string)
	differ := make(map[string]bool)
	for i, e := range entrants {
		for name, v := range e.allParams() {
			if i > 0 && values[name] != string(v) {
				differ[name] = true
			}
			values[name] = string(v)
		}
	}
	return slices.Sorted(maps.Keys(differ))
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

// Measured returns the metrics that the experiment has, those of the table first. Those on request
// are there if it names them, and dynamic regret also if a claim is about it. Shown are those
// that it names, beside the usual ones if all are on request ([Overrides]), and what learners show
// of themselves. Regret against a declared comparator is there if a problem declares one.
func (r Record) Measured() []game.Metric {
	asked := func(m game.Metric) bool { return slices.Contains(r.Metrics, string(m.Name)) }
	metrics := game.Select(func(m game.Metric) bool {
		claimed := func(e Entry) bool {
			return slices.ContainsFunc(e.Claims, func(c algorithms.Claim) bool { return c.Metric == m.Name })
		}
		return !m.Internal && (!m.OnRequest || asked(m) || slices.ContainsFunc(r.Algorithms, claimed) ||
			m.Name == algorithms.RegretDeclared && slices.ContainsFunc(r.Problems, Entry.declaresBest))
	})
	usual := !Overrides(r.Metrics)
	for i, m := range metrics {
		metrics[i].Shown = usual && m.Shown || asked(m)
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
		panic("experiment: " + err.Error()) // it was JSON, or becomes some
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
// of actions, and that the plan does not have, with the flags that gave them.
func (p *Plan) Dropped(r Record) (names, flags []string) {
	for k, entrants := range [][]Entry{r.Algorithms, r.Problems} {
		for _, e := range entrants {
			if e.Flag != "" && !slices.Contains(p.names[k], e.Name) && !slices.Contains(flags, e.Flag) {
				names, flags = append(names, e.Name), append(flags, e.Flag)
			}
		}
	}
	return names, flags
}

// Record returns the record of the plan.
func (p *Plan) Record() Record {
	e := p.Experiment
	r := Record{
		Name: e.Name, Description: e.Description, Seed: e.Seed, Replicates: e.Replicates,
		Horizon: e.Horizon, Window: e.Window, Confidence: e.Confidence, Unmet: p.Unmet,
		TuningSeed: e.TuningSeed, Baseline: p.baseline,
	}
	for _, name := range e.Metrics {
		if !spec.IsState(name) {
			r.Metrics = append(r.Metrics, name)
		}
	}
	for _, m := range p.states {
		r.States = append(r.States, string(m))
	}
	for _, c := range p.Algorithms {
		tuned := ""
		if u, ok := p.Tuned[c.Spec]; ok {
			tuned = u.String()
		}
		r.Algorithms = append(r.Algorithms, Entry{
			Tuned: tuned, Spec: c.Spec, Label: c.Use.Label, Name: c.Name, Flag: c.Flag,
			Params:  json.RawMessage(c.Resolved()),
			Anytime: c.IsAnytime(), Draws: c.Draws, Claims: p.recordedClaims(c),
		})
	}
	for _, a := range p.Problems {
		r.Problems = append(r.Problems, Entry{
			Spec: a.Spec, Label: a.Use.Label, Name: a.Name, Flag: a.Flag,
			Params:        json.RawMessage(a.Resolved()),
			Deterministic: a.deterministic, Declares: a.declares, Indexed: a.IsIndexed(),
		})
	}
	for _, entry := range p.Entries {
		rc := entry.recordCell()
		rc.Horizon, rc.Key = entry.At, entry.Key
		r.Cells = append(r.Cells, rc)
	}
	return r
}

// Replan plans a recorded experiment with the algorithms and problems that the
// program has now. It returns the plan and, for each of
// its cells, the key that the cell has in the record, and how many other cells the
// record has, which the program does not plan any more. The error says what else the
// program does not have any more.
func (rec Record) Replan(ctx context.Context, s Starter, c Catalog) (p *Plan, keys []store.Key,
	gone int, err error) {
	e := &spec.Experiment{
		Name: rec.Name, Horizon: rec.Horizon, Replicates: rec.Replicates, Seed: rec.Seed,
		Window: rec.Window, Confidence: rec.Confidence, Assumptions: "check",
		Metrics: slices.Concat(rec.Metrics, rec.States),
	}
	// Either all pairs that do not meet assumptions were played, or none of them.
	for _, u := range rec.Unmet {
		if slices.ContainsFunc(rec.Cells, func(cell RecordCell) bool {
			return cell.Algorithm == u.Algorithm && cell.Problem == u.Problem
		}) {
			e.Assumptions = "ignore"
		}
	}
	for _, list := range []struct {
		entrants []Entry
		into     *[]spec.Use
	}{{rec.Problems, &e.Problems}, {rec.Algorithms, &e.Algorithms}} {
		for _, entrant := range list.entrants {
			u, err := spec.ParseSpec(entrant.Spec)
			if err != nil {
				return nil, nil, 0, err
			}
			*list.into = append(*list.into, u)
		}
	}
	recorded, all := make(map[RecordCell]store.Key), make(map[store.Key]bool)
	for _, cell := range rec.Cells {
		key := cell.Key
		cell.Key = ""
		recorded[cell], all[key] = key, true
	}
	if p, err = c.Plan(ctx, s, e); err != nil {
		return nil, nil, 0, err
	}
	for i := range p.Problems {
		p.Problems[i].Spec = rec.Problems[i].Spec
	}
	for i := range p.Algorithms {
		p.Algorithms[i].Spec = rec.Algorithms[i].Spec
	}
	p.Cells = slices.DeleteFunc(p.Cells,
		func(cell *Cell) bool { return recorded[cell.recordCell()] == "" })
	for _, cell := range p.Cells {
		keys = append(keys, recorded[cell.recordCell()])
	}
	return p, keys, len(all) - len(keys), nil
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

// Sample leaves k cells of a plan, evenly spaced, or all if k is 0 or there are no more. It
// returns their keys, of those that the cells have elsewhere.
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
// they have the values of the last game that is planned for it.
func (p *Plan) recordedClaims(c Algorithm) []algorithms.Claim {
	for _, cell := range slices.Backward(p.Cells) {
		if bound := cell.Algorithm; bound != nil && bound.Spec == c.Spec && bound.played != "" {
			return bound.ClaimsOf(bound.Params)
		}
	}
	return c.ClaimsOf(c.Params)
}
