package problems

import (
	"bytes"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"ocobench/convex"
	"ocobench/internal/errtest"
	"ocobench/problems/recorded"
)

var update = flag.Bool("update", false,
	"rewrite the golden files; only commit the changes if you understand them")

const (
	boxLine = `{"domain":{"box":{"lower":[0,0],"upper":[1,1]}},"constraints":1}` + "\n"
	oneLine = `{"t":1,"loss":{"form":{"lin":[1,2]}},"constraints":[{"form":{"const":-1}}]}` + "\n"
)

func TestFaultyTraceFilesAreRefused(t *testing.T) {
	dir := t.TempDir()
	broken := filepath.Join(dir, "broken.jsonl")
	if err := os.WriteFile(broken, []byte(boxLine+"{"), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ file, want string }{
		{"", "no file given"},
		{filepath.Join(dir, "missing.jsonl"), "missing.jsonl: there is no such file"},
		{dir, "is a directory"},
		{broken, broken + ":2:2: "},
	} {
		_, err := trace.New(TraceParams{File: c.file}, nil)
		errtest.Contains(t, err, c.want, "file %q", c.file)
		_, _, err = Load(TraceParams{File: c.file})
		errtest.Contains(t, err, c.want, "loading file %q", c.file)
	}
}

func TestFingerprintFollowsContentAndWindow(t *testing.T) {
	_, got, err := Load(TraceParams{File: "testdata/rounds.jsonl"})
	const want = "c2640a6576d7d5e330a79d9beba342c7a3b146f8bfc4d72099d007506fafef3b" // sha256sum
	if got != want || err != nil {
		t.Errorf("fingerprint %s, %v, want %s", got, err, want)
	}
}

// wholeTrace returns the stream of all rounds of a recording.
func wholeTrace(r *recorded.Recording) *traceStream { return streamOf(r, 0, r.Facts.Rounds) }

// TestWindowsBeginAnywhere: a window is consecutive rounds of the file from a start that the seed
// draws, and all starts come up.
func TestWindowsBeginAnywhere(t *testing.T) {
	const rounds = 9
	file := filepath.Join(t.TempDir(), "rounds.jsonl")
	text := boxLine
	for i := range rounds {
		text += fmt.Sprintf(`{"t":%d,"loss":{"form":{"const":%d}},"constraints":[{"form":{"const":-1}}]}`+
			"\n", i+1, i+1)
	}
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	x := []float64{0, 0}
	for _, window := range []int{0, 1, 4, 8, rounds} {
		starts := map[float64]int{}
		length := window
		if window == 0 {
			length = rounds
		}
		const seeds = 600
		for seed := range uint64(seeds) {
			s, err := trace.New(TraceParams{File: file, Window: window}, rand.New(rand.NewPCG(seed, 0)))
			if err != nil {
				t.Fatal(err)
			}
			if f := s.Facts(); f.Rounds != length || f.Deterministic != (length == rounds) {
				t.Fatalf("window %d: got facts %+v, want %d rounds", window, f, length)
			}
			first := s.Reveal(1, nil).Loss.Value(x)
			starts[first]++
			for i := 2; i <= length; i++ {
				if v := s.Reveal(i, nil).Loss.Value(x); v != first+float64(i-1) {
					t.Fatalf("window %d: got round %v of the file after %v, want the rounds in order", window, v,
						first)
				}
			}
			if !panics(func() { s.Reveal(length+1, nil) }) {
				t.Fatalf("window %d: got a round beyond its last, want a panic", window)
			}
		}
		possible := rounds - length + 1
		if len(starts) != possible {
			t.Errorf("window %d has %d starts, want %d", window, len(starts), possible)
		}
		for start, n := range starts { // six standard deviations
			if mean := seeds / float64(possible); math.Abs(float64(n)-mean) > 6*math.Sqrt(mean) {
				t.Errorf("window %d: the start %v comes up %d times of %d, want about %.0f", window, start, n,
					seeds, mean)
			}
		}
	}
	_, err := trace.New(TraceParams{File: file, Window: rounds + 1}, nil)
	errtest.Contains(t, err, "window 10 is more than the 9 rounds", "a window longer than the file")
}

// panics reports whether a function panics.
func panics(f func()) (yes bool) {
	defer func() { yes = recover() != nil }()
	f()
	return false
}

// TestLoadedTraceOutlivesItsFile: what was read is what is played, by every stream, whatever
// becomes of the file.
func TestLoadedTraceOutlivesItsFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "rounds.jsonl")
	write := func(text string) {
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write(boxLine + oneLine)
	loaded, before, err := Load(TraceParams{File: file})
	if err != nil {
		t.Fatal(err)
	}
	write(boxLine + `{"t":1,"loss":{"form":{"const":77}},"constraints":[{"form":{}}]}`)
	for range 2 {
		s, err := trace.New(loaded, nil)
		if err != nil {
			t.Fatal(err)
		}
		if v := s.Reveal(1, nil).Loss.Value([]float64{0, 0}); v == 77 {
			t.Error("got rounds of a file that was changed since, want those that were loaded")
		}
	}
	if _, after, _ := Load(loaded); after == before {
		t.Error("got the old fingerprint of a changed file, want another")
	}
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	if _, err := trace.New(loaded, nil); err != nil {
		t.Errorf("without its file: got error %v, want the loaded trace", err)
	}
}

