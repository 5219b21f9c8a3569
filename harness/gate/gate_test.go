package gate

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"ocobench/algorithms"
	"ocobench/harness"
	"ocobench/harness/spec"
	"ocobench/harness/store"
	"ocobench/problems"
	"ocobench/stats"
)

var all = harness.Catalog{Algorithms: algorithms.All, Problems: problems.All}

const tiny = "name: tiny\nhorizon: 200\nreplicates: 6\n" +
	"problems: [{use: iid}, {use: shrinking}]\nalgorithms: [{use: ogd}, {use: guo}]\n"

// play plays an experiment.
func play(t testing.TB, source string, seed uint64) *harness.Results {
	t.Helper()
	x, err := spec.Parse("x.yaml", []byte(source))
	if err != nil {
		t.Fatal(err)
	}
	x.Seed = seed
	p, err := harness.NewPlan(all, x)
	if err != nil {
		t.Fatal(err)
	}
	s, err := store.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if failures, err := p.Run(context.Background(), s, harness.Options{Workers: 2}); err != nil || len(failures) > 0 {
		t.Fatal(err, failures)
	}
	r, err := harness.LoadExperiment(s, x.Name)
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
		"regret_xmin of ogd on shrinking", "violation_soft of ogd on shrinking", "violation_hard of ogd on shrinking",
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
			if math.Abs(v-whole) > 5.1e-6*math.Abs(whole) || fmt.Sprintf("%.6g", v) != fmt.Sprintf("%.6g", whole) {
				t.Errorf("replicate %d at %v: %v of %v", i+1, at[k], v, whole)
			}
		}
	}
	if slices.Equal(y[0], y[1]) || excerpts[2].Bits == excerpts[1].Bits {
		t.Error("replicates or metrics are alike")
	}
	for _, c := range []struct{ v, t, want float64 }{
		{1e-7, 100, 0}, {-1e-7, 100, 0}, {1.1e-7, 100, 1.1e-7}, {0, 1, 0}, {-123456.7, 10, -123457}, {math.Copysign(0, -1), 1, 0},
	} {
		if got := round(c.v, c.t); got != c.want || math.Signbit(got) != (c.want < 0) {
			t.Errorf("round(%v, %v) = %v, want %v", c.v, c.t, got, c.want)
		}
	}
}

