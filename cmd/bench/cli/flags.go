package cli

import (
	"fmt"
	"reflect"
	"slices"

	"github.com/alecthomas/kong"

	"ocobench/algorithms"
	"ocobench/harness"
	"ocobench/harness/spec"
)

// What several verbs have in common of their flags.

// storeFlags are the flags of verbs that read or write results.
type storeFlags struct {
	Store path `help:"The directory of stored results; default ${default}." default:"results" placeholder:"DIR"`
}

// words returns the command line that sets flags, all that are not zero, for another process
// of the program.
func words(flags any) (all []string) {
	parser, err := kong.New(flags, kong.NoDefaultHelp())
	if err != nil {
		panic("cli: " + err.Error())
	}
	for _, f := range parser.Model.Flags {
		v := f.Target
		switch {
		case v.IsZero():
		case f.IsBool():
			all = append(all, "--"+f.Name)
		case v.Kind() == reflect.Slice:
			for k := range v.Len() {
				all = append(all, fmt.Sprintf("--%s=%v", f.Name, v.Index(k)))
			}
		default:
			all = append(all, fmt.Sprintf("--%s=%v", f.Name, v))
		}
	}
	return all
}

// streamFlags are the flags of verbs that use one stream.
type streamFlags struct {
	Problem   use   `help:"The problem." required:"" placeholder:"SPEC" completes:"@problem"`
	Horizon   count `help:"The number of rounds T." required:"" placeholder:"T"`
	Seed      seed  `help:"The seed of all randomness; default ${default}." default:"1" placeholder:"S"`
	Replicate count `help:"The number of the replicate; default ${default}." default:"1" placeholder:"R"`
}

// metricsOf looks up the metrics that a flag names among those that a verb knows.
func metricsOf(flag string, names []string, known func(harness.Metric) bool) (metrics []algorithms.Metric, err error) {
	var all []string
	for _, m := range harness.Select(known) {
		all = append(all, string(m.Name))
	}
	for _, name := range names {
		if !slices.Contains(all, name) {
			return nil, fmt.Errorf("--%s: %w", flag, spec.Unknown("metric", name, all, spec.Pos{}))
		}
		metrics = append(metrics, algorithms.Metric(name))
	}
	return metrics, nil
}

// ofPlay refuses metrics of the rounds, which do not tell algorithms apart.
func ofPlay(flag string, metrics []algorithms.Metric) error {
	for _, name := range metrics {
		if m, _ := harness.MetricNamed(name); m.OfRounds {
			return fmt.Errorf("--%s: %s is of the rounds, the same for all who play them, and says nothing of an algorithm", flag, name)
		}
	}
	return nil
}

// asked refuses metrics that are on request where none of the experiments has them.
func asked(flag string, metrics []algorithms.Metric, names string, experiments ...*harness.Results) error {
	for _, name := range metrics {
		has := func(m harness.Metric) bool { return m.Name == name }
		if !slices.ContainsFunc(experiments, func(r *harness.Results) bool { return slices.ContainsFunc(r.Measured(), has) }) {
			if err := unasked(flag, name, names); err != nil {
				return err
			}
		}
	}
	return nil
}

// unasked refuses a metric that an experiment does not have, if it is on request.
func unasked(flag string, m algorithms.Metric, experiment string) error {
	if !slices.Contains(spec.OnRequest, string(m)) {
		return nil
	}
	return fmt.Errorf("--%s: experiment %s does not measure %s; write metrics: [%s] into its file, and run it", flag, experiment, m, m)
}

// chosen returns the SPECs of the algorithms and of the problems that the flags --algorithm
// and --problem choose.
func (e *env) chosen(algorithms, problems []use, as, ps []harness.Entrant) (isAlgorithm, isProblem map[string]bool, err error) {
	if isAlgorithm, err = e.catalog.ChosenAlgorithms(texts(algorithms), as); err != nil {
		return nil, nil, fmt.Errorf("--algorithm: %w", err)
	}
	if isProblem, err = e.catalog.ChosenProblems(texts(problems), ps); err != nil {
		return nil, nil, fmt.Errorf("--problem: %w", err)
	}
	return isAlgorithm, isProblem, nil
}