// isNear reports whether two numbers agree to nine digits.
func isNear(a, b float64) bool { return math.Abs(a-b) <= 1e-9*max(1, math.Abs(a), math.Abs(b)) }

// TestRecordedGeneratorsReadBackExactly plays every generator into the format and reads it back:
// the functions read have the values, the subgradients and the normal forms of the functions
// written, bit for bit, and what was one basis in several rounds is one again. No problem is
// opaque.
func TestRecordedGeneratorsReadBackExactly(t *testing.T) {
	for _, c := range testInstances() {
		if c.problem.Name == "trace" {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			checkRoundTrip(t, c.name, func() Stream { return c.stream(t, 11) })
		})
		combined := c
		combined.problem = c.problem.Combined()
		t.Run(c.name+" combined", func(t *testing.T) {
			checkRoundTrip(t, c.name, func() Stream { return combined.stream(t, 11) })
		})
	}
}

// checkRoundTrip writes rounds of a stream, reads them back, and compares the functions, the facts
// and the text.
func checkRoundTrip(t *testing.T, name string, start func() Stream) {
	const count = 60
	rng := rand.New(rand.NewPCG(5, 6))
	s := start()
	n := s.Set().Dim()
	var file bytes.Buffer
	w := recorded.NewWriter(&file)
	facts := s.Facts()
	header := recorded.Header{Domain: s.Set(), Constraints: s.Constraints(), Facts: &facts,
		Bases: BasesOf(s), Algorithm: "by \"hand\"", Problem: name, Seed: 1<<64 - 1, Replicate: 2, Version: "v", Go: "go",
		GOARCH: "arch"}
	if err := w.Header(header); err != nil {
		t.Fatal(err)
	}
	var actions [][]float64
	for i := 1; i <= count; i++ {
		x := randomPoint(s.Set(), rng)
		actions = append(actions, x)
		if err := w.Round(i, x, s.Reveal(i, x)); err != nil {
			t.Fatal(err)
		}
	}
	text := file.String()
	if strings.Contains(text, "opaque") {
		t.Fatalf("got an opaque function, want none: %.2000s", text)
	}
	rec, err := recorded.Read(&file, "f")
	if err != nil {
		t.Fatal(err)
	}
	back := wholeTrace(rec)
	if !reflect.DeepEqual(withoutScratch(back.Set()), withoutScratch(s.Set())) ||
		back.Constraints() != s.Constraints() || back.Facts().Rounds != count {
		t.Fatalf("got %+v, %d constraints, %d rounds, want %+v, %d, %d", back.Set(), back.Constraints(),
			back.Facts().Rounds, s.Set(), s.Constraints(), count)
	}
	declared := s.Facts()
	declared.Rounds, declared.Diameter = count, back.Facts().Diameter
	declared.Adaptive, declared.Deterministic, declared.KnownOptimum = false, true, false
	if back.Facts() != declared {
		t.Errorf("got facts %+v, want %+v as written", back.Facts(), declared)
	}
	again, twins := start(), make(map[*convex.Basis]*convex.Basis)
	got, want := make([]float64, n), make([]float64, n)
	for i := 1; i <= count; i++ {
		r, o := back.Reveal(i, nil), again.Reveal(i, actions[i-1])
		x := randomPoint(s.Set(), rng)
		for j, f := range append([]convex.Func{r.Loss}, r.Constraints...) {
			original := append([]convex.Func{o.Loss}, o.Constraints...)[j]
			original.Subgrad(want, x)
			f.Subgrad(got, x)
			if f.Value(x) != original.Value(x) || !reflect.DeepEqual(got, want) {
				t.Fatalf("round %d, function %d at %v: %v %v, originally %v %v", i, j, x, f.Value(x), got,
					original.Value(x), want)
			}
			form, normal := convex.Lower(f, n), convex.Lower(original, n)
			for k, term := range form.Terms {
				if k >= len(normal.Terms) {
					break
				}
				if twin := twins[term.Basis]; twin == nil {
					twins[term.Basis] = normal.Terms[k].Basis
				}
				form.Terms[k].Basis = twins[term.Basis]
			}
			if !form.Equal(normal) {
				t.Fatalf("round %d, function %d: got normal form %+v, want %+v", i, j, form, normal)
			}
		}
	}
}

// withoutScratch returns what defines a set, without its scratch space.
func withoutScratch(s convex.Set) any {
	if s, ok := s.(*convex.Simplex); ok {
		return [2]float64{float64(s.N), s.Scale}
	}
	return s
}
