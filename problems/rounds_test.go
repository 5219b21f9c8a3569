package problems

import (
	"bytes"
	"cmp"
	"flag"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"
	"unicode"

	"ocobench/convex"
)

var update = flag.Bool("update", false, "rewrite the golden files; only commit the changes if you understand them")

// checkGolden compares got with a file of testdata.
func checkGolden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got == string(want) {
		return
	}
	g, w := strings.Split(got, "\n"), strings.Split(string(want), "\n")
	for i := range max(len(g), len(w)) {
		var a, b string
		if i < len(g) {
			a = g[i]
		}
		if i < len(w) {
			b = w[i]
		}
		if a != b {
			t.Errorf("%s:%d:\n got %s\nwant %s", path, i+1, a, b)
		}
	}
}

const (
	boxLine = `{"domain":{"box":{"lower":[0,0],"upper":[1,1]}},"constraints":1}` + "\n"
	oneLine = `{"t":1,"loss":{"form":{"lin":[1,2]}},"constraints":[{"form":{"const":-1}}]}` + "\n"
)

// loss returns a file whose only round has this form of the loss.
func loss(form string) string {
	return boxLine + `{"t":1,"loss":{"form":` + form + `},"constraints":[{"form":{}}]}`
}

// TestRefusals has every way known to us to get a round file wrong. The golden
// file is for reading: does each message say where, what and what to do?
func TestRefusals(t *testing.T) {
	refused := []string{
		// the file
		"",
		"\n \n",
		boxLine,
		oneLine,
		boxLine + oneLine + oneLine,
		boxLine + strings.Replace(oneLine, `"t":1`, `"t":0`, 1),
		boxLine + strings.Replace(oneLine, `"t":1`, `"t":1.5`, 1),
		boxLine + strings.Replace(oneLine, `"t":1`, `"t":"1"`, 1),
		boxLine + strings.Replace(oneLine, `"t":1`, `"t":-1`, 1),
		boxLine + oneLine[:len(oneLine)/2],
		boxLine + oneLine[:30],
		boxLine + oneLine[:5],
		boxLine + `{"t":1,"loss":{"form":{"const":1`,
		boxLine + oneLine[:len(oneLine)-1] + "}",
		boxLine + "[1,2]",
		"t,x,y\n1,2,3\n",
		"\xef\xbb\xbf" + boxLine + oneLine,
		"\x1f\x8b\x08\x00\x00",
		// the first line
		`{"domain":{"box":{"lower":[0,0],"upper":[1,1]}}}`,
		`{"constraints":1}`,
		`{"domain":{"box":{"lower":[0],"upper":[1]}},"constraints":0}`,
		`{"domain":{"box":{"lower":[0],"upper":[1]}},"constraints":1.5}`,
		`{"domain":{"box":{"lower":[0],"upper":[1]}},"constraints":"two"}`,
		`{"domain":{"box":{"lower":[0],"upper":[1]}},"constraints":1,"sed":1}`,
		`{"domain":{"box":{"lower":[0],"upper":[1]}},"constraints":1,"seed":[1]}`,
		`{"domain":{"box":{"lower":[0],"upper":[1]}},"constraints":1,"domain":{"box":{"lower":[0],"upper":[1]}}}`,
		`{"domain":[0,1],"constraints":1}`,
		`{"domain":{},"constraints":1}`,
		`{"domain":{"box":{"lower":[0],"upper":[1]},"ball":{"center":[0],"radius":1}},"constraints":1}`,
		`{"domain":{"cube":{"lower":[0],"upper":[1]}},"constraints":1}`,
		`{"domain":{"box":{"lower":[2],"upper":[1]}},"constraints":1}`,
		`{"domain":{"box":{"lower":[0,0],"upper":[1]}},"constraints":1}`,
		`{"domain":{"box":{"lower":[],"upper":[]}},"constraints":1}`,
		`{"domain":{"box":{"lower":[0]}},"constraints":1}`,
		`{"domain":{"box":{"lower":[-Infinity],"upper":[1]}},"constraints":1}`,
		`{"domain":{"ball":{"center":[0,0],"radius":-1}},"constraints":1}`,
		`{"domain":{"ball":{"center":[],"radius":1}},"constraints":1}`,
		`{"domain":{"simplex":{"dim":1000000000,"scale":1}},"constraints":1}`,
		`{"domain":{"simplex":{"dim":0,"scale":1}},"constraints":1}`,
		`{"domain":{"simplex":{"dim":2,"scale":0}},"constraints":1}`,
		// rounds
		boxLine + `{}`,
		boxLine + `{"t":1,"loss":{"form":{}}}`,
		boxLine + `{"t":1,"t":1,"loss":{"form":{}},"constraints":[{"form":{}}]}`,
		boxLine + `{"t":1,"loss":{"form":{}},"constraints":[{"form":{}}],"cost":1}`,
		boxLine + `{"t":1,"loss":{"form":{}},"constraints":[]}`,
		boxLine + `{"t":1,"loss":{"form":{}},"constraints":[{"form":{}},{"form":{}}]}`,
		boxLine + `{"t":1,"loss":{"form":{}},"constraints":{"form":{}}}`,
		boxLine + `{"t":1,"loss":{},"constraints":[{"form":{}}]}`,
		boxLine + `{"t":1,"loss":3,"constraints":[{"form":{}}]}`,
		boxLine + `{"t":1,"loss":null,"constraints":[{"form":{}}]}`,
		boxLine + `{"t":1,"x":[1],"loss":{"form":{}},"constraints":[{"form":{}}]}`,
		boxLine + `{"t":1,"x":[0,0],"loss":{"value":1,"form":{"const":2}},"constraints":[{"form":{}}]}`,
		boxLine + `{"t":1,"x":[1,1],"loss":{"form":{}},"constraints":[{"form":{"lin":[1,1]},"value":2.00001}]}`,
		boxLine + `{"t":1,"x":[1,NaN],"loss":{"form":{}},"constraints":[{"form":{}}]}`,
		boxLine + `{"t":1,"loss":{"value":1,"form":{"opaque":true},"subgradient":[1,1]},"constraints":[{"form":{}}]}`,
		boxLine + `{"t":1 "loss":{"form":{}},"constraints":[{"form":{}}]}`,
		boxLine + `{"t" 1,"loss":{"form":{}},"constraints":[{"form":{}}]}`,
		boxLine + `{t:1,"loss":{"form":{}},"constraints":[{"form":{}}]}`,
		boxLine + `{"t":1,"loss":{"form":{}},"constraints":[{"form":{}}],}`,
		// forms
		loss(`{"opaque":false}`),
		loss(`{"linear":[1,2]}`),
		loss(`{"const":NaN}`),
		loss(`{"const":"NaN"}`),
		loss(`{"const":-inf}`),
		loss(`{"const":1e999}`),
		loss(`{"const":01}`),
		loss(`{"const":+1}`),
		loss(`{"const":1.}`),
		loss(`{"const":true}`),
		loss(`{"const":[1]}`),
		loss(`{"const":null}`),
		loss(`{"const":1,"const":2}`),
		loss(`{"lin":[1]}`),
		loss(`{"lin":[1,2,3]}`),
		loss(`{"lin":[]}`),
		loss(`{"lin":1}`),
		loss(`{"lin":[1,"2"]}`),
		loss(`{"lin":[1,,2]}`),
		loss(`{"lin":[1 2]}`),
		loss(`{"quad":[1,0,0,1]}`),
		loss(`{"quad":[[1,0]]}`),
		loss(`{"quad":[[1,0],[0]]}`),
		loss(`{"quad":[[1,0],[0,1],[0,0]]}`),
		loss(`{"quad":[[1,2],[0,1]]}`),
		loss(`{"quad":[[1,0],[0,-1]]}`),
	}
	var golden strings.Builder
	for _, text := range refused {
		rec, err := readRounds(strings.NewReader(text), "rounds.jsonl")
		if err == nil {
			t.Errorf("accepted: %s\n%+v", text, rec)
			continue
		}
		if !strings.HasPrefix(err.Error(), "rounds.jsonl:") {
			t.Errorf("%q: the error has no place: %v", text, err)
		}
		fmt.Fprintf(&golden, "%s\n", err)
	}
	checkGolden(t, "refusals.golden", golden.String())
}

