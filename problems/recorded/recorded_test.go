package recorded_test

import (
	"bufio"
	"bytes"
	"cmp"
	"compress/gzip"
	"flag"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"unicode"

	"ocobench/convex"
	"ocobench/internal/errtest"
	"ocobench/internal/golden"
	"ocobench/problems/recorded"
)

var update = flag.Bool("update", false,
	"rewrite the golden files; only commit the changes if you understand them")

const (
	boxLine = `{"domain":{"box":{"lower":[0,0],"upper":[1,1]}},"constraints":1}` + "\n"
	oneLine = `{"t":1,"loss":{"form":{"lin":[1,2]}},"constraints":[{"form":{"const":-1}}]}` + "\n"
)

// loss returns a file whose only round has this form of the loss.
func loss(form string) string {
	return boxLine + `{"t":1,"loss":{"form":` + form + `},"constraints":[{"form":{}}]}`
}

// expecting is a first line that has this expectation.
func expecting(mean string) string {
	return strings.Replace(boxLine, `"constraints":1`, `"constraints":1,"expectation":`+mean, 1)
}

// facts is a first line that declares these facts.
func facts(declared string) string {
	return strings.Replace(boxLine, `"constraints":1`, `"constraints":1,"facts":`+declared, 1)
}

// The expectation of the first line is read with the functions that have names. Fixed constraints
// have the same.
func TestExpectationIsReadFromTheFirstLine(t *testing.T) {
	text := strings.Replace(boxLine, `"constraints":1`, `"expectation":[{"const":-2,"lin":[1,2],`+
		`"terms":[{"scale":3,"of":"f"}]}],"functions":{"f":{"quad":[[1,0],[0,1]]}},`+
		`"constraints":1`, 1) + oneLine
	rec, err := recorded.Read(strings.NewReader(text), "f")
	if err != nil {
		t.Fatal(err)
	}
	if rec.Facts.Fixed || rec.Fixed != nil {
		t.Error("a round that is not as expected: got fixed constraints, want none")
	}
	if got := rec.Expectation[0].Value([]float64{1, 0.5}); got != -2+2+1.5*1.25 {
		t.Errorf("the expectation at (1, ½) is %v, want 1.875", got)
	}
	if rec, err = recorded.Read(strings.NewReader(expecting(`[{"const":-1}],"facts":{"fixed":true}`)+
		oneLine), "f"); err != nil || rec.Expectation[0].Value([]float64{1, 1}) != -1 {
		t.Errorf("fixed constraints as they are expected: got error %v, want none", err)
	}
}

// What the first line declares takes the place of what the rounds show; 0 and false undeclare.
func TestDeclaredFactsReplaceThoseOfTheRounds(t *testing.T) {
	for declared, change := range map[string]func(f *convex.Facts){
		`{}`: func(*convex.Facts) {},
		`{"slater":0.5,"iid":true,"feasible":false}`: func(f *convex.Facts) {
			f.Slater, f.IID, f.Feasible = 0.5, true, false
		},
		`{"loss_lipschitz":3,"loss_range":0}`: func(f *convex.Facts) {
			f.LossLipschitz, f.LossRange = 3, 0
		},
		`{"fixed":false,"affine":false}`: func(f *convex.Facts) { f.Fixed, f.Affine = false, false },
		// those of the recording
		`{"rounds":9,"diameter":7,"adaptive":true,"deterministic":false,"known_optimum":true}`: func(
			*convex.Facts) {
		},
	} {
		plain, err := recorded.Read(strings.NewReader(boxLine+oneLine), "f")
		if err != nil {
			t.Fatal(err)
		}
		got, err := recorded.Read(strings.NewReader(facts(declared)+oneLine), "f")
		if err != nil {
			t.Errorf("%s: %v", declared, err)
			continue
		}
		want := plain.Facts
		if change(&want); got.Facts != want {
			t.Errorf("%s: %+v, want %+v", declared, got.Facts, want)
		}
	}
}

