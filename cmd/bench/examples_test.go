package main

import (
	"encoding/csv"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"ocobench/problems"
	"ocobench/problems/convex"
)

var update = flag.Bool("update", false, "rewrite the examples; only commit the changes if you understand them")

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
			return append([]float64{r.Constraints[0].Value(make([]float64, 3))}, r.Loss.(*convex.Affine).A...)
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
				for _, v := range example.row(s.Reveal(i, nil)) {
					cells = append(cells, strconv.FormatFloat(v, 'g', 6, 64))
				}
				w.Write(cells)
			}
		}
		w.Flush()
		path := filepath.Join("../../examples", example.file)
		if *update {
			if err := os.WriteFile(path, []byte(text.String()), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		file, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if string(file) != text.String() {
			t.Errorf("%s is not what the problem %s gives", path, example.problem)
		}
	}
}
