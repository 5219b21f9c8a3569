package gate

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"ocobench/algorithms"
	"ocobench/harness/analysis"
	"ocobench/harness/experiment"
	"ocobench/harness/experiment/spec"
	"ocobench/harness/run"
	"ocobench/harness/store"
	"ocobench/problems"
	"ocobench/stats"
)

var all = experiment.Catalog{Algorithms: algorithms.All, Problems: problems.All}

const tiny = "name: tiny\nhorizon: 200\nreplicates: 6\n" +
	"problems: [{use: iid}, {use: shrinking}]\nalgorithms: [{use: ogd}, {use: guo}]\n"

// play plays an experiment.
func play(t testing.TB, source string, seed uint64) *run.Results {
	t.Helper()
	x, err := spec.Parse("x.yaml", []byte(source))
	if err != nil {
		t.Fatal(err)
	}
	x.Seed = seed
	p, err := run.NewPlan(all, x)
	if err != nil {
		t.Fatal(err)
	}
	s, err := store.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if failures, err := run.Run(context.Background(), p, s, run.Options{Workers: 2}); err != nil ||
		len(failures) > 0 {
		t.Fatal(err, failures)
	}
	r, err := run.LoadExperiment(s, x.Name)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// A reference keeps every fifth checkpoint of the window, counted backwards from
// the last one, with six digits and without rounding errors.
func TestMeasure(t *testing.T) {
	r := play(t, tiny, 1)
	excerpts := Measure(r)
	var keys []string
	for _, c := range excerpts {
		keys = append(keys, c.String())
	}
	want := []string{
		"regret_xmin of ogd on iid", "violation_soft of ogd on iid", "violation_hard of ogd on iid",
		"regret_xmin of guo on iid", "violation_hard of guo on iid",
		"regret_xmin of ogd on shrinking", "violation_soft of ogd on shrinking",
		"violation_hard of ogd on shrinking",
		"regret_xmin of guo on shrinking", "violation_hard of guo on shrinking",
	}
	if !slices.Equal(keys, want) {
		t.Fatalf("excerpts of %q", keys)
	}
	// Checkpoints are round(10^(k/16)), each once, and 200. Every fifth of those
	// from 2 to 200 is kept, counted backwards from 200. The checkpoint before 200
	// has k = 36, so k = 32, 27, 22, 17 are kept. Before 12 come 10, 9, 7, 6 and 5,
	// and before 5 only 4, 3 and 2.
	at := []float64{5, 12, 24, 49, 100, 200}
	if got := excerpts[0].Values.T; !slices.Equal(got, at) {
		t.Errorf("checkpoints %v, want %v", got, at)
	}
	hard := r.Curve("ogd", "iid", "violation_hard")
	ts, y := hard.T, hard.Y
	for i, row := range excerpts[2].Values.Y {
		for k, v := range row {
			whole := y[i][slices.Index(ts, at[k])]
			if math.Abs(v-whole) > 5.1e-6*math.Abs(whole) ||
				fmt.Sprintf("%.6g", v) != fmt.Sprintf("%.6g", whole) {
				t.Errorf("replicate %d at %v: %v of %v", i+1, at[k], v, whole)
			}
		}
	}
	if slices.Equal(y[0], y[1]) || excerpts[2].Bits == excerpts[1].Bits {
		t.Error("replicates or metrics are alike")
	}
	for _, c := range []struct{ v, want float64 }{
		{1.23456789e-7, 1.23457e-7}, {0, 0}, {-123456.7, -123457}, {math.Copysign(0, -1), 0},
	} {
		if got := round(c.v); got != c.want || math.Signbit(got) != (c.want < 0) {
			t.Errorf("round(%v) = %v, want %v", c.v, got, c.want)
		}
	}
}

// An algorithm that needs the horizon has curves along t and, with three horizons,
// across them. Any other has curves along t only.
func TestMeasureAcross(t *testing.T) {
	source := func(horizons string) string {
		return "name: across\nhorizon: " + horizons +
			"\nreplicates: 2\nproblems: [{use: shrinking}]\nalgorithms: [{use: ogd}, {use: mahdavi}]"
	}
	count := make(map[string]int)
	bits := make(map[Key]string)
	for _, c := range Measure(play(t, source("[20, 40, 80, 160]"), 1)) {
		count[c.Algorithm+" "+string(c.Design)]++
		bits[c.Key] = c.Bits
		if across := slices.Equal(c.Values.T,
			[]float64{20, 40, 80, 160}); across != (c.Design == stats.AcrossT) ||
			!across && len(c.Values.T) < 5 {
			t.Errorf("%s at %v", c.Key, c.Values.T)
		}
	}
	if want := map[string]int{"ogd along-t": 3, "mahdavi along-t": 3,
		"mahdavi across-T": 3}; !maps.Equal(count, want) {
		t.Errorf("curves %v, want %v", count, want)
	}
	// Curves along t are those of the last horizon, whatever the others are.
	one := Measure(play(t, source("160"), 1))
	for _, c := range one {
		if c.Design != stats.AlongT || c.Bits != bits[c.Key] {
			t.Errorf("%s has other bits with one horizon", c.Key)
		}
	}
	if len(one) != 6 {
		t.Errorf("%d curves, want 6", len(one))
	}
}

// Decode reads what Encode has written, and Encode writes the same bytes again.
// The replicates of a problem without randomness are written once.
func TestEncode(t *testing.T) {
	ref := NewReference(play(t, tiny, 7), []byte(tiny))
	data := ref.Encode()
	back, err := Decode("x.json", data)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(ref, back) {
		t.Errorf("read back %+v, want %+v", back, ref)
	}
	if !bytes.Equal(back.Encode(), data) ||
		!bytes.Equal(NewReference(play(t, tiny, 7), []byte(tiny)).Encode(), data) {
		t.Error("other bytes the second time")
	}
	marked := append([]byte("\ufeff"), data...)
	if back, err := Decode("x.json", marked); err != nil || !reflect.DeepEqual(ref, back) {
		t.Errorf("with a byte order mark it is read as %+v, %v", back, err)
	}
	rows := bytes.Count(data, []byte("\n      ["))
	if want := 5*6 + 5; rows != want {
		t.Errorf("%d rows of values, want %d", rows, want)
	}
	x, err := back.Experiment("x.json")
	if err != nil || x.Seed != 7 || ref.Comparable(x) != nil {
		t.Errorf("experiment %+v: %v", x, err)
	}
}

func TestReduce(t *testing.T) {
	index := func(name string) int {
		return slices.IndexFunc(all.Algorithms,
			func(a algorithms.Algorithm) bool { return a.Name == name })
	}
	every := "name: tiny\nhorizon: 100\nproblems: all\nalgorithms: [all, {use: ogd, step: 3}]\n"
	for _, c := range []struct {
		text       string
		algorithms []algorithms.Algorithm
		problems   []problems.Problem
		left       string
	}{
		{tiny, all.Algorithms, all.Problems, "ogd guo iid shrinking"},
		{tiny, all.Algorithms[index("guo") : index("guo")+1], all.Problems, "guo iid shrinking"},
		{tiny, all.Algorithms[:1], all.Problems, ""},
		{tiny, all.Algorithms, all.Problems[:1], ""},
		{every, all.Algorithms, all.Problems[:1], "all ogd all"},
		{every, all.Algorithms[:1], all.Problems[:1], "all all"},
	} {
		x, err := spec.Parse("x.yaml", []byte(c.text))
		if err != nil {
			t.Fatal(err)
		}
		err = Reduce(x, experiment.Catalog{Algorithms: c.algorithms, Problems: c.problems})
		var left []string
		for _, u := range append(x.Algorithms, x.Problems...) {
			left = append(left, u.Name)
		}
		if c.left == "" && err == nil || c.left != "" &&
			(err != nil || strings.Join(left, " ") != c.left) {
			t.Errorf("%q is left, want %q: %v", left, c.left, err)
		}
	}
}

// Decode detects damage of any byte, and its messages say where it is and what to
// do.
func TestDecodeDamage(t *testing.T) {
	data := NewReference(play(t, tiny, 1), []byte(tiny)).Encode()
	placed := regexp.MustCompile(`^x\.json(:\d+:\d+)?: `)
	refused := func(what string, damaged []byte) {
		_, err := Decode("x.json", damaged)
		if err == nil || !placed.MatchString(err.Error()) || strings.Contains(err.Error(), "%!(") ||
			!strings.Contains(err.Error(), "bench check --update --experiment EXPERIMENT|FILE.yaml "+
				"--baseline x.json") {
			t.Errorf("%s: %v", what, err)
		}
	}
	rng := rand.New(rand.NewPCG(1, 1))
	for range 300 {
		at := rng.IntN(len(data))
		refused(fmt.Sprintf("cut at %d", at), data[:at])
		flipped := bytes.Clone(data)
		flipped[at] ^= 1 << rng.IntN(7)
		refused(fmt.Sprintf("byte %d flipped", at), flipped)
	}
	refused("more after the end", append(bytes.Clone(data), ' '))
	refused("nothing", nil)
	for n, sound := range map[int]bool{-1: false, 0: false, 5: false, 6: true, 1e6 + 1: false} {
		text := strings.Replace(string(data), `"replicates":6`, fmt.Sprintf(`"replicates":%d`, n), 1)
		body := text[:strings.LastIndex(text, "  \"digest\"")]
		sealed := fmt.Appendf([]byte(body), digestLine, sha256.Sum256([]byte(body)))
		if _, err := Decode("x.json", sealed); (err == nil) != sound || err != nil &&
			!regexp.MustCompile(fmt.Sprintf(`(^|[^-\d])%d\b`, n)).MatchString(err.Error()) {
			t.Errorf("%d replicates: error %v", n, err)
		}
		if !sound {
			refused(fmt.Sprint(n, " replicates"), sealed)
		}
	}
	for _, c := range []struct{ old, new, want string }{
		{"reference 1", "reference 9", `its format is "ocobench reference 9", expected "ocobench reference 1"`},
		{`"seed":1`, `"seed":-1`, "x.json:3:"},
		{`"curves": [`, `"curves": [[`, "x.json:"},
		{`"curves"`, `"curve"`, `curve: it is unknown`},
		{`"seed":1`, `"seed":2`, "changed after it was written"},
	} {
		_, err := Decode("x.json", bytes.Replace(data, []byte(c.old), []byte(c.new), 1))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s for %s: %v, want %q", c.new, c.old, err, c.want)
		}
	}
}