// Every kind of fault in a round file is refused with its place. The golden file is for reading:
// does each message say where, what and what to do? Package wire tests what is wrong in functions.
func TestFaultyRoundsAreRefusedWithTheirPlace(t *testing.T) {
	refused := []string{
		// the file
		"",
		boxLine,
		oneLine,
		boxLine + oneLine + oneLine,
		boxLine + strings.Replace(oneLine, `"t":1`, `"t":1.5`, 1),
		boxLine + strings.Replace(oneLine, `"t":1`, `"t":"1"`, 1),
		boxLine + oneLine[:len(oneLine)/2],
		boxLine + oneLine[:30],
		boxLine + oneLine[:5],
		boxLine + `{"t":1,"loss":{"form":{"const":1`,
		boxLine + oneLine[:len(oneLine)-1] + "}",
		"t,x,y\n1,2,3\n",
		"\xef\xbb\xbf\xef\xbb\xbf" + boxLine + oneLine,
		boxLine + "\xef\xbb\xbf" + oneLine,
		"\xff\xfe{\x00",
		"\x1f\x8b\x08\x00\x00",
		// facts
		facts(`7`) + oneLine,
		facts(`{"lipschitz":1}`) + oneLine,
		facts(`{"slater":-1}`) + oneLine,
		facts(`{"fixed":1}`) + oneLine,
		facts(`{"fixed":true}`) + oneLine + strings.Replace(strings.Replace(oneLine, "-1", "-2", 1),
			`"t":1`, `"t":2`, 1),
		facts(`{"affine":true}`) + strings.Replace(oneLine, `"const":-1`, `"quad":[[1,0],[0,1]]`, 1),
		facts(`{"fixed":false,"known_constraints":true}`) + oneLine,
		facts(`{"loss_lipschitz":2.2}`) + oneLine, // √5
		facts(`{"slater":1.5}`) + oneLine,
		facts(`{"curvature":0.25}`) + oneLine,
		facts(`{"constraint_lipschitz":0.5}`) + strings.Replace(oneLine, `"const":-1`, `"lin":[0,1]`, 1),
		// expectations
		expecting(`[]`) + oneLine,
		expecting(`{"lin":[1,0]}`) + oneLine,
		expecting(`[{"lin":[1]}]`) + oneLine,
		expecting(`[{"quad":[[1,0],[0,-1]]}]`) + oneLine,
		expecting(`[{"terms":[{"of":"f"}]}]`) + oneLine,
		expecting(`[{"lin":[1,0]}],"facts":{"fixed":true}`) + oneLine,
		// the first line
		`{"domain":{"box":{"lower":[0,0],"upper":[1,1]}}}`,
		`{"domain":{"box":{"lower":[0],"upper":[1]}},"constraints":0}`,
		`{"domain":{"box":{"lower":[0],"upper":[1]}},"constraints":"two"}`,
		`{"domain":{"box":{"lower":[0],"upper":[1]}},"constraints":1,"domain":{"box":{"lower":[0],"upper":[1]}}}`,
		`{"domain":[0,1],"constraints":1}`,
		`{"domain":{},"constraints":1}`,
		`{"domain":{"cube":{"lower":[0],"upper":[1]}},"constraints":1}`,
		`{"domain":{"box":{"lower":[2],"upper":[1]}},"constraints":1}`,
		`{"domain":{"box":{"lower":[0,0],"upper":[1]}},"constraints":1}`,
		`{"domain":{"box":{"lower":[0]}},"constraints":1}`,
		`{"domain":{"box":{"lower":[-Infinity],"upper":[1]}},"constraints":1}`,
		`{"domain":{"ball":{"center":[0,0],"radius":-1}},"constraints":1}`,
		`{"domain":{"ball":{"center":[],"radius":1}},"constraints":1}`,
		`{"domain":{"simplex":{"dim":1000000000,"scale":1}},"constraints":1}`,
		`{"domain":{"simplex":{"dim":2,"scale":0}},"constraints":1}`,
		// rounds
		boxLine + `{}`,
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
		loss(`{"const":true}`),
		loss(`{"const":[1]}`),
		loss(`{"const":null}`),
		loss(`{"const":1,"const":2}`),
		loss(`{"lin":[1]}`),
		loss(`{"lin":1}`),
		loss(`{"lin":[1,"2"]}`),
		loss(`{"lin":[1,,2]}`),
		loss(`{"lin":[1 2]}`),
		loss(`{"quad":[[1,0]]}`),
		loss(`{"quad":[[1,0],[0]]}`),
		loss(`{"quad":[[1,0],[0,1],[0,0]]}`),
		loss(`{"quad":[[1,2],[0,1]]}`),
		loss(`{"quad":[[1,0],[0,-1]]}`),
		loss(`{"diag":[1,-1]}`),
		// terms
		loss(`{"terms":{"of":"f"}}`),
		loss(`{"terms":[{"scale":2}]}`),
		loss(`{"terms":[{"of":"f"}]}`),
		loss(`{"terms":[{"of":{}}]}`),
		loss(`{"terms":[{"of":{"cube":[1,2]}}]}`),
		loss(`{"terms":[{"of":{"ridge":{"curve":"log","a":[1,2]}}}]}`),
		loss(`{"terms":[{"of":{"ridge":{"a":[1,2]}}}]}`),
		loss(`{"terms":[{"of":{"ridge":{"curve":"exp","a":[1,2,3]}}}]}`),
		loss(`{"terms":[{"of":{"ridge":{"curve":"exp","a":[900,0]}}}]}`),
		loss(`{"terms":[{"of":{"separable":{"curve":"exp","first":2,"rate":[1]}}}]}`),
		loss(`{"terms":[{"of":{"halfsquares":{"rows":[[1]],"y":[0]}}}]}`),
		loss(`{"terms":[{"of":{"distance":{"center":[1]}}}]}`),
		loss(`{"terms":[{"of":{"distance":{}}}]}`),
		loss(`{"terms":[{"of":{"max":[]}}]}`),
		loss(`{"terms":[{"of":{"max":[{"quad":[[1,0],[0,-1]]}]}}]}`),
		loss(strings.Repeat(`{"terms":[{"of":{"form":`, 30) + strings.Repeat(`}}]}`, 30)),
		// the former notation, in any of its ways
		boxLine + "[1,2]",
		strings.Replace(boxLine, `"constraints":1`, `"constraints":1,"rounds":{"row":["y"]}`, 1) + "[1]",
		boxLine + strings.Replace(oneLine, `"loss"`, `"vectors":{"a":[1,2]},"loss"`, 1),
		loss(`{"terms":[{"of":{"squares":{"rows":[[1,2]],"y":[0]}}}]}`),
		// vectors and names
		loss(`{"lin":{"at":[0,2],"is":[1,1]}}`),
		strings.Replace(loss(`{}`), `"constraints":1`, `"constraints":1,"functions":[{}]`, 1),
		strings.Replace(loss(`{}`), `"constraints":1`, `"constraints":1,"functions":{"f":{"lin":[1]}}`, 1),
		strings.Replace(loss(`{}`), `"constraints":1`, `"constraints":1,"functions":{"f":{},"f":{}}`, 1),
		strings.Replace(loss(`{}`), `"constraints":1`, `"constraints":1,"functions":{"f":{"quad":[[0,1],[1,0]]}}`, 1),
		boxLine + `{"t":1,"x":[1,0],"loss":{"value":0.6,"form":{"terms":[{"of":{"distance":{"center":[0.5,0]}}}]}},"constraints":[{"form":{}}]}`,
	}
	var said strings.Builder
	for _, text := range refused {
		rec, err := recorded.Read(strings.NewReader(text), "rounds.jsonl")
		if err == nil {
			t.Errorf("%s\ngot %+v, want an error", text, rec)
			continue
		}
		if !strings.HasPrefix(err.Error(), "rounds.jsonl:") {
			t.Errorf("%q: got error %v, want its place", text, err)
		}
		fmt.Fprintf(&said, "%s\n", err)
	}
	golden.File(t, "refusals.golden", said.String(), *update)
}

