package harness

import (
	"slices"
	"strings"

	"ocobench/algorithms"
	"ocobench/harness/spec"
	"ocobench/problems"
)

// AlgorithmDisplay returns the display name of a recorded algorithm, in the TeX that
// package figure typesets and LaTeX reads: its label, or the title of the registry
// followed by the parameters that its SPEC writes, such as "Penalised FTRL, $\gamma=25$".
func (c Catalog) AlgorithmDisplay(e Entrant) string {
	a, _ := algorithms.Lookup(c.Algorithms, e.Name)
	return display(e, a.Title)
}

// ProblemDisplay is [Catalog.AlgorithmDisplay] for problems.
func (c Catalog) ProblemDisplay(e Entrant) string {
	p, _ := problems.Lookup(c.Problems, e.Name)
	return display(e, p.Title)
}

func display(e Entrant, title string) string {
	if e.Label != "" {
		return EscapeTeX(e.Label)
	}
	if title == "" {
		title = e.Name
	}
	params, ok := displayParams(e.Spec)
	if !ok {
		return EscapeTeX(e.Spec)
	}
	return EscapeTeX(title) + params
}

// displayParams returns the parameters that a SPEC writes, each after a comma.
func displayParams(text string) (params string, ok bool) {
	u, err := spec.ParseSpec(text)
	if err != nil {
		return "", false
	}
	for _, a := range u.Args {
		params += ", " + DisplayParam(a.Key, a.Value.Text)
	}
	return params, true
}

// DisplayTitle is Display without the parameters.
func (e Entrant) DisplayTitle() string {
	params, _ := displayParams(e.Spec)
	return strings.TrimSuffix(e.Display, params)
}

// DisplayParam returns a parameter and its value in TeX: $\gamma=25$ for a parameter
// with a symbol of its own, step 5 for another, and the value alone for a word.
func DisplayParam(name, value string) string {
	number := value != "" && strings.Trim(value, "0123456789.e+-") == ""
	symbol, known := paramSymbols[name]
	if len(name) == 1 {
		symbol, known = name, true
	}
	switch {
	case known && number:
		return "$" + symbol + "=" + value + "$"
	case number:
		return EscapeTeX(name) + " " + value
	case slices.Contains([]string{"true", "false"}, value):
		return EscapeTeX(name + " " + value)
	}
	return EscapeTeX(value)
}

// paramSymbols are the symbols of the literature for parameters, by their names.
var paramSymbols = map[string]string{
	"gamma": `\gamma`, "gamma0": `\gamma_0`, "kappa": `\kappa`, "alpha": `\alpha`, "alpha0": `\alpha_0`, "beta": `\beta`,
	"eta": `\eta`, "epsilon": `\epsilon`, "rho": `\rho`, "lambda": `\lambda`, "dim": "n", "constraints": "m", "x0": "x_0",
}

// EscapeTeX returns TeX that sets exactly s, in LaTeX and in package figure.
func EscapeTeX(s string) string { return texEscapes.Replace(s) }

var texEscapes = strings.NewReplacer(
	`\`, `\textbackslash{}`, "~", `\textasciitilde{}`, "{", `\{`, "}", `\}`, "$", `\$`, "%", `\%`, "&", `\&`, "#", `\#`, "_", `\_`,
	"--", "-{}-{}", "``", "`{}`{}", "''", "'{}'{}",
)