// Compare distinguishes curves that are the same, changed, suspicious, worse, gone or
// new.
func TestCompare(t *testing.T) {
	r := play(t, tiny, 1)
	ref := NewReference(r, []byte(tiny))
	compare := func(ref *Reference, r *run.Results) *Report {
		t.Helper()
		report, err := ref.Compare(r, all)
		if err != nil {
			t.Fatal(err)
		}
		return report
	}
	failed := func(report *Report, want, strict bool) {
		t.Helper()
		if report.Failed(false) != want || report.Failed(true) != strict {
			t.Errorf("failed %v, strict %v; want %v, %v", report.Failed(false), report.Failed(true), want,
				strict)
		}
	}
	got := compare(ref, r)
	if got.Answer != Same || got.Same != 10 || got.Total != 10 || len(got.Changes) != 0 ||
		!got.Paired || got.Experiment != "tiny" {
		t.Errorf("nothing has changed: %+v", got)
	}
	failed(got, false, false)
	got.Broken = []BrokenBound{{"ogd", "iid", algorithms.RegretDomain, 100, 200, 3, 1.25}}
	failed(got, true, true)
	for want, b := range map[string]BrokenBound{
		"regret_domain of ogd on iid is 1.25 times its bound at t = 100 of 200, in replicate 3": got.Broken[0],
		"violation_soft of guo on iid is +Inf times its bound at t = 7 of 200, on average": {
			"guo", "iid", algorithms.SoftViolation, 7, 200, 0, analysis.Number(math.Inf(1)),
		},
	} {
		if b.String() != want {
			t.Errorf("%q, want %q", b, want)
		}
	}

	// In the reference the hard violation of ogd on shrinking grew by t^p less.
	for _, c := range []struct {
		p      float64
		want   stats.Answer
		failed bool
	}{{0.1, stats.Regression, true}, {-0.1, stats.Suspicious, true}, {0.01, stats.Changed, false},
		{0, stats.Changed, false}} {
		was := *ref
		was.Curves = slices.Clone(ref.Curves)
		curve := &was.Curves[7]
		curve.Bits = "0"
		y := make([][]float64, len(curve.Values.Y))
		for r, row := range curve.Values.Y {
			for k, v := range row {
				y[r] = append(y[r], v*math.Pow(curve.Values.T[k], -c.p))
			}
		}
		curve.Values.Y = y
		got := compare(&was, r)
		if got.Answer != c.want || got.Same != 9 || len(got.Changes) != 1 || got.Count(c.want) != 1 ||
			got.Open() != 0 {
			t.Fatalf("one curve has grown by %v: %+v", c.p, got)
		}
		failed(got, c.failed, true)
		if w := got.Changes[0]; w.Key != curve.Key || math.Abs(w.Value-c.p) > 1e-5 ||
			math.Abs(w.After.Value-w.Before.Value-c.p) > 1e-5 || w.Final {
			t.Errorf("%+v", w)
		}
	}

	// Another seed: the curves of a problem without randomness stay the same.
	got = compare(ref, play(t, tiny, 2))
	if got.Answer != stats.Changed || got.Same != 5 || got.Total != 10 || len(got.Changes) != 5 ||
		got.Paired {
		t.Errorf("another seed: %+v", got)
	}
	failed(got, false, true)

	half := *ref
	half.Curves = ref.Curves[:4]
	got = compare(&half, r)
	if got.Answer != stats.Changed || len(got.New) != 6 || got.Total != 4 {
		t.Errorf("six curves are new: %+v", got)
	}
	failed(got, false, true)
	got = compare(ref, play(t, strings.Replace(tiny, "{use: iid}, ", "", 1), 1))
	if got.Answer != stats.Regression || len(got.Gone) != 5 || got.Same != 5 {
		t.Errorf("five curves are gone: %+v", got)
	}
	failed(got, true, true)
}

