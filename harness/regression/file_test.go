package regression

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"ocobench/algorithms"
	"ocobench/harness/analysis"
	"ocobench/harness/experiment"
	"ocobench/internal/build"
	"ocobench/internal/errtest"
)

// encode returns the file of these snapshots.
func encode(t testing.TB, all ...*Snapshot) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := Write(&b, all); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// takeAnalysed plays an experiment and takes a snapshot with all metrics and the analysis.
func takeAnalysed(t testing.TB, source string, seed uint64) *Snapshot {
	t.Helper()
	r := play(t, source, seed)
	a, err := analysis.NewUnfitted(all, r).Fit(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	s := TakeFitted(r)
	s.Analysis = a
	return s
}

const small = "name: small\nhorizon: 10\nreplicates: 1\nproblems: [{use: shrinking}]\n" +
	"algorithms: [{use: ogd}]\n"

// Snapshots come back from a file, with the bytes of their analyses. Equal ones make equal bytes,
// and the head of the file has no time and no system. What comes back is compared as it was.
func TestFileGivesBackSnapshots(t *testing.T) {
	a := takeAnalysed(t, "description: </script> & “größer”\n"+tiny, 7)
	check := Take(play(t, tiny, 7))
	check.Source = tiny
	one := takeAnalysed(t, strings.Replace(small, "horizon: 10", "horizon: 1", 1), 1)
	file := encode(t, a, check, one)
	again := Take(play(t, tiny, 7))
	again.Source = tiny
	if !bytes.Equal(file, encode(t, a, again, one)) {
		t.Error("the same results: got other bytes, want the same")
	}
	if !bytes.Equal(file[:10], []byte{0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 2, 255}) {
		t.Errorf("the head of the file is % x, want one without a time and a system", file[:10])
	}
	back, err := Read(bytes.NewReader(file))
	if err != nil || len(back) != 3 {
		t.Fatalf("got %d snapshots, error %v, want 3", len(back), err)
	}
	if !reflect.DeepEqual(back[1], check) {
		t.Errorf("it comes back as %+v, want %+v", back[1], check)
	}
	if !bytes.Equal(encode(t, back...), file) {
		t.Error("got other bytes of what was read, want the file")
	}
	report, err := Compare(t.Context(), a, back[0])
	if err != nil || report.Answer != NoChange || report.Total != len(a.Curves) ||
		len(a.Curves) <= len(check.Curves) {
		t.Errorf("got error %v, %s of %d curves, want no change, and more curves than the %d of a check",
			err, report.Answer, len(a.Curves), len(check.Curves))
	}
	if none, err := Read(bytes.NewReader(encode(t))); err != nil || len(none) != 0 {
		t.Errorf("no snapshots: got %v, error %v, want none", none, err)
	}
}

// compress returns a text in gzip.
func compress(text string) []byte {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	io.WriteString(z, text)
	z.Close()
	return b.Bytes()
}

// encodeWithDigest returns a file with this JSON of snapshots and the digest that belongs to it.
func encodeWithDigest(experiments string) []byte {
	return compress(fmt.Sprintf(`{"schema":%q,"experiments":%s,"digest":"sha256 %x"}`, Schema,
		experiments, sha256.Sum256([]byte(experiments))))
}

// A file that is no snapshot, is damaged or is of another version gives an error that says
// what was expected.
func TestReadRefusesDamage(t *testing.T) {
	snapshot := takeAnalysed(t, small, 1)
	snapshot.Source = small
	file := encode(t, snapshot)
	z, err := gzip.NewReader(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	data, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	text := string(data)
	experiments, err := json.Marshal([]*Snapshot{snapshot})
	if err != nil {
		t.Fatal(err)
	}
	changed := func(old, new string) []byte {
		if !strings.Contains(string(experiments), old) {
			t.Fatalf("got a snapshot without %s, want it", old)
		}
		return encodeWithDigest(strings.Replace(string(experiments), old, new, 1))
	}
	lacking, larger := *snapshot, *snapshot.Analysis
	larger.Algorithms = append(slices.Clone(larger.Algorithms), experiment.Entry{Spec: "x"})
	lacking.Analysis = &larger
	alike := &Snapshot{Experiment: analysis.Experiment{Name: "x", Replicates: 1e6, Horizon: []int{9},
		Confidence: 0.9}, Algorithms: []experiment.Entry{{}}, Problems: []experiment.Entry{{}}}
	for k := range 11 {
		alike.Curves = append(alike.Curves, Curve{Key: Key{Metric: algorithms.Metric(fmt.Sprint(k))},
			T: []float64{1, 2}, Y: [][]float64{{1, 2}}})
	}
	curve := `"curves":[{"algorithm":"ogd","problem":"shrinking"`
	for _, c := range []struct {
		want string
		file []byte
	}{
		{"is damaged: it is cut short", nil},
		{"is damaged: it is cut short", file[:len(file)-1]},
		{"is damaged: its content does not match its checksum",
			append(bytes.Clone(file[:len(file)-8]), 1, 2, 3, 4, 5, 6, 7, 8)},
		{"is damaged: gzip", append(bytes.Clone(file), "something that follows"...)},
		{"is no snapshot (expected gzip, as bench check --update and bench export --archive write it)",
			[]byte(`{"format": "ocobench reference 1"}`)},
		{"is no snapshot (expected JSON with a schema, as", compress("schema: " + Schema)},
		{`has the schema "ocobench archive 1" where this program reads "ocobench snapshot 1"`,
			compress(strings.Replace(text, Schema, "ocobench archive 1", 1))},
		{`is damaged: its digest is "sha256 `, compress(strings.Replace(text, `"seed":1`, `"seed":2`, 1))},
		{"is damaged: its digest is", compress(fmt.Sprintf(`{"schema":%q}`, Schema))},
		{fmt.Sprintf(`has experiment "small" in the schema "ocobench analysis 0" where this program `+
			`reads %q; use ocobench %s,`, analysis.Schema, build.Version),
			changed(analysis.Schema, "ocobench analysis 0")},
		{"is damaged: element 1: experiment: seed: found -1", changed(`"seed":1`, `"seed":-1`)},
		{`is damaged: element 1: experiment: replicates: found a text, expected an integer`,
			changed(`"replicates":1`, `"replicates":"1"`)},
		{"is damaged: a member is missing", changed(`"fit":null,`, ``)},
		{"its analysis has other settings", changed(`"seed":1,`, ``)},
		{`is damaged: element 1: experiment: seed: it is there twice`,
			changed(`"seed":1,`, `"seed":1,"seed":2,`)},
		{`is damaged: element 1: experiment: Seed: it is unknown`,
			changed(`"seed":1,`, `"seed":1,"Seed":2,`)},
		{"is there twice, or of no algorithm or problem", changed(`"curves":[`, `"curves":[{},`)},
		{`is damaged: element 1: analysis: pairs: element 1: x: it is unknown`,
			changed(`"series":{`, `"series":null,"x":{`)},
		{"is damaged: element 1: found null, expected an object", encodeWithDigest("[null]")},
		{`"small": its horizons are [0]`, changed(`"horizon":[10]`, `"horizon":[0]`)},
		{`"small": its horizons are [20 10]`, changed(`"horizon":[10]`, `"horizon":[20,10]`)},
		{`"small": its confidence is 2`, changed(`"confidence":0.95`, `"confidence":2`)},
		{`"small": it has 0 replicates`, changed(`"replicates":1`, `"replicates":0`)},
		{`"small": it has 1000001 replicates`, changed(`"replicates":1`, `"replicates":1000001`)},
		{`is there twice, or of no algorithm or problem`, changed(curve, strings.Replace(curve,
			"ogd", "x", 1))},
		{`does not have 1 replicates with a value at each checkpoint`, changed(`"y":[[`, `"y":[[1,`)},
		{`has the replicates [2] of 1`, changed(`"t":[`, `"replicates":[2],"t":[`)},
		{`it lacks the algorithm "x" of its analysis`, encode(t, &lacking)},
		{"its curves have more than 10000000 replicates together", encode(t, alike)},
		{"its objects lack most of their members", // 600 bytes of memory for 3 of text
			changed(`"pairs":[`, `"pairs":[`+strings.Repeat("{},", 100_000))},
		{"50 deep in others", changed(`"fit":null`, `"fit":`+strings.Repeat(`{"negated":`, 100)+"null"+
			strings.Repeat("}", 100))},
		{"unpacks to more than 16 MiB", compress(`{"schema":` + strings.Repeat(" ", 20<<20) + `1}`)},
	} {
		all, err := Read(bytes.NewReader(c.file))
		errtest.Contains(t, err, c.want, "%d snapshots", len(all))
	}
	// A bit that flips anywhere is found, or does not matter, and so is an end anywhere.
	for i := 0; i < len(file); i += 5 {
		broken := bytes.Clone(file)
		broken[i] ^= 1 << (i % 8)
		if all, err := Read(bytes.NewReader(broken)); err == nil &&
			!bytes.Equal(encode(t, all...), file) {
			t.Errorf("a flipped bit of byte %d: got other snapshots, want an error", i)
		}
		if _, err := Read(bytes.NewReader(file[:i])); err == nil {
			t.Errorf("the first %d bytes: got no error, want one", i)
		}
	}
}

// A file that packs little is read however long it is, and what is mostly empty beyond the first
// 16 MiB is not.
func TestUnpackIsBounded(t *testing.T) {
	noise := make([]byte, 512<<10)
	rand.NewChaCha8([32]byte{1}).Read(noise)
	packed := func(noise []byte, zeros int) []byte {
		var b bytes.Buffer
		z, _ := gzip.NewWriterLevel(&b, gzip.BestSpeed)
		z.Write(noise)
		z.Write(make([]byte, zeros))
		z.Close()
		return b.Bytes()
	}
	for _, c := range []struct {
		noise, zeros int
		read         bool
	}{
		{1000, 0, true}, {0, 16 << 20, true}, {0, 17 << 20, false},
		{512 << 10, 24 << 20, true}, {64 << 10, 24 << 20, false},
	} {
		file := packed(noise[:c.noise], c.zeros)
		data, err := decompress(bytes.NewReader(file))
		if (err == nil) != c.read || c.read && (len(data) != c.noise+c.zeros ||
			!bytes.Equal(data[:c.noise], noise[:c.noise])) {
			t.Errorf("%d bytes of noise and %d zeros in %d bytes: got %d bytes, error %v, want them read "+
				"if they fit", c.noise, c.zeros, len(file), len(data), err)
		}
	}
}

// Read does not panic on any JSON with its digest, and what it accepts can be written and compared
// with itself.
func FuzzReadSnapshotsAreWrittenAndCompared(f *testing.F) {
	s := &Snapshot{Experiment: analysis.Experiment{Name: "x", Replicates: 1, Horizon: []int{1},
		Window: 1, Confidence: 0.9},
		Algorithms: entryIdentities(nil), Problems: entryIdentities(nil), Curves: []Curve{}}
	data, err := json.Marshal([]*Snapshot{s})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(string(data))
	f.Add(`[{"experiment":{"name":"x"},"curves":[{"t":[1],"y":[]}]}]`)
	f.Fuzz(func(t *testing.T, experiments string) {
		if !json.Valid([]byte(experiments)) {
			return
		}
		all, err := Read(bytes.NewReader(encodeWithDigest(experiments)))
		if err != nil {
			return
		}
		encode(t, all...)
		for _, s := range all {
			if report, err := Compare(t.Context(), s, s); err != nil || report.Answer != NoChange {
				t.Errorf("compared with itself: got %v, error %v, want no change", report, err)
			}
		}
	})
}
