package spec_test

import (
	"fmt"

	"ocobench/harness/experiment/spec"
)

// Params are the parameters of an algorithm, as its registry entry has them.
type Params struct {
	Gamma   float64 `name:"gamma" doc:"penalty weight" min:"0"`
	Penalty string  `name:"penalty" doc:"what is penalised" enum:"average,per-round"`
}

// A registry, held by the caller: names and defaults.
var registry = map[string]any{
	"penalised-ftrl": Params{Gamma: 1, Penalty: "average"},
}

func Example() {
	e, err := spec.Parse("frequency.yaml", []byte(`
name: frequency
horizon: [1e3, 1e4]
problems: [{use: decaying-frequency}]
algorithms: [{use: penalised-ftrl, gamma: [1, 25], penalty: per-round}]
`))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(e.Name, e.Horizon, e.Replicates)
	for _, use := range e.Algorithms {
		defaults := registry[use.Name] // or Unknown("algorithm", use.Name, …, use.Pos)
		swept, err := use.Expand(defaults)
		if err != nil {
			fmt.Println(err)
			return
		}
		for _, u := range swept {
			p, err := u.Apply(defaults)
			if err != nil {
				fmt.Println(err)
				return
			}
			fmt.Println(spec.Format(u.Name, p, defaults), spec.Resolved(p))
		}
	}
	// Output:
	// frequency [1000 10000] 30
	// penalised-ftrl:penalty=per-round {"gamma":1,"penalty":"per-round"}
	// penalised-ftrl:gamma=25,penalty=per-round {"gamma":25,"penalty":"per-round"}
}

func ExampleParseSpec() {
	u, err := spec.ParseSpec("penalised-ftrl:gama=25")
	if err != nil {
		fmt.Println(err)
		return
	}
	p := Params{Gamma: 1, Penalty: "average"}
	fmt.Println("--algorithm", u.Decode(&p))
	// Output:
	// --algorithm "penalised-ftrl:gama=25": unknown parameter "gama" at character 16; did you mean "gamma"? (parameters: gamma, penalty)
}

func ExampleParse() {
	_, err := spec.Parse("frequency.yaml", []byte("name: frequency\nhorizon: 1.5\nproblem: []\n"))
	fmt.Println(err)
	// Output:
	// frequency.yaml:1:1: missing key problems, algorithms (expected problems: a list of {use: NAME, key: value} or the word all, algorithms: a list of {use: NAME, key: value} or the word all)
	//     1 | name: frequency
	//       | ^
	// frequency.yaml:2:10: horizon: 1.5 is not an integer (expected an integer ≥ 1)
	//     2 | horizon: 1.5
	//       |          ^
	// frequency.yaml:3:1: unknown key "problem"; did you mean "problems"? (keys: name, description, horizon, replicates, seed, window, confidence, assumptions, metrics, baseline, problems, algorithms, feedback, tuned, attack, tuning_seed)
	//     3 | problem: []
	//       | ^
}
