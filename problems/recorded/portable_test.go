package recorded_test

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"ocobench/internal/input"
	"ocobench/internal/long"
	"ocobench/internal/tool"
	"ocobench/problems/recorded"
)

func init() { long.InMemory() }

var imported = flag.String("imported", "", "write what TestImportIsPortable imports to this file")

// importedText returns the rounds that each kind of import makes of the data of examples. The value
// of 1 + 0.3·3.3, rate and power of the jobs, is another one when it is fused.
func importedText(t *testing.T) []byte {
	var text bytes.Buffer
	for _, c := range []struct {
		file string
		own  []int
		kind recorded.Kind
	}{
		{"power.csv", []int{1}, recorded.Jobs{Servers: 10, Power: 3.3, Gain: 4, Rate: 0.3, Segments: 8}},
		{"returns.csv", nil, recorded.Portfolio{Loss: "quadratic", Budget: 0.015, Unit: 0.01}},
		{"samples.csv", []int{1}, recorded.Regression{Intercept: true, Radius: 10, Bias: 0.1}},
	} {
		s, err := input.OpenSheet(filepath.Join("..", "..", "examples", c.file), "round",
			input.Format{})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		r, err := c.kind.Read(s, recorded.Columns{Own: c.own, Many: s.Rest(append(c.own, 0)...)})
		if err != nil {
			t.Fatal(err)
		}
		if err := r.Write(&text, recorded.Header{}); err != nil {
			t.Fatal(err)
		}
	}
	return text.Bytes()
}

// TestImportIsPortable runs imports that compute numbers on targets where the compiler
// fuses x*y + z, in a build of this test, and compares what they write. A target that is
// emulated is no part of the sample.
func TestImportIsPortable(t *testing.T) {
	if *imported != "" {
		if err := os.WriteFile(*imported, importedText(t), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	if testing.Short() {
		t.Skip("builds for other targets: skipped in short mode")
	}
	want := importedText(t)
	long.Run(t, func(t *testing.T, whole bool) {
		for _, target := range []tool.Target{tool.ARM64, tool.AMD64v3} {
			t.Run(target.Name, func(t *testing.T) {
				file := filepath.Join(t.TempDir(), "imported")
				tool.RunOn(t, target, whole, "TestImportIsPortable", "-imported="+file)
				got, err := os.ReadFile(file)
				if err != nil || !bytes.Equal(got, want) {
					t.Errorf("%s writes\n%.1000s… (%v)\nwant\n%.1000s…", target.Name, got, err, want)
				}
			})
		}
	})
}
