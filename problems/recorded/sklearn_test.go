package recorded_test

import (
	"encoding/json"
	"math"
	"os/exec"
	"testing"

	"ocobench/convex"
	"ocobench/internal/tool"
	"ocobench/problems/recorded"
)

// sklearn writes a CSV file of breast cancers, standardised, and the weights that
// scikit-learn and the normal equations find.
const sklearn = `
import json, sys
import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
data = load_breast_cancer()
X, y = data.data, data.target
X = (X - X.mean(axis=0)) / X.std(axis=0, ddof=1)
lines = ["label," + ",".join("x%d" % i for i in range(X.shape[1]))]
for label, row in zip(y, X):
    lines.append(",".join([str(label)] + [repr(float(v)) for v in row]))
fits = {}
for alpha in (0.1, 0.001):
    fit = LogisticRegression(C=1 / (alpha * len(y)), fit_intercept=False, solver="newton-cg",
                             tol=1e-12, max_iter=10000).fit(X, y)
    fits[str(alpha)] = [float(v) for v in fit.coef_[0]]
json.dump({"csv": "\n".join(lines) + "\n", "logistic": fits,
           "squares": np.linalg.lstsq(X, y * 1.0, rcond=None)[0].tolist()}, sys.stdout)
`

// Where no constraint binds, the best fixed action of imported rounds is what others find: that of
// logistic the LogisticRegression of scikit-learn, that of regression the least squares.
func TestImportsAgreeWithScikitLearn(t *testing.T) {
	if testing.Short() {
		t.Skip("scikit-learn takes two seconds to begin")
	}
	python := tool.Find(t, "python3-sklearn", tool.Python(), "-c", "import sklearn")
	out, err := exec.Command(python, "-c", sklearn).Output()
	if err != nil {
		t.Fatal(err)
	}
	var want struct {
		CSV      string
		Logistic map[string][]float64
		Squares  []float64
	}
	if err := json.Unmarshal(out, &want); err != nil {
		t.Fatal(err)
	}
	agree := func(what string, k recorded.Kind, weights []float64) {
		t.Helper()
		_, rec := rewritten(t, k, sheetOfText(t, want.CSV), 0)
		sum := convex.NewForm(rec.Domain.Dim())
		for i := range rec.Facts.Rounds {
			roundOf(t, rec, i+1).Loss.AddTo(sum, 1)
		}
		x := make([]float64, rec.Domain.Dim())
		if _, err := convex.NewProgram(rec.Domain).Minimize(x, sum); err != nil {
			t.Fatal(err)
		}
		for i, v := range weights {
			if math.Abs(x[i]-v) > 1e-6*(1+math.Abs(v)) {
				t.Errorf("%s: weight %d is %v, want %v", what, i+1, x[i], v)
			}
		}
	}
	agree("logistic, α = 0.1", recorded.Logistic{L2: 0.1, Rho: 1e4}, want.Logistic["0.1"])
	agree("logistic, α = 0.001", recorded.Logistic{L2: 0.001, Rho: 1e4}, want.Logistic["0.001"])
	agree("regression", recorded.Regression{Radius: 100, Bias: 100}, want.Squares)
}
