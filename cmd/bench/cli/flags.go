package cli

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"ocobench/algorithms"
	"ocobench/harness/experiment"
	"ocobench/harness/experiment/spec"
	"ocobench/harness/experiments"
	"ocobench/harness/game"
	"ocobench/harness/run"
	"ocobench/harness/store"
	"ocobench/internal/input"
)

// This file holds the flags that several verbs share, and the checks of their values.

// storeFlags holds the flags of verbs that read or write results.
type storeFlags struct {
	Store path `help:"The directory of results; default ${default}." default:"results" placeholder:"DIR"`
}

// openStore opens the store.
func (f storeFlags) openStore() (*store.Store, error) { return store.Open(string(f.Store)) }

// experimentArg chooses an experiment.
type experimentArg struct {
	Experiment string `arg:"" help:"An experiment by its name (bench list experiments), or a YAML file." placeholder:"EXPERIMENT|FILE.yaml" completes:"@experiment"`
}

// namedEntries implements [entryNamer].
func (f *experimentArg) namedEntries(*env) ([]spec.Use, error) {
	if err := input.Rereadable(f.Experiment); err != nil {
		return nil, err
	}
	x, _, err := experiments.Load(f.Experiment)
	if err != nil {
		return nil, err
	}
	return slices.Concat(x.Algorithms, x.Problems), nil
}

// experimentFlags chooses an experiment and overrides its settings.
type experimentFlags struct {
	experimentArg
	Seed       *seed    `help:"The seed, in place of the experiment's." placeholder:"S"`
	Replicates count    `help:"The replicates, in place of the experiment's." placeholder:"R"`
	Horizon    horizons `help:"The horizon, or an increasing list of horizons." placeholder:"T" sep:"none"`
}

// loadExperiment reads the experiment and applies the overrides.
func (f *experimentFlags) loadExperiment() (*spec.Experiment, error) {
	x, _, err := experiments.Load(f.Experiment)
	switch {
	case err != nil:
		return nil, err
	case run.IsInternal(x.Name): // other verbs hide experiments of such names
		return nil, fmt.Errorf("%s: name: %s ends as the experiments do that bench tune, claims and "+
			"paper play; give it another name", input.Shown(f.Experiment), x.Name)
	}
	if f.Seed != nil {
		x.Seed = uint64(*f.Seed)
	}
	if f.Replicates > 0 {
		x.Replicates = int(f.Replicates)
	}
	if f.Horizon != nil {
		x.Horizon = f.Horizon
	}
	return x, nil
}

// commandWords returns the command line that sets the flags that are not zero, for another process
// of the program.
func commandWords(flags any) (all []string) {
	parser, err := kong.New(flags, kong.NoDefaultHelp(), helpVariables())
	if err != nil {
		panic("cli: " + err.Error())
	}
	for _, f := range parser.Model.Flags {
		v := f.Target
		_, isText := v.Interface().(fmt.Stringer)
		switch {
		case v.IsZero():
		case f.IsBool():
			all = append(all, "--"+f.Name)
		case v.Kind() == reflect.Pointer:
			all = append(all, fmt.Sprintf("--%s=%v", f.Name, v.Elem()))
		case v.Kind() == reflect.Slice && !isText:
			for k := range v.Len() {
				all = append(all, fmt.Sprintf("--%s=%v", f.Name, v.Index(k)))
			}
		default:
			all = append(all, fmt.Sprintf("--%s=%v", f.Name, v))
		}
	}
	return all
}

// streamFlags chooses the problem, seed and horizon of a verb that plays one stream.
type streamFlags struct {
	Problem   use   `help:"The problem." required:"" placeholder:"SPEC" completes:"@problem"`
	Horizon   count `help:"The number of rounds T." required:"" placeholder:"T"`
	Seed      seed  `help:"The seed of all randomness; default ${default}." default:"1" placeholder:"S"`
	Replicate count `help:"The replicate; default ${default}." default:"1" placeholder:"R"`
}

// metricsOf returns the metrics that the flag --metric names. It returns an error for a metric for
// which known does not hold. It accepts every name of what learners show of themselves: only the
// results, which [checkRecorded] looks at, say whether it exists.
func metricsOf(names []string, known func(game.Metric) bool) (metrics []algorithms.Metric,
	err error) {
	var allowed []string
	for _, m := range game.Select(known) {
		allowed = append(allowed, string(m.Name))
	}
	for _, name := range names {
		metrics = append(metrics, algorithms.Metric(name))
		if m, _ := game.MetricNamed(algorithms.Metric(name)); m.OfLearner && known(m) {
			allowed = append(allowed, name)
		}
	}
	return metrics, checkKnown("--metric", "metric", allowed, names...)
}

