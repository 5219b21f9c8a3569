package main

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"ocobench/cmd/bench/cli"
	"ocobench/convex"
	"ocobench/convex/vec"
	"ocobench/harness/experiment"
	"ocobench/internal/golden"
	"ocobench/problems"
)

var update = flag.Bool("update", false,
	"rewrite the examples; only commit the changes if you understand them")

// TestExampleData holds the CSV files of examples/, which stand for data of
// one's own, to what the generators give.
func TestExampleData(t *testing.T) {
	const rounds = 120
	for _, example := range []struct {
		file, problem, header string
		params                func(defaults any) any
		row                   func(r convex.Round) []float64
	}{
		{"returns.csv", "portfolio", "day,cash,grain,metal,power", func(p any) any {
			q := p.(problems.PortfolioParams)
			q.Dim, q.Loss, q.Calm, q.Turbulent, q.Unit = 4, "linear", 30, 15, 1
			return q
		}, func(r convex.Round) []float64 {
			row := make([]float64, 4)
			for i, v := range r.Loss.(*convex.Affine).A {
				row[i] = -v
			}
			return row
		}},
		{"power.csv", "job-scheduling", "slot,jobs,north,east,south", func(p any) any {
			q := p.(problems.JobSchedulingParams)
			q.Servers, q.Zones, q.Jobs, q.Period, q.SpikeProbability = 3, 3, 250, 48, 0.02
			return q
		}, func(r convex.Round) []float64 {
			return append([]float64{r.Constraints[0].Value(make([]float64, 3))},
				r.Loss.(*convex.Affine).A...)
		}},
		{"samples.csv", "regression", "sample,y,a,b,c", func(p any) any {
			q := p.(problems.RegressionParams)
			q.Dim, q.Samples, q.Noise = 3, 1, 0.3
			return q
		}, func(r convex.Round) []float64 {
			f := r.Loss.(*convex.LeastSquares)
			return append([]float64{f.Y[0]}, f.H...)
		}},
	} {
		var text strings.Builder
		w := csv.NewWriter(&text)
		w.Write(strings.Split(example.header, ","))
		for _, p := range problems.All {
			if p.Name != example.problem {
				continue
			}
			s, err := p.New(example.params(p.Params), rand.New(rand.NewPCG(1, 2)))
			if err != nil {
				t.Fatal(err)
			}
			for i := 1; i <= rounds; i++ {
				cells := []string{fmt.Sprintf("%s-%03d", example.header[:1], i)}
				for _, v := range example.row(*s.Reveal(i, nil)) {
					cells = append(cells, strconv.FormatFloat(v, 'g', 6, 64))
				}
				w.Write(cells)
			}
		}
		w.Flush()
		golden.File(t, filepath.Join("../../../examples", example.file), text.String(), *update)
	}
}

// TestExampleCurves holds examples/curves.csv to the curves a·t^p + noise that
// it is made of, and bench fit to their exponents.
func TestExampleCurves(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	exponents := map[string]float64{"regret": 0.5, "violation": 0.75}
	var text strings.Builder
	w := csv.NewWriter(&text)
	w.Write([]string{"series", "replicate", "t", "value"})
	for _, name := range []string{"regret", "violation"} {
		for replicate := 1; replicate <= 10; replicate++ {
			a := 0.5 + rng.Float64()
			for k := range 13 {
				at := math.Round(vec.Pow(10, 1+float64(k)/4))
				v := a * vec.Pow(at, exponents[name]) * (0.8 + 0.4*rng.Float64())
				w.Write([]string{name, strconv.Itoa(replicate), strconv.FormatFloat(at, 'g', -1, 64),
					strconv.FormatFloat(v, 'g', 4, 64)})
			}
		}
	}
	w.Flush()
	const path = "../../examples/curves.csv"
	golden.File(t, "../"+path, text.String(), *update)
	var stdout, stderr bytes.Buffer
	if code := cli.Main([]string{"fit", path, "--json"}, &stdout, &stderr,
		experiment.Catalog{}); code != 0 {
		t.Fatalf("exit code %d: %s", code, &stderr)
	}
	var fits []struct {
		Series                 string
		Exponent, Lower, Upper float64
		Replicates             int
	}
	if err := json.Unmarshal(stdout.Bytes(), &fits); err != nil {
		t.Fatal(err)
	}
	if len(fits) != len(exponents) {
		t.Fatalf("%d fits, want %d", len(fits), len(exponents))
	}
	for _, f := range fits {
		if p := exponents[f.Series]; !(f.Lower <= p && p <= f.Upper) || f.Upper-f.Lower > 0.15 ||
			f.Replicates != 10 {
			t.Errorf("%s: exponent %v [%v, %v] of %d replicates, want %v in an interval that is not idle",
				f.Series, f.Exponent, f.Lower, f.Upper, f.Replicates, p)
		}
	}
}