func TestTraceFileErrors(t *testing.T) {
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
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("file %q: error %v, want %q", c.file, err, c.want)
		}
		if _, _, err := Load(TraceParams{File: c.file}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("loading file %q: error %v, want %q", c.file, err, c.want)
		}
	}
}

// endless is a text that is repeated for ever, as a device does.
type endless string

func (e endless) Read(b []byte) (int, error) {
	for i := 0; i < len(b); i += len(e) {
		copy(b[i:], e)
	}
	return len(b), nil
}

// TestHostileFiles has files that a bounded reader refuses: in a time and a memory
// that are theirs, and with a message that is short and can be printed.
func TestHostileFiles(t *testing.T) {
	dir := t.TempDir()
	sparse := filepath.Join(dir, "sparse.jsonl")
	if err := os.WriteFile(sparse, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(sparse, 1<<40); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ file, want string }{
		{"/dev/zero", "is neither a regular file nor a pipe"},
		{"/dev/null", "is neither a regular file nor a pipe"},
		{sparse, "has more than 1 GiB, the limit"},
		{strings.Repeat("x", 5000), "file name too long"},
		{"a\x1b[2J\nb", "there is no such file"},
	} {
		_, _, err := Load(TraceParams{File: c.file})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("file %.20q: error %v, want %q", c.file, err, c.want)
		}
		harmless(t, err)
	}
	long := strings.Repeat("9", 1<<20)
	plane := `{"domain":{"simplex":{"dim":10000,"scale":1}},"constraints":1}` + "\n"
	for name, c := range map[string]struct {
		text io.Reader
		want string
	}{
		"zeros":        {endless("\x00"), "the line has more than"},
		"no end":       {io.MultiReader(strings.NewReader(boxLine), endless(" ")), "f:2: the line has more than"},
		"brackets":     {strings.NewReader(strings.Repeat("[", 1<<20)), "expected an object"},
		"deep":         {strings.NewReader(boxLine + `{"x":` + strings.Repeat("[", 1<<20)), "expected a number"},
		"a key":        {strings.NewReader(boxLine + `{"` + strings.Repeat("k", 1<<20) + `":1}`), "unknown key"},
		"a number":     {strings.NewReader(boxLine + `{"t":` + long + `}`), "is too large for a 64-bit number"},
		"a word":       {strings.NewReader(boxLine + `{"t":` + strings.Repeat("a", 1<<20) + `}`), "expected a number"},
		"a text":       {strings.NewReader(boxLine + `{"t":"` + strings.Repeat("\x1b", 1<<20) + `"}`), "expected a number"},
		"a box":        {strings.NewReader(`{"domain":{"box":{"lower":[0` + strings.Repeat(",0", 20000) + `],"upper":[1` + strings.Repeat(",1", 20000) + `]}},"constraints":1}`), "expected at most 10000"},
		"constraints":  {strings.NewReader(`{"domain":{"ball":{"center":[0],"radius":1}},"constraints":2000000000}` + "\n" + oneLine), "the limits; split the file"},
		"a quadratic":  {strings.NewReader(plane + `{"t":1,"loss":{"form":{"quad":[]}},"constraints":[{"form":{}}]}`), "expected at most 1000"},
		"a long list":  {strings.NewReader(boxLine + `{"t":1,"x":[0` + strings.Repeat(",0", 1<<20) + `]}`), "expected 2"},
		"empty lines":  {strings.NewReader(strings.Repeat("\n", 1<<20)), "the file is empty"},
		"escaped":      {strings.NewReader(boxLine + "\x1b[2J"), "expected an object"},
		"carriage":     {strings.NewReader(strings.Repeat("\r", 1<<20)), "the file is empty"},
		"a byte order": {strings.NewReader(strings.Repeat("\xef\xbb\xbf", 1<<18)), "byte order mark"},
	} {
		start := time.Now()
		_, err := readRounds(c.text, "f")
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %.200v, want %q", name, err, c.want)
		}
		harmless(t, err)
		if took := time.Since(start); took > 10*time.Second {
			t.Errorf("%s: refused after %v", name, took)
		}
	}
}