// checkKnown returns an error if a name is not among the known ones of its kind. The error names
// the flag.
func checkKnown(flag, kind string, known []string, names ...string) error {
	for _, name := range names {
		if !slices.Contains(known, name) {
			return fmt.Errorf("%s: %w", flag, spec.Unknown(kind, name, known, spec.Pos{}))
		}
	}
	return nil
}

// metricsOfPlay returns the named metrics like [metricsOf], and an error for two kinds of them:
// metrics of the rounds, which are the same for every algorithm, and what learners show of
// themselves, of which less is not better.
func metricsOfPlay(names []string, known func(game.Metric) bool) ([]algorithms.Metric, error) {
	metrics, err := metricsOf(names, known)
	for _, name := range metrics {
		if m, _ := game.MetricNamed(name); m.OfRounds {
			return nil, fmt.Errorf("--metric: %s is of the rounds, the same for all who play them, and "+
				"says nothing of an algorithm", name)
		}
		if game.IsState(name) {
			return nil, fmt.Errorf("--metric: %s is what an algorithm shows of itself: less is not better",
				name)
		}
	}
	return metrics, err
}

// checkRecorded returns an error for a metric on request that none of the experiments has recorded.
func checkRecorded(metrics []algorithms.Metric, experiments ...*run.Results) error {
	var names []string
	measured := make(map[algorithms.Metric]bool)
	for _, r := range experiments {
		names = append(names, r.Name)
		for _, m := range r.Measured() {
			measured[m.Name] = true
		}
	}
	for _, name := range metrics {
		onRequest := slices.Contains(spec.OnRequest, string(name)) || spec.IsState(string(name))
		if onRequest && !measured[name] {
			return fmt.Errorf("--metric: experiment %s does not measure %s; write metrics: [%s] into its "+
				"file, and run it", strings.Join(names, ", "), name, name)
		}
	}
	return nil
}

// baselineSpec returns the SPEC of the algorithm that the flag --baseline names.
func (e *env) baselineSpec(text string, r *run.Results) (string, error) {
	named, err := e.catalog.NamedAlgorithm(text, r.Record)
	if err != nil {
		err = fmt.Errorf("--baseline: %w", err)
	}
	return named, err
}

// setFocus changes which metrics the results are judged by, and with which baseline they are
// compared, if the flags are given.
func (e *env) setFocus(r *run.Results, names []string, baseline string) (err error) {
	if baseline != "" {
		if r.ViewBaseline, err = e.baselineSpec(baseline, r); err != nil {
			return err
		}
	}
	if len(names) == 0 {
		return nil
	}
	if err := checkFocus(names); err != nil {
		return err
	}
	var metrics []algorithms.Metric
	for _, name := range names {
		if !slices.ContainsFunc(r.States, func(state string) bool {
			return game.StateMatches(name, algorithms.Metric(state))
		}) {
			metrics = append(metrics, algorithms.Metric(name))
		}
	}
	err = checkRecorded(metrics, r)
	// States are always shown.
	r.Record.Metrics = slices.DeleteFunc(uniqueNames(names), spec.IsState)
	return err
}

// checkFocus returns an error if an experiment may not list one of the metrics.
func checkFocus(names []string) error {
	return checkKnown("--metric", "metric", spec.Metrics,
		slices.DeleteFunc(slices.Clone(names), spec.IsState)...)
}

// entryFlags choose algorithms and problems of stored results.
type entryFlags struct {
	Algorithm uses `help:"Algorithms, with commas or repeated; without parameters all of the name." sep:"none" placeholder:"SPECS" aliases:"algorithms" completes:"@algorithm"`
	Problem   uses `help:"Problems, with commas or repeated; without parameters all of the name." sep:"none" placeholder:"SPECS" aliases:"problems" completes:"@problem"`
}

// filterResults returns the parts of results that the flags choose.
func (f *entryFlags) filterResults(e *env, results ...*run.Results) (parts []*run.Results,
	err error) {
	var played, playedOn []experiment.Entry
	for _, r := range results {
		played, playedOn = append(played, r.Algorithms...), append(playedOn, r.Problems...)
	}
	algorithmChosen, err := e.catalog.ChosenAlgorithms(f.Algorithm.specTexts(), played)
	if err != nil {
		return nil, fmt.Errorf("--algorithm: %w", err)
	}
	problemChosen, err := e.catalog.ChosenProblems(f.Problem.specTexts(), playedOn)
	if err != nil {
		return nil, fmt.Errorf("--problem: %w", err)
	}
	for _, r := range results {
		part := r.Only(algorithmChosen, problemChosen)
		if len(part.Algorithms) > 0 && len(part.Problems) > 0 {
			parts = append(parts, part)
		}
	}
	return parts, nil
}