func TestComparable(t *testing.T) {
	ref := NewReference(play(t, tiny, 1), []byte(tiny))
	for old, new := range map[string]string{
		"name: tiny": "name: other", "horizon: 200": "horizon: [100, 200]",
		"replicates: 6": "replicates: 7",
		"problems":      "window: 1\nproblems", "algorithms": "confidence: 0.9\nalgorithms",
	} {
		x, err := spec.Parse("x.yaml", []byte(strings.Replace(tiny, old, new, 1)))
		if err != nil {
			t.Fatal(err)
		}
		if err := ref.Comparable(x); err == nil ||
			!strings.Contains(err.Error(), "where the reference has") {
			t.Errorf("%s: %v", new, err)
		}
	}
}

// Decode does not panic on any file, and what it accepts has the bytes that Encode
// writes.
func FuzzDecode(f *testing.F) {
	f.Add([]byte(`{"format": "ocobench reference 1", "curves": [{"t":[1],"y":[]}]}`))
	f.Add((&Reference{Name: "x", Replicates: 1, Source: []byte("a\nb")}).Encode())
	f.Fuzz(func(t *testing.T, data []byte) {
		ref, err := Decode("x.json", data)
		if err == nil && !bytes.Equal(ref.Encode(), data) {
			t.Error("read what is not written so")
		}
	})
}