// endless is a text that is repeated for ever, as a device does.
type endless string

func (e endless) Read(b []byte) (int, error) {
	for i := 0; i < len(b); i += len(e) {
		copy(b[i:], e)
	}
	return len(b), nil
}

// A bounded reader refuses files in a time and a memory that are theirs, and with a message that is
// short and can be printed.
func TestHostileFilesAreRefusedWithinBounds(t *testing.T) {
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
		_, _, err := recorded.Open(c.file)
		errtest.Contains(t, err, c.want, "file %.20q", c.file)
		harmless(t, err)
	}
	long := strings.Repeat("9", 1<<20)
	plane := `{"domain":{"simplex":{"dim":10000,"scale":1}},"constraints":1}` + "\n"
	for name, c := range map[string]struct {
		text io.Reader
		want string
	}{
		"zeros": {endless("\x00"), "the line has more than"},
		"no end": {io.MultiReader(strings.NewReader(boxLine), endless(" ")),
			"f:2: the line has more than"},
		"brackets": {strings.NewReader(strings.Repeat("[", 1<<20)), "expected an object"},
		"deep": {strings.NewReader(boxLine + `{"x":` + strings.Repeat("[", 1<<20)),
			"expected a number"},
		"a key": {strings.NewReader(boxLine + `{"` + strings.Repeat("k", 1<<20) + `":1}`),
			"unknown key"},
		"a number": {strings.NewReader(boxLine + `{"t":` + long + `}`),
			"is too large for a 64-bit number"},
		"a word": {strings.NewReader(boxLine + `{"t":` + strings.Repeat("a", 1<<20) + `}`),
			"expected a number"},
		"a text": {strings.NewReader(boxLine + `{"t":"` + strings.Repeat("\x1b", 1<<20) + `"}`),
			"expected a number"},
		"a box": {strings.NewReader(`{"domain":{"box":{"lower":[0` +
			strings.Repeat(",0", 20000) + `],"upper":[1` +
			strings.Repeat(",1", 20000) + `]}},"constraints":1}`), "expected at most 10000"},
		"constraints": {strings.NewReader(
			`{"domain":{"ball":{"center":[0],"radius":1}},"constraints":2000000000}` + "\n" + oneLine),
			"the limits; split the file"},
		"a quadratic": {strings.NewReader(plane +
			`{"t":1,"loss":{"form":{"quad":[]}},"constraints":[{"form":{}}]}`), "expected at most 1000"},
		"a long list": {strings.NewReader(boxLine + `{"t":1,"x":[0` +
			strings.Repeat(",0", 1<<20) + `]}`), "expected 2"},
		"empty lines":  {strings.NewReader(strings.Repeat("\n", 1<<20)), "the file is empty"},
		"escaped":      {strings.NewReader(boxLine + "\x1b[2J"), "expected an object"},
		"carriage":     {strings.NewReader(strings.Repeat("\r", 1<<20)), "the file is empty"},
		"a byte order": {strings.NewReader(strings.Repeat("\xef\xbb\xbf", 1<<18)), "byte order mark"},
	} {
		t.Run(name, func(t *testing.T) {
			before := allocatedBytes()
			_, err := recorded.Read(c.text, "f")
			errtest.Contains(t, err, c.want)
			harmless(t, err)
			if took := allocatedBytes() - before; took > 1<<30 {
				t.Errorf("got %d bytes allocated, want at most 1 GiB", took)
			}
		})
	}
}

