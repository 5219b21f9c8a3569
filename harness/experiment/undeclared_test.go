package experiment

import (
	"testing"

	"ocobench/problems"
)

// Only constants that problems of other programs do not declare are counted: no conditions, and
// nothing that problems of the registry lack.
func TestMostUndeclaredCountsConstantsOfPrograms(t *testing.T) {
	const losses = "a declared Lipschitz constant of its losses, or the parameter lipschitz or alpha"
	const bound = "a declared bound of its constraints, or the parameter bound"
	p := Plan{
		Problems: []Problem{
			{Problem: problems.Problem{Name: "mine", Flag: "--external mine=x"},
				Configuration: Configuration{Spec: "mine"}},
			{Problem: problems.Problem{Name: "iid"}, Configuration: Configuration{Spec: "iid"}},
		},
		Unmet: []Unmet{
			{"guo", "mine", []string{losses}}, {"coldq", "mine", []string{losses, bound}},
			{"ftrl", "mine", []string{"fixed constraints"}}, {"yi-2021", "mine", []string{"fixed constraints"}},
			{"yu-neely", "mine", []string{"fixed constraints"}},
			{"sun", "iid", []string{bound}}, {"mahdavi", "iid", []string{bound}},
		},
	}
	problem, fact, pairs := p.MostUndeclared()
	if problem != "mine" || fact != "loss_lipschitz" || pairs != 2 {
		t.Errorf("%s does not declare %s for %d pairs, want mine, loss_lipschitz and 2", problem, fact,
			pairs)
	}
}