// harmless checks that a message is short and can be printed.
func harmless(t *testing.T, err error) {
	t.Helper()
	if err == nil {
		return
	}
	text := err.Error()
	if len(text) > 1000 || strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) }) {
		t.Errorf("the message has %d characters, or some that cannot be printed: %.300q", len(text), text)
	}
}

// TestEmptyFunctionsOfManyDimensions: a few bytes that ask for many dimensions are
// read in a time in proportion to the bytes.
func TestEmptyFunctionsOfManyDimensions(t *testing.T) {
	var b strings.Builder
	b.WriteString(`{"domain":{"simplex":{"dim":10000,"scale":1}},"constraints":20}` + "\n")
	for i := range 5000 {
		fmt.Fprintf(&b, `{"t":%d,"loss":{"form":{}},"constraints":[{"form":{}}%s]}`+"\n", i+1, strings.Repeat(`,{"form":{}}`, 19))
	}
	start := time.Now()
	rec, err := readRounds(strings.NewReader(b.String()), "f")
	if err != nil {
		t.Fatal(err)
	}
	if rec.freeze().facts.Rounds != 5000 {
		t.Error("not all rounds were read")
	}
	if took := time.Since(start); took > 10*time.Second {
		t.Errorf("%d bytes are read in %v", b.Len(), took)
	}
}