// Across horizons, an algorithm that needs the horizon has one checkpoint a
// horizon, and another algorithm is measured along t.
func TestMeasureAcross(t *testing.T) {
	r := play(t, "name: across\nhorizon: [20, 40, 80, 160]\nreplicates: 2\nproblems: [{use: shrinking}]\nalgorithms: [{use: ogd}, {use: mahdavi}]", 1)
	excerpts := Measure(r)
	last := excerpts[len(excerpts)-1]
	if last.Algorithm != "mahdavi" || last.Design != stats.AcrossT || !slices.Equal(last.Values.T, []float64{20, 40, 80, 160}) {
		t.Errorf("%+v", last)
	}
	if first := excerpts[0]; first.Algorithm != "ogd" || first.Design != stats.AlongT || len(first.Values.T) < 5 {
		t.Errorf("%+v", first)
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
	if !bytes.Equal(back.Encode(), data) || !bytes.Equal(NewReference(play(t, tiny, 7), []byte(tiny)).Encode(), data) {
		t.Error("other bytes the second time")
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
		return slices.IndexFunc(all.Algorithms, func(a algorithms.Algorithm) bool { return a.Name == name })
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
		err = Reduce(x, harness.Catalog{Algorithms: c.algorithms, Problems: c.problems})
		var left []string
		for _, u := range append(x.Algorithms, x.Problems...) {
			left = append(left, u.Name)
		}
		if c.left == "" && err == nil || c.left != "" && (err != nil || strings.Join(left, " ") != c.left) {
			t.Errorf("%q is left, want %q: %v", left, c.left, err)
		}
	}
}

// Decode detects damage of any byte, and its messages say where it is and what to
// do.
func TestDecodeDamage(t *testing.T) {
	data := NewReference(play(t, tiny, 1), []byte(tiny)).Encode()
	refused := func(what string, damaged []byte) {
		_, err := Decode("x.json", damaged)
		if err == nil || !strings.HasPrefix(err.Error(), "x.json") || !strings.Contains(err.Error(), "bench check --update --experiment EXPERIMENT|FILE.yaml --baseline x.json") {
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
	for _, c := range []struct{ old, new, want string }{
		{"reference 1", "reference 9", `its format is "ocobench reference 9", expected "ocobench reference 1"`},
		{`"seed":1`, `"seed":-1`, "x.json:3:"},
		{`"curves": [`, `"curves": [[`, "x.json:"},
		{`"curves"`, `"curve"`, `unknown field "curve"`},
		{`"seed":1`, `"seed":2`, "changed after it was written"},
	} {
		_, err := Decode("x.json", bytes.Replace(data, []byte(c.old), []byte(c.new), 1))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s for %s: %v, want %q", c.new, c.old, err, c.want)
		}
	}
}

// Compare distinguishes curves that are the same, changed, gone or new.
func TestCompare(t *testing.T) {
	r := play(t, tiny, 1)
	ref := NewReference(r, []byte(tiny))
	compare := func(ref *Reference, r *harness.Results) *Report {
		t.Helper()
		report, err := ref.Compare(r, all)
		if err != nil {
			t.Fatal(err)
		}
		return report
	}
	if got := compare(ref, r); got.Same != 10 || got.Total != 10 || len(got.Changes) != 0 || got.Failed() || !got.Paired {
		t.Errorf("nothing has changed: %+v", got)
	}

	// The reference's hard violation of ogd on shrinking grew by t^0.1 less.
	less := *ref
	less.Curves = slices.Clone(ref.Curves)
	c := &less.Curves[7]
	c.Bits = "0"
	y := make([][]float64, len(c.Values.Y))
	for r, row := range c.Values.Y {
		for k, v := range row {
			y[r] = append(y[r], v*math.Pow(c.Values.T[k], -0.1))
		}
	}
	c.Values.Y = y
	got := compare(&less, r)
	if !got.Failed() || got.Outcome != stats.Regression || got.Same != 9 || len(got.Changes) != 1 || got.Count(stats.Regression) != 1 {
		t.Fatalf("one curve is worse: %+v", got)
	}
	if w := got.Changes[0]; w.Key != c.Key || math.Abs(w.Value-0.1) > 1e-5 || math.Abs(w.After.Value-w.Before.Value-0.1) > 1e-5 || w.Final {
		t.Errorf("%+v", w)
	}

	// Another seed: the curves of a problem without randomness stay the same.
	got = compare(ref, play(t, tiny, 2))
	if got.Same != 5 || got.Total != 10 || len(got.Changes) != 5 || got.Paired || got.Failed() {
		t.Errorf("another seed: %+v", got)
	}

	half := *ref
	half.Curves = ref.Curves[:4]
	if got := compare(&half, r); len(got.New) != 6 || got.Total != 4 || got.Failed() {
		t.Errorf("six curves are new: %+v", got)
	}
	got = compare(ref, play(t, strings.Replace(tiny, "{use: iid}, ", "", 1), 1))
	if len(got.Gone) != 5 || got.Same != 5 || !got.Failed() || got.Outcome != stats.Pass {
		t.Errorf("five curves are gone: %+v", got)
	}
}

func TestComparable(t *testing.T) {
	ref := NewReference(play(t, tiny, 1), []byte(tiny))
	for old, new := range map[string]string{
		"name: tiny": "name: other", "horizon: 200": "horizon: [100, 200]", "replicates: 6": "replicates: 7",
		"problems": "window: 1\nproblems", "algorithms": "confidence: 0.9\nalgorithms",
	} {
		x, err := spec.Parse("x.yaml", []byte(strings.Replace(tiny, old, new, 1)))
		if err != nil {
			t.Fatal(err)
		}
		if err := ref.Comparable(x); err == nil || !strings.Contains(err.Error(), "where the reference has") {
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