// harmless checks that a message is short and can be printed.
func harmless(t *testing.T, err error) {
	t.Helper()
	if err == nil {
		return
	}
	text := err.Error()
	if len(text) > 1000 || strings.ContainsFunc(text,
		func(r rune) bool { return !unicode.IsPrint(r) }) {
		t.Errorf("got %d characters, or some that cannot be printed, want up to 1000: %.300q", len(text),
			text)
	}
}

// A few bytes that ask for many dimensions are
// read in memory, and so in a time, in proportion to the bytes.
func TestMemoryIsInProportionToTheFile(t *testing.T) {
	var b strings.Builder
	b.WriteString(`{"domain":{"simplex":{"dim":10000,"scale":1}},"constraints":20}` + "\n")
	for i := range 5000 {
		fmt.Fprintf(&b, `{"t":%d,"loss":{"form":{}},"constraints":[{"form":{}}%s]}`+"\n", i+1,
			strings.Repeat(`,{"form":{}}`, 19))
	}
	before := allocatedBytes()
	rec, err := recorded.Read(strings.NewReader(b.String()), "f")
	if err != nil {
		t.Fatal(err)
	}
	if rec.Facts.Rounds != 5000 {
		t.Errorf("%d rounds were read, want 5000", rec.Facts.Rounds)
	}
	if took := allocatedBytes() - before; took > 100*uint64(b.Len()) {
		t.Errorf("%d bytes: got %d allocated, want at most 100 times as many", b.Len(), took)
	}
}