// faulty fails after some bytes, as a disk does.
type faulty struct{ r io.Reader }

func (f faulty) Read(b []byte) (int, error) {
	n, err := f.r.Read(b)
	if err == io.EOF {
		err = fmt.Errorf("input/output error")
	}
	return n, err
}

func TestReadErrorHasPlace(t *testing.T) {
	_, err := readRounds(faulty{strings.NewReader(boxLine + oneLine)}, "f")
	if got, want := fmt.Sprint(err), "f:3: input/output error"; got != want {
		t.Errorf("error %q, want %q", got, want)
	}
}

func TestFingerprint(t *testing.T) {
	_, got, err := Load(TraceParams{File: "testdata/rounds.jsonl"})
	const want = "54780e7ad573c2507144e0c848627e226570aa3a62333e3f6e3749d1042c8e9c" // sha256sum
	if got != want || err != nil {
		t.Errorf("fingerprint %s, %v, want %s", got, err, want)
	}
}

// whole is the stream of all rounds.
func (r *rounds) whole() *traceStream { return r.stream(0, r.facts.Rounds) }

// TestWindow: a window is consecutive rounds of the file from a start that the seed
// draws, and all starts come up.
func TestWindow(t *testing.T) {
	const rounds = 9
	file := filepath.Join(t.TempDir(), "rounds.jsonl")
	text := boxLine
	for i := range rounds {
		text += fmt.Sprintf(`{"t":%d,"loss":{"form":{"const":%d}},"constraints":[{"form":{"const":-1}}]}`+"\n", i+1, i+1)
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
				t.Fatalf("window %d has the facts %+v", window, f)
			}
			first := s.Reveal(1, nil).Loss.Value(x)
			starts[first]++
			for i := 2; i <= length; i++ {
				if v := s.Reveal(i, nil).Loss.Value(x); v != first+float64(i-1) {
					t.Fatalf("window %d: round %v of the file follows %v", window, v, first)
				}
			}
			if !panics(func() { s.Reveal(length+1, nil) }) {
				t.Fatalf("window %d reveals a round beyond its last", window)
			}
		}
		possible := rounds - length + 1
		if len(starts) != possible {
			t.Errorf("window %d has %d starts, want %d", window, len(starts), possible)
		}
		for start, n := range starts { // six standard deviations
			if mean := seeds / float64(possible); math.Abs(float64(n)-mean) > 6*math.Sqrt(mean) {
				t.Errorf("window %d: the start %v comes up %d times of %d, want about %.0f", window, start, n, seeds, mean)
			}
		}
	}
	_, err := trace.New(TraceParams{File: file, Window: rounds + 1}, nil)
	if err == nil || !strings.Contains(err.Error(), "window 10 is more than the 9 rounds") {
		t.Errorf("a window longer than the file: %v", err)
	}
}

