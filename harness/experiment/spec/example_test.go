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
