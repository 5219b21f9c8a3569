package figure_test

import (
	"fmt"
	"log"
	"math"
	"os"
	"path/filepath"

	"ocobench/report/figure"
)

func Example() {
	curve := figure.Series{Label: `Penalised FTRL, $\gamma=25$`}
	for t := 1.0; t <= 1e4; t *= 10 {
		v := 3 * math.Sqrt(t)
		curve.X = append(curve.X, t)
		curve.Y = append(curve.Y, v)
		curve.Lower = append(curve.Lower, 0.8*v)
		curve.Upper = append(curve.Upper, 1.2*v)
	}
	curve.Y[0] = 0 // has no logarithm

	f := &figure.Figure{Panels: []figure.Panel{{
		X:      figure.Axis{Label: "round $t$", Scale: figure.Log},
		Y:      figure.Axis{Label: `violation $V_t$`, Scale: figure.Log},
		Series: []figure.Series{curve},
		Guides: []figure.Guide{{Slope: 0.5, X: 1, Y: 1}},
		Marks:  []figure.Mark{{X: 1000, Label: "$T_0$"}},
	}}}

	dir, err := os.MkdirTemp("", "figure")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	files, err := f.Save(dir, "violation", figure.Formats...)
	if err != nil {
		log.Fatal(err)
	}
	for _, path := range files {
		fmt.Println(filepath.Base(path))
	}
	fmt.Println("a value is not positive:", f.HasChevrons())
	// Output:
	// violation.pdf
	// violation.svg
	// violation.png
	// a value is not positive: true
}