func panics(f func()) (yes bool) {
	defer func() { yes = recover() != nil }()
	f()
	return false
}

// TestLoadedOnce: what was read is what is played, by every stream, whatever becomes
// of the file.
func TestLoadedOnce(t *testing.T) {
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
			t.Error("a loaded trace plays a file that was changed since")
		}
	}
	if _, after, _ := Load(loaded); after == before {
		t.Error("loaded again, the changed file has the fingerprint of the old one")
	}
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	if _, err := trace.New(loaded, nil); err != nil {
		t.Errorf("a loaded trace cannot be played without its file: %v", err)
	}
}

// TestReadByHand reads testdata/rounds.jsonl, which was written by hand.
func TestReadByHand(t *testing.T) {
	s, err := trace.New(TraceParams{File: "testdata/rounds.jsonl"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	// ‖(1,0)‖, ‖(1,½)‖ of the affine constraint; of the quadratic one the
	// gradient (0, 2) at the centre (0, 1) and √5·√2 around it.
	wantFacts := convex.Facts{
		LossLipschitz:       math.Sqrt(math.Pow(-1+1, 2)+math.Pow(-2+2, 2)) + math.Sqrt(10)*math.Sqrt2,
		ConstraintLipschitz: 2 + math.Sqrt(5)*math.Sqrt2,
		Diameter:            2 * math.Sqrt2,
		Rounds:              4,
		Deterministic:       true,
	}
	facts := s.Facts()
	facts.LossRange, facts.ConstraintBound = 0, 0
	if !near(facts.LossLipschitz, wantFacts.LossLipschitz) || !near(facts.ConstraintLipschitz, wantFacts.ConstraintLipschitz) {
		t.Errorf("facts %+v, want %+v", facts, wantFacts)
	}
	facts.LossLipschitz, facts.ConstraintLipschitz = wantFacts.LossLipschitz, wantFacts.ConstraintLipschitz
	if facts != wantFacts {
		t.Errorf("facts %+v, want %+v", facts, wantFacts)
	}
	x := []float64{1, 2}
	var bases []*convex.Basis
	for i, want := range [][3]float64{
		{-3, 4, 0.75}, // ½(1+2·4) − ½
		{-2, 4.25, -0.125},
		{2 - 1 - 4 + 1 + 2 + 4, 3.75, 1},
		{-2, 4, 0},
	} {
		r := s.Reveal(i+1, nil)
		got := [3]float64{r.Loss.Value(x), r.Constraints[0].Value(x), r.Constraints[1].Value(x)}
		if got != want {
			t.Errorf("round %d at %v: %v, want %v", i+1, x, got, want)
		}
		bases = append(bases, convex.Lower(r.Constraints[0], 2).Terms[0].Basis)
	}
	for _, b := range bases {
		if b != bases[0] {
			t.Errorf("a quadratic constraint that only moves up and down has bases %v, want one", bases)
		}
	}
	defer func() {
		if r := recover(); r == nil {
			t.Error("round 5 of 4 did not panic")
		}
	}()
	s.Reveal(5, nil)
}

func near(a, b float64) bool { return math.Abs(a-b) <= 1e-9*max(1, math.Abs(a), math.Abs(b)) }

// TestFamilyOfTwo: two quadratic functions in turn are two bases, even if
// rounds lie between.
func TestFamilyOfTwo(t *testing.T) {
	var b strings.Builder
	b.WriteString(boxLine)
	for i := range 30 {
		form := `{"quad":[[1,0],[0,2]],"const":-1}`
		if i%3 == 0 {
			form = `{"quad":[[2,0],[0,1]],"lin":[1,0],"const":-2}`
		}
		fmt.Fprintf(&b, `{"t":%d,"loss":{"form":{"lin":[%d,1]}},"constraints":[{"form":%s}]}`+"\n", i+1, i, form)
	}
	rec, err := readRounds(strings.NewReader(b.String()), "f")
	if err != nil {
		t.Fatal(err)
	}
	s, sum := rec.freeze().whole(), convex.NewForm(2)
	for i := range 30 {
		s.Reveal(i+1, nil).Constraints[0].AddTo(sum, 1)
	}
	if len(sum.Terms) != 2 || sum.Const != 0 {
		t.Errorf("sum %+v, want two terms", sum)
	}
}

// TestRoundTrip plays every generator into the format and reads it back: the
// functions read have the bits of the functions written, lowered to a form. An
// affine function has them outright; a quadratic one adds up its terms in the
// order of [convex.Quadratic].
func TestRoundTrip(t *testing.T) {
	for _, c := range cases() {
		if c.problem.Name == "trace" {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			const rounds = 60
			rng := rand.New(rand.NewPCG(5, 6))
			s := c.stream(t, 11)
			n := s.Set().Dim()
			var file bytes.Buffer
			w := NewRoundWriter(&file)
			header := RoundHeader{Domain: s.Set(), Constraints: s.Constraints(), Algorithm: "by \"hand\"", Problem: c.name, Seed: 1<<64 - 1, Replicate: 2, Version: "v", Go: "go", GOARCH: "arch"}
			if err := w.WriteHeader(header); err != nil {
				t.Fatal(err)
			}
			var actions [][]float64
			var forms [][]*convex.Form
			opaque := false
			for i := 1; i <= rounds; i++ {
				x := point(s.Set(), rng)
				actions = append(actions, x)
				r := s.Reveal(i, x)
				var fs []*convex.Form
				for _, f := range append([]convex.Func{r.Loss}, r.Constraints...) {
					form, ok := expand(f, n)
					opaque = opaque || !ok
					fs = append(fs, form)
				}
				forms = append(forms, fs)
				if err := w.WriteRound(i, x, *r); err != nil {
					t.Fatal(err)
				}
			}
			text := file.String()
			rec, err := readRounds(&file, "f")
			if opaque {
				if err == nil || !strings.Contains(err.Error(), "opaque") || !strings.Contains(text, `"form":{"opaque":true},"subgradient":[`) {
					t.Errorf("opaque functions were read back: %v", err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			back := rec.freeze().whole()
			if !reflect.DeepEqual(bare(back.Set()), bare(s.Set())) || back.Constraints() != s.Constraints() || back.Facts().Rounds != rounds {
				t.Fatalf("read %+v, %d constraints, %d rounds", back.Set(), back.Constraints(), back.Facts().Rounds)
			}
			if a, b := s.Facts(), back.Facts(); a.Affine != b.Affine || a.Fixed && !b.Fixed {
				t.Errorf("read facts %+v, written %+v", b, a)
			}
			again := c.stream(t, 11)
			got, want := make([]float64, n), make([]float64, n)
			for i := 1; i <= rounds; i++ {
				r, o := back.Reveal(i, nil), again.Reveal(i, actions[i-1])
				x := point(s.Set(), rng)
				for j, f := range append([]convex.Func{r.Loss}, r.Constraints...) {
					form := forms[i-1][j]
					original := append([]convex.Func{o.Loss}, o.Constraints...)[j]
					twin := convex.Func(&convex.Affine{A: form.Lin, B: form.Const})
					if len(form.Quad) > 0 {
						twin = &convex.Quadratic{Q: form.Quad, A: form.Lin, B: form.Const}
					}
					if _, ok := original.(*convex.Affine); ok {
						twin = original
					}
					twin.Subgrad(want, x)
					f.Subgrad(got, x)
					if f.Value(x) != twin.Value(x) || !reflect.DeepEqual(got, want) {
						t.Fatalf("round %d, function %d at %v: %v %v, want %v %v", i, j, x, f.Value(x), got, twin.Value(x), want)
					}
					if v := original.Value(x); !near(v, f.Value(x)) {
						t.Fatalf("round %d, function %d at %v: %v, originally %v", i, j, x, f.Value(x), v)
					}
				}
			}
			// What is read and written again is the same file, but for values.
			if again := rewrite(t, rec, header); stripValues(t, again) != stripValues(t, text) {
				t.Errorf("read and written again:\n%s\nnot\n%s", again, text)
			}
		})
	}
}

// expand lowers f with its bases written out, and tells whether that works.
func expand(f convex.Func, n int) (*convex.Form, bool) {
	form := convex.Lower(f, n)
	plain := &convex.Form{Const: form.Const, Lin: form.Lin, Quad: form.Quad}
	for _, term := range form.Terms {
		basis, ok := term.Basis.Expand(n)
		if !ok {
			return form, false
		}
		basis.AddTo(plain, term.Scale)
	}
	return plain, true
}

// bare is a set without its scratch space.
func bare(s convex.Set) any {
	if s, ok := s.(*convex.Simplex); ok {
		return [2]float64{float64(s.N), s.Scale}
	}
	return s
}

func rewrite(t testing.TB, rec *recording, header RoundHeader) string {
	t.Helper()
	var b bytes.Buffer
	w := NewRoundWriter(&b)
	if err := w.WriteHeader(header); err != nil {
		t.Fatal(err)
	}
	s := rec.freeze().whole()
	x := make([]float64, rec.domain.Dim())
	for i := range rec.rounds() {
		if err := w.WriteRound(i+1, x, *s.Reveal(i+1, nil)); err != nil {
			t.Fatal(err)
		}
	}
	return b.String()
}

// stripValues takes x and the values out of the text of rounds.
func stripValues(t testing.TB, text string) string {
	t.Helper()
	var b strings.Builder
	for {
		i := strings.IndexAny(text, "xv")
		if i < 0 {
			b.WriteString(text)
			return b.String()
		}
		b.WriteString(text[:i])
		text = text[i:]
		switch {
		case strings.HasPrefix(text, `x":[`):
			text = text[strings.Index(text, "]"):]
		case strings.HasPrefix(text, `value":`):
			text = text[strings.Index(text, ","):]
		default:
			b.WriteByte(text[0])
			text = text[1:]
		}
	}
}

func TestWriterRefuses(t *testing.T) {
	var b bytes.Buffer
	w := NewRoundWriter(&b)
	if err := w.WriteHeader(RoundHeader{Domain: convex.Cube(1, 0, 1), Constraints: 1}); err != nil {
		t.Fatal(err)
	}
	written := b.Len()
	g := []convex.Func{&convex.Affine{A: []float64{0}}}
	for _, v := range []float64{math.NaN(), math.Inf(1)} {
		err := w.WriteRound(3, []float64{0}, convex.Round{Loss: &convex.Affine{A: []float64{0}, B: v}, Constraints: g})
		if err == nil || !strings.Contains(err.Error(), "round 3 cannot be written") || b.Len() != written {
			t.Errorf("loss %v: error %v, %d bytes written", v, err, b.Len()-written)
		}
	}
	if err := w.WriteRound(1, []float64{0}, convex.Round{Loss: g[0], Constraints: g}); err != nil {
		t.Errorf("after an error: %v", err)
	}
	const want = `{"t":1,"x":[0],"loss":{"value":0,"form":{}},"constraints":[{"value":0,"form":{}}]}` + "\n"
	if got := b.String()[written:]; got != want {
		t.Errorf("zero functions: %s, want %s", got, want)
	}
	written = b.Len()
	norm := convex.NewBasis(&convex.Distance{Weight: 1, Center: []float64{0}})
	err := w.WriteRound(2, nil, convex.Round{Loss: norm, Constraints: g})
	if err == nil || !strings.Contains(err.Error(), "round 2 cannot be written: a function that is neither affine nor quadratic") || b.Len() != written {
		t.Errorf("no action: error %v, %d bytes written", err, b.Len()-written)
	}
	if err := w.WriteRound(2, nil, convex.Round{Loss: &convex.Affine{A: []float64{2}, B: 1}, Constraints: g}); err != nil {
		t.Errorf("no action: %v", err)
	}
	const bare = `{"t":2,"loss":{"form":{"const":1,"lin":[2]}},"constraints":[{"form":{}}]}` + "\n"
	if got := b.String()[written:]; got != bare {
		t.Errorf("no action: %s, want %s", got, bare)
	}
}

// FuzzReadRounds: no text makes the reader panic, and what it accepts can be
// revealed, written and read again to the same file.
func FuzzReadRounds(f *testing.F) {
	byHand, err := os.ReadFile("testdata/rounds.jsonl")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(string(byHand))
	f.Add(boxLine + oneLine)
	f.Add(`{"domain":{"ball":{"center":[0.5],"radius":2}},"constraints":1,"seed":null}` + "\n" + `{"t":1,"x":[1e-300],"loss":{"form":{"const":-0,"quad":[[1e300]]}},"constraints":[{"form":{"lin":[5e-324]},"value":0}]}`)
	f.Add(`{"domain":{"simplex":{"dim":2,"scale":1}},"constraints":1,"go":"\u0067"}` + "\n" + `{"t":1,"loss":{"form":{},"subgradient":[1,2]},"constraints":[{"form":{"quad":[[1,1],[1,1]]}}]}`)
	f.Add(loss(`{"quad":[[1,2],[0,1]]}`))
	f.Add(loss(`{"opaque":true}`))
	f.Fuzz(func(t *testing.T, text string) {
		rec, err := readRounds(strings.NewReader(text), "f")
		if err != nil {
			if !strings.HasPrefix(err.Error(), "f:") {
				t.Errorf("no place: %v", err)
			}
			return
		}
		facts := rec.freeze().whole().Facts()
		for _, v := range []float64{facts.LossLipschitz, facts.LossRange, facts.ConstraintLipschitz, facts.ConstraintBound, facts.Diameter} {
			if !(v >= 0 && v <= math.MaxFloat64) {
				t.Fatalf("facts %+v", facts)
			}
		}
		header := RoundHeader{Domain: rec.domain, Constraints: rec.m}
		first := rewrite(t, rec, header)
		rec2, err := readRounds(strings.NewReader(first), "g")
		if err != nil {
			t.Fatalf("%v\n%s", err, first)
		}
		if second := rewrite(t, rec2, header); first != second {
			t.Errorf("written\n%s\nread and written again\n%s", first, second)
		}
	})
}

func ExampleRoundWriter() {
	w := NewRoundWriter(os.Stdout)
	err := w.WriteHeader(RoundHeader{Domain: convex.Cube(1, 0, 1), Constraints: 1, Algorithm: "ogd", Problem: "shrinking", Seed: 1})
	s, newErr := shrinking.New(nil, nil)
	x := []float64{0.25}
	roundErr := w.WriteRound(1, x, *s.Reveal(1, x))
	fmt.Println(cmp.Or(err, newErr, roundErr))
	// Output:
	// {"domain":{"box":{"lower":[0],"upper":[1]}},"constraints":1,"algorithm":"ogd","problem":"shrinking","seed":1}
	// {"t":1,"x":[0.25],"loss":{"value":-0.25,"form":{"lin":[-1]}},"constraints":[{"value":-0.75,"form":{"const":-1,"lin":[1]}}]}
	// <nil>
}

func BenchmarkReadRounds(b *testing.B) {
	p := iid.Params.(IIDParams)
	p.Dim, p.Constraints = 10, 5
	s := instanceOf{"iid", iid, p}.stream(b, 1)
	var file bytes.Buffer
	w := NewRoundWriter(&file)
	if err := w.WriteHeader(RoundHeader{Domain: s.Set(), Constraints: 5}); err != nil {
		b.Fatal(err)
	}
	x := make([]float64, 10)
	for t := 1; t <= 1000; t++ {
		if err := w.WriteRound(t, x, *s.Reveal(t, x)); err != nil {
			b.Fatal(err)
		}
	}
	b.SetBytes(int64(file.Len()))
	for b.Loop() {
		if _, err := readRounds(bytes.NewReader(file.Bytes()), "f"); err != nil {
			b.Fatal(err)
		}
	}
}
