package clients

import (
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"ocobench/algorithms"
	"ocobench/convex"
	"ocobench/convex/vec"
	"ocobench/harness/experiment"
	"ocobench/harness/external"
	"ocobench/harness/game"
	"ocobench/problems"
)

// twin is a problem whose losses are forms, or the same as functions of numpy. So are its
// constraints, ‖x − c‖ ≤ b; the largest of ten functions is that of affine ones.
const twin = `
from typing import Literal

import numpy as np

import ocobench


@ocobench.problem(name="twin")
class Twin:
    """The same rounds as forms and as functions."""

    def __init__(self, seed: int, *, kind: Literal["wealth", "logistic", "entropy", "norm", "max"] = "norm",
                 own: bool = False, batch: bool = False):
        self.random, self.kind, self.own = np.random.default_rng(seed), kind, own
        self.domain = ocobench.Simplex(4, 1) if kind == "wealth" else ocobench.Box([0] * 4, [1] * 4)
        self.batch = self.at_once if batch else None

    def reveal(self, t):
        a = {"wealth": lambda: self.random.uniform(0.8, 1.2, 4), "max": lambda: self.random.normal(size=(10, 4))}.get(
            self.kind, lambda: self.random.normal(size=4))()
        c, b = self.random.uniform(0.2, 0.4, 4), self.random.uniform(0.3, 0.6)
        if not self.own:
            return self.form(a), [ocobench.Form(-b, [0] * 4, terms=[(1, ocobench.Distance(c))])]
        loss = ocobench.Function(lambda x: self.values(a, x)[0], lambda x: self.values(a, x)[1])
        near = ocobench.Function(lambda x: np.linalg.norm(x - c) - b, lambda x: (x - c) / np.linalg.norm(x - c))
        return (loss, [near], (a, c, b)) if self.batch else (loss, [near])

    def form(self, a):
        zero = [0] * 4
        if self.kind == "max":
            return ocobench.Form(0, zero, terms=[(1, ocobench.Max([ocobench.Form(0, row) for row in a]))])
        if self.kind == "entropy":
            return ocobench.Form(0, a, terms=[(0.1, ocobench.Separable("neglog", [1] * 4, 0, 0.01))])
        return ocobench.Form(0, zero, terms=[(1, {
            "wealth": lambda: ocobench.Ridge("neglog", a), "logistic": lambda: ocobench.Ridge("softplus", a),
            "norm": lambda: ocobench.Distance(a)}[self.kind]())])

    def values(self, a, x):
        """The values and gradients of one loss, or of a stack of them."""
        if self.kind == "max":
            pieces = a @ x
            k = pieces.argmax(axis=-1)
            return pieces.max(axis=-1), a[k] if a.ndim == 2 else a[np.arange(len(a)), k]
        if self.kind == "entropy":
            return a @ x - 0.1 * np.log(x + 0.01).sum(), a - 0.1 / (x + 0.01)
        if self.kind == "norm":
            distance = np.linalg.norm(x - a, axis=-1)
            return distance, (x - a) / distance[..., None]
        u = a @ x
        if self.kind == "wealth":
            return -np.log(u), -a / np.asarray(u)[..., None]
        return np.logaddexp(0, u), a / (1 + np.exp(-np.asarray(u)[..., None]))

    def at_once(self, x, a, c, b):
        distance = np.linalg.norm(x - c, axis=1)
        return *self.values(a, x), distance - b, (x - c) / distance[:, None]


ocobench.main(Twin)
`

// Losses and constraints that are functions of numpy give the actions of the same rounds as forms,
// up to 1e-9, and the best fixed actions in hindsight, up to 1e-6 of their values.
func TestFunctionsArePlayedAsForms(t *testing.T) {
	needs(t, "numpy")
	t.Setenv("PYTHONPATH", "python")
	script := filepath.Join(t.TempDir(), "twin.py")
	if err := os.WriteFile(script, []byte(twin), 0o666); err != nil {
		t.Fatal(err)
	}
	program, err := external.Start(t.Context(), "twin", []string{interpreter, script},
		external.Options{Timeout: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	defer program.Close()
	problem, _ := program.Problem()
	catalog := experiment.Catalog{Algorithms: algorithms.All, Problems: []problems.Problem{problem}}
	for _, kind := range []string{"wealth", "logistic", "entropy", "norm", "max"} {
		for _, learner := range []string{"ogd", "primal-dual", "ogd:feedback=two-point"} {
			t.Run(kind+"/"+learner, func(t *testing.T) {
				want, wanted := playedTwin(t, catalog, learner, "twin:kind="+kind)
				for _, own := range []string{",own=true", ",own=true,batch=true"} {
					got, best := playedTwin(t, catalog, learner, "twin:kind="+kind+own)
					for k := range want {
						if d := vec.Dist(want[k], got[k]); !(d <= 1e-9) {
							t.Fatalf("action %d is %v, and on forms %v", k+1, got[k], want[k])
						}
					}
					for set, w := range wanted {
						g := best[set]
						if scale := math.Max(1, math.Abs(w.Best.Value)); g.Best.Empty != w.Best.Empty ||
							!w.Best.Empty && !(math.Abs(g.Best.Value-w.Best.Value) <= 1e-6*scale) ||
							!(g.Best.Gap <= 1e-6*scale) {
							t.Errorf("%s: over %s: got %+v, want %+v as on forms", own, set, g.Best, w.Best)
						}
					}
				}
			})
		}
	}
}

// playedTwin returns the actions of a learner, and its regret at the end.
func playedTwin(t *testing.T, catalog experiment.Catalog, learner, problem string) (
	played [][]float64, regret map[string]game.Regret) {
	t.Helper()
	const horizon = 60
	p := problemOf(t, catalog, problem)
	s, err := p.New(p.Params, rand.New(rand.NewPCG(1, 2))) // one seed, whatever the parameters are
	if err != nil {
		t.Fatal(err)
	}
	l, err := algorithmOf(t, catalog, learner).Learner(s, 1, 1, horizon)
	if err != nil {
		t.Fatal(err)
	}
	actions := observer(func(_ int, x []float64, _ *convex.Round) error {
		played = append(played, slices.Clone(x))
		return nil
	})
	meter := game.NewMeter(s, []int{1, 7, horizon})
	if err := game.Play(t.Context(), l, s, horizon, actions, meter); err != nil {
		t.Fatal(err)
	}
	o, err := meter.Outcome(horizon)
	if err != nil {
		t.Fatal(err)
	}
	return played, o.Regret
}