// allocatedBytes returns how many bytes have been allocated so far.
func allocatedBytes() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.TotalAlloc
}

// faultyReader returns an error at the end of its text, as a disk may.
type faultyReader struct{ r io.Reader }

func (f faultyReader) Read(b []byte) (int, error) {
	n, err := f.r.Read(b)
	if err == io.EOF {
		err = fmt.Errorf("input/output error")
	}
	return n, err
}

func TestReadErrorHasPlace(t *testing.T) {
	_, err := recorded.Read(faultyReader{strings.NewReader(boxLine + oneLine)}, "f")
	if got, want := fmt.Sprint(err), "f:3: input/output error"; got != want {
		t.Errorf("error %q, want %q", got, want)
	}
}

// writtenAgain writes all rounds of a recording.
func writtenAgain(t testing.TB, rec *recorded.Recording, header recorded.Header) string {
	t.Helper()
	var b bytes.Buffer
	w := recorded.NewWriter(&b)
	if err := w.Header(header); err != nil {
		t.Fatal(err)
	}
	x := make([]float64, rec.Domain.Dim())
	player, err := rec.Play(0)
	for i := 0; i < rec.Facts.Rounds && err == nil; i++ {
		var r convex.Round
		if r, err = player.Next(); err != nil {
			break
		}
		if err := w.Round(i+1, x, &r); err != nil {
			t.Fatal(err)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// Every function of the notation, with its value and slope at (½, 1), worked by hand. The
// function g is x₁ + 2x₂ − 1.
func TestNotationByHand(t *testing.T) {
	x := []float64{0.5, 1}
	header := strings.Replace(boxLine, `"constraints":1`,
		`"functions":{"g":{"const":-1,"lin":[1,2]}},"constraints":1`, 1)
	for form, want := range map[string][3]float64{
		`{"diag":[2,4],"const":1}`:    {1 + 0.25 + 2, 1, 4},
		`{"lin":{"at":[1],"is":[3]}}`: {3, 0, 3},
		`{"terms":[{"scale":2,"of":{"ridge":{"curve":"neglog","a":[2,1],"b":2}}}]}`:         {-2 * math.Log(4), -1, -0.5},
		`{"terms":[{"of":{"ridge":{"curve":"softplus","a":[2,-1]}}}],"const":1}`:            {1 + math.Log(2), 1, -0.5},
		`{"terms":[{"of":{"ridge":{"curve":"exp","a":[2,-1]}}}],"lin":[1,0]}`:               {1.5, 3, -1},
		`{"terms":[{"of":{"separable":{"curve":"exp","first":1,"rate":[1],"offset":-1}}}]}`: {1, 0, 1},
		`{"terms":[{"of":{"halfsquares":{"rows":[[2,1],[0,2]],"y":[1,1]}}}]}`:               {0.5 + 0.5, 2, 1 + 2},
		`{"terms":[{"scale":3,"of":{"distance":{"center":[0.5,0]}}}],"const":-1}`:           {2, 0, 3},
		`{"terms":[{"scale":3,"of":{"halfsquareddistance":{"center":[0.5,0]}}}]}`:           {1.5, 0, 3},
		`{"terms":[{"of":{"elasticnet":{"l1":1,"l2":2}}}]}`:                                 {1.5 + 1.25, 2, 3},
		`{"terms":[{"scale":-1,"of":{"linear":{"first":1,"a":[3]}}}]}`:                      {-3, 0, -3},
		`{"terms":[{"of":{"max":[{"lin":[1,0]},{"lin":[0,1],"const":0.25}]}}]}`:             {1.25, 0, 1},
		`{"terms":[{"of":"g"}],"const":3}`:                                                  {4.5, 1, 2},
		`{"terms":[{"scale":2,"of":"g"},{"of":{"form":{"diag":[2,0]}}}]}`:                   {3.25, 3, 4},
	} {
		rec, err := recorded.Read(strings.NewReader(strings.Replace(loss(form), boxLine, header, 1)), "f")
		if err != nil {
			t.Errorf("%s: %v", form, err)
			continue
		}
		f, slope := roundOf(t, rec, 1).Loss, make([]float64, 2)
		f.Subgrad(slope, x)
		got := [3]float64{f.Value(x), slope[0], slope[1]}
		for k, v := range want {
			if math.Abs(got[k]-v) > 1e-12 {
				t.Errorf("%s: value and slope are %v, want %v", form, got, want)
				break
			}
		}
		// The declared bound is one: at the corners no slope is longer, and no value changes by more.
		steepest := rec.Facts.LossLipschitz
		for _, corner := range [][]float64{{0, 0}, {0, 1}, {1, 0}, {1, 1}} {
			f.Subgrad(slope, corner)
			if length := math.Hypot(slope[0], slope[1]); length > steepest*(1+1e-12) {
				t.Errorf("%s: got a slope of length %v at %v, want at most %v", form, length, corner, steepest)
			}
		}
	}
}

// A large file is read again by every player, gzipped or not: rounds take no memory, a player
// begins anywhere with the functions that have names, and a file that changes is noticed.
func TestLargeFilesAreReadAgain(t *testing.T) {
	for _, name := range []string{"rounds.jsonl", "rounds.jsonl.gz"} {
		t.Run(name, func(t *testing.T) { checkLargeFile(t, filepath.Join(t.TempDir(), name)) })
	}
}

// checkLargeFile writes a file that is too large to be kept in memory, and plays it.
func checkLargeFile(t *testing.T, name string) {
	const n, count = 300, 2500
	file, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	var text io.Writer = file
	zipped := gzip.NewWriter(file)
	if strings.HasSuffix(name, ".gz") {
		text = zipped
	}
	out := bufio.NewWriter(text)
	rng := rand.New(rand.NewPCG(1, 2))
	w := recorded.NewWriter(out)
	net := []*convex.Basis{convex.NewBasis(&convex.ElasticNet{L1: 1}),
		convex.NewBasis(&convex.ElasticNet{L1: 2})}
	err = w.Header(recorded.Header{Domain: convex.Cube(n, 0, 1), Constraints: 1, Bases: net})
	a := make([]float64, n)
	for i := 1; i <= count && err == nil; i++ {
		for k := range a {
			a[k] = rng.NormFloat64()
		}
		err = w.Round(i, nil, &convex.Round{
			Loss:        &convex.Single{Of: &convex.Ridge{Curve: convex.Softplus{}, Weight: 1, A: a, B: float64(i)}},
			Constraints: []convex.Func{&convex.Shifted{Base: net[i*2/count%2], Shift: -float64(i)}},
		})
	}
	if err = cmp.Or(err, out.Flush()); err == nil && text == zipped {
		err = zipped.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	before := living()
	rec, _, err := recorded.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	x := make([]float64, n)
	reveals := func(p *recorded.Player, i int) convex.Round {
		t.Helper()
		r, err := p.Next()
		if err != nil {
			t.Fatal(err)
		}
		x[0] = 1 // ‖x‖₁ = 1
		if got, want := r.Constraints[0].Value(x), float64(1+i*2/count%2-i); got != want {
			t.Fatalf("round %d has the constraint %v, want %v", i, got, want)
		}
		x[0] = 0 // log(1 + eⁱ)
		want := math.Log1p(math.Exp(-float64(i))) + float64(i)
		if got := r.Loss.Value(x); math.Abs(got-want) > 1e-9*want {
			t.Fatalf("round %d has the loss %v, want %v", i, got, want)
		}
		return r
	}
	p, err := rec.Play(0)
	if err != nil {
		t.Fatal(err)
	}
	bases := make(map[*convex.Basis]bool)
	for i := 1; i <= count; i++ {
		bases[convex.Lower(reveals(p, i).Constraints[0], n).Terms[0].Basis] = true
	}
	if len(bases) != 2 {
		t.Errorf("%d bases, want the two that were written", len(bases))
	}
	if _, err := p.Next(); err == nil ||
		!strings.HasSuffix(err.Error(), fmt.Sprintf("no round %d", count+1)) {
		t.Errorf("after the last round: got error %v, want that there is no such round", err)
	}
	if took := living() - before; took > 2<<20 {
		t.Errorf("%d bytes are kept, want at most 2 MB", took)
	}
	runtime.KeepAlive(rec)
	for _, after := range []int{1, 1000, count - 1} {
		p, err := rec.Play(after)
		if err != nil {
			t.Fatal(err)
		}
		reveals(p, after+1)
	}
	p, err = rec.Play(0)
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, data[:len(data)-1], 0o666); err != nil {
		t.Fatal(err)
	}
	_, err = rec.Play(0)
	errtest.Contains(t, err, "was changed", "a file that was changed is played")
	for i := 1; err == nil && i <= count; i++ {
		_, err = p.Next()
	}
	errtest.Contains(t, err, "was changed", "a file that was changed while it was played")
}

// living is how many bytes are in use.
func living() int {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}

// roundOf is a round of a recording.
func roundOf(t testing.TB, rec *recorded.Recording, number int) convex.Round {
	t.Helper()
	player, err := rec.Play(number - 1)
	if err != nil {
		t.Fatal(err)
	}
	r, err := player.Next()
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// unknown is known by its values only.
type unknown struct{}

func (unknown) Value([]float64) float64  { return 7 }
func (unknown) Subgrad(dst, _ []float64) { clear(dst) }

func TestWriterRefusesWhatCannotBeRead(t *testing.T) {
	var b bytes.Buffer
	w := recorded.NewWriter(&b)
	if err := w.Header(recorded.Header{Domain: convex.Cube(1, 0, 1), Constraints: 1}); err != nil {
		t.Fatal(err)
	}
	written := b.Len()
	g := []convex.Func{&convex.Affine{A: []float64{0}}}
	for _, v := range []float64{math.NaN(), math.Inf(1)} {
		err := w.Round(3, []float64{0}, &convex.Round{
			Loss: &convex.Affine{A: []float64{0}, B: v}, Constraints: g,
		})
		if err == nil || !strings.Contains(err.Error(), "round 3 cannot be written") ||
			b.Len() != written {
			t.Errorf("loss %v: got error %v and %d bytes written, want one on round 3, and none", v, err,
				b.Len()-written)
		}
	}
	if err := w.Round(1, []float64{0}, &convex.Round{Loss: g[0], Constraints: g}); err != nil {
		t.Errorf("after an error: %v, want none", err)
	}
	const want = `{"t":1,"x":[0],"loss":{"value":0,"form":{}},"constraints":[{"value":0,"form":{}}]}` +
		"\n"
	if got := b.String()[written:]; got != want {
		t.Errorf("zero functions: %s, want %s", got, want)
	}
	written = b.Len()
	err := w.Round(2, nil, &convex.Round{Loss: convex.NewBasis(unknown{}), Constraints: g})
	if err == nil || !strings.Contains(err.Error(),
		"round 2 cannot be written: a function that is neither affine nor quadratic") ||
		b.Len() != written {
		t.Errorf("no action: got error %v and %d bytes written, want one on round 2, and none", err,
			b.Len()-written)
	}
	if err := w.Round(2, nil, &convex.Round{
		Loss: &convex.Affine{A: []float64{2}, B: 1}, Constraints: g,
	}); err != nil {
		t.Errorf("no action: got error %v, want none", err)
	}
	const bare = `{"t":2,"loss":{"form":{"const":1,"lin":[2]}},"constraints":[{"form":{}}]}` + "\n"
	if got := b.String()[written:]; got != bare {
		t.Errorf("no action: %s, want %s", got, bare)
	}
}

// FuzzReadRoundsAreWrittenAgain: no text makes the reader panic, and what it accepts can be
// revealed, written and read again to the same file.
func FuzzReadRoundsAreWrittenAgain(f *testing.F) {
	byHand, err := os.ReadFile("../testdata/rounds.jsonl")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(string(byHand))
	f.Add(boxLine + oneLine)
	f.Add(`{"domain":{"ball":{"center":[0.5],"radius":2}},"constraints":1,"seed":null}` + "\n" +
		`{"t":1,"x":[1e-300],"loss":{"form":{"const":-0,"quad":[[1e300]]}},"constraints":[{"form":{"lin":[5e-324]},"value":0}]}`)
	f.Add(`{"domain":{"simplex":{"dim":2,"scale":1}},"constraints":1,"go":"\u0067"}` + "\n" +
		`{"t":1,"loss":{"form":{},"subgradient":[1,2]},"constraints":[{"form":{"quad":[[1,1],[1,1]]}}]}`)
	f.Add(loss(`{"quad":[[1,2],[0,1]]}`))
	f.Add(loss(`{"opaque":true}`))
	f.Add(loss(`{"terms":[{"of":{"linear":{"a":[]}}},{"of":{"halfsquares":{"rows":[],"y":[]}}},` +
		`{"of":{"separable":{"curve":"exp","rate":[]}}}]}`))
	f.Add(boxLine + `{"x":[0,0],"constraints":[{"value":0,"form":{"quad":[[1`)
	f.Add(strings.Replace(loss(`{"diag":[1,0],"terms":[{"of":"f"},{"scale":2,"of":{"distance":{"center":[1,2]}}}]}`),
		`"constraints":1`, `"functions":{"f":{"const":1,"terms":[{"of":{"ridge":{"curve":"softplus","a":[1,2]}}}]}},"constraints":1`, 1))
	f.Add(loss(`{"terms":[{"of":{"max":[{"lin":[1,0]},{"terms":[{"of":{"halfsquares":{"rows":[[1,2]],"y":[1]}}}]}]}}]}`))
	f.Add(loss(`{"lin":{"at":[1],"is":[2]},"terms":[{"scale":-1,"of":{"linear":{"first":1,"a":[3]}}},{"of":{"form":{"terms":[{"of":{"elasticnet":{"l1":1}}}]}}}]}`))
	f.Fuzz(func(t *testing.T, text string) {
		rec, err := recorded.Read(strings.NewReader(text), "f")
		if err != nil {
			if !strings.HasPrefix(err.Error(), "f:") {
				t.Errorf("got error %v, want its place", err)
			}
			return
		}
		facts := rec.Facts
		for _, v := range []float64{facts.LossLipschitz, facts.LossRange, facts.ConstraintLipschitz,
			facts.ConstraintBound, facts.Diameter} {
			if !(v >= 0 && v <= math.MaxFloat64) {
				t.Fatalf("got facts %+v, want numbers that are not negative", facts)
			}
		}
		header := recorded.Header{Domain: rec.Domain, Constraints: rec.Constraints, Bases: rec.Bases}
		first := writtenAgain(t, rec, header)
		rec2, err := recorded.Read(strings.NewReader(first), "g")
		if err != nil {
			t.Fatalf("%v\n%s", err, first)
		}
		header.Bases = rec2.Bases
		if second := writtenAgain(t, rec2, header); first != second {
			t.Errorf("read and written again: got\n%s\nwant\n%s", second, first)
		}
	})
}

func ExampleWriter() {
	w := recorded.NewWriter(os.Stdout)
	err := w.Header(recorded.Header{Domain: convex.Cube(1, 0, 1), Constraints: 1, Algorithm: "ogd",
		Problem: "shrinking", Seed: 1})
	x := []float64{0.25}
	roundErr := w.Round(1, x, &convex.Round{
		Loss:        &convex.Affine{A: []float64{-1}},
		Constraints: []convex.Func{&convex.Affine{A: []float64{1}, B: -1}},
	})
	fmt.Println(cmp.Or(err, roundErr))
	// Output:
	// {"domain":{"box":{"lower":[0],"upper":[1]}},"constraints":1,"algorithm":"ogd","problem":"shrinking","seed":1}
	// {"t":1,"x":[0.25],"loss":{"value":-0.25,"form":{"lin":[-1]}},"constraints":[{"value":-0.75,"form":{"const":-1,"lin":[1]}}]}
	// <nil>
}
