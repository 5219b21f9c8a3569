package analysis

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"ocobench/internal/build"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

func archived(t *testing.T, all ...*Analysis) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := WriteArchive(&b, all); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// Analyses come back from an archive with the bytes of their analysis.json, which names
// and text that JSON escapes do not change, and can be shown beside each other.
func TestArchive(t *testing.T) {
	a := analysed(t, planted(t, "description: </script> & “größer”\nhorizon: [10, 20, "+
		"40]\nreplicates: 6\nwindow: 1\nalgorithms: [{use: low, label: <script>}, {use: told}, {use: "+
		"root}]"))
	b := analysed(t, planted(t, "horizon: 10\nreplicates: 1\nalgorithms: [{use: low}]"))
	one := analysed(t, planted(t, "horizon: 1\nreplicates: 2\nalgorithms: [{use: low}]"))
	file := archived(t, a, b, one)
	if again := archived(t, a, b, one); !bytes.Equal(file, again) {
		t.Error("the same analyses make other bytes")
	}
	if !bytes.Equal(file[:10], []byte{0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 2, 255}) {
		t.Errorf("the head of the file is % x, want one without a time and a system", file[:10])
	}
	back, err := ReadArchive(bytes.NewReader(file))
	if err != nil || len(back) != 3 {
		t.Fatalf("%d analyses and error %v", len(back), err)
	}
	for i, want := range []*Analysis{a, b, one} {
		was, err := json.Marshal(want)
		if err != nil {
			t.Fatal(err)
		}
		if is, err := json.Marshal(back[i]); err != nil || !bytes.Equal(is, was) {
			t.Errorf("error %v; it comes back as\n%s\nwant\n%s", err, is, was)
		}
	}
	fresh, err := SideBySide(t.Context(), a, a, [2]string{"A", "B"})
	if err != nil {
		t.Fatal(err)
	}
	read, err := SideBySide(t.Context(), a, back[0], [2]string{"A", "B"})
	if err != nil {
		t.Fatal(err)
	}
	want, _ := json.Marshal(fresh)
	if is, err := json.Marshal(read); err != nil || !bytes.Equal(is, want) {
		t.Errorf("error %v; beside its archive it is\n%s\nwant\n%s", err, is, want)
	}
	if none, err := ReadArchive(bytes.NewReader(archived(t))); err != nil || len(none) != 0 {
		t.Errorf("no analyses come back as %v, %v", none, err)
	}
}

// zipped is gzip of a text.
func zipped(text string) []byte {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	io.WriteString(z, text)
	z.Close()
	return b.Bytes()
}

// A file that is no archive, is damaged or is of another version gives an error that says
// what was expected.
func TestArchiveErrors(t *testing.T) {
	file := archived(t, analysed(t, planted(t,
		"horizon: 10\nreplicates: 1\nalgorithms: [{use: low}]")))
	z, err := gzip.NewReader(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	data, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	text := string(data)
	resealed := func(old, new string) []byte {
		if !strings.Contains(text, old) {
			t.Fatalf("an archive does not contain %s", old)
		}
		var a archive
		if err := json.Unmarshal([]byte(text), &a); err != nil {
			t.Fatal(err)
		}
		a.Experiments = json.RawMessage(strings.Replace(string(a.Experiments), old, new, 1))
		a.Digest = digest(a.Experiments)
		out, err := json.Marshal(a)
		if err != nil {
			t.Fatal(err)
		}
		return zipped(string(out))
	}
	for want, file := range map[string][]byte{
		"is cut short":                 nil,
		"is cut short; write it again": file[:len(file)-1],
		"is cut short; ":               file[:len(file)/2],
		"is damaged: its content does not match": append(bytes.Clone(file[:len(file)-8]), 1, 2,
			3, 4, 5, 6, 7, 8),
		"is damaged: gzip": append(bytes.Clone(file), "something that follows"...),
		"is no archive (expected gzip, as bench export":                                                                 []byte("schema,ocobench archive 1"),
		"is no archive (expected JSON with a schema":                                                                    zipped("schema: ocobench archive 1"),
		"is no archive (expected JSON with a schema, as b":                                                              zipped("{}"),
		`has the schema "ocobench archive 2" where this program reads "ocobench archive 1"`:                             zipped(strings.Replace(text, ArchiveSchema, "ocobench archive 2", 1)),
		`is damaged: its digest is "sha256 `:                                                                            zipped(strings.Replace(text, `"replicates":1`, `"replicates":2`, 1)),
		"is damaged: its digest is":                                                                                     zipped(`{"schema":"ocobench archive 1"}`),
		fmt.Sprintf(`has experiment "planted" in the schema "ocobench analysis 0" where this program reads %q`, Schema): resealed(Schema, "ocobench analysis 0"),
		`use ocobench ` + build.Version +
			`, which`: resealed(Schema, "ocobench analysis 0"),
		`is damaged: element 1: experiment: replicates: found a text, expected an integer`: resealed(
			`"replicates":1`, `"replicates":"1"`),
		`is damaged: element 1: experiment: replicates: found 1.5, expected an integer`: resealed(
			`"replicates":1`, `"replicates":1.5`),
		`is damaged: element 1: experiment: "seed" is missing`:          resealed(`"seed":1,`, ``),
		`is damaged: element 1: experiment: seed: it is there twice`:    resealed(`"seed":1,`, `"seed":1,"seed":2,`),
		`is damaged: element 1: experiment: Seed: it is unknown`:        resealed(`"seed":1,`, `"seed":1,"Seed":2,`),
		`is damaged: element 1: pairs: element 1: "problem" is missing`: resealed(`"pairs":[`, `"pairs":[{},`),
		`is damaged: element 1: pairs: element 1: series: found null, expected an object`: resealed(
			`"series":{`, `"series":null,"x":{`),
		`is damaged: experiment "planted": its horizons are []`: resealed(`"horizon":[10]`,
			`"horizon":[]`),
		`is damaged: experiment "planted": its horizons are [0]`: resealed(`"horizon":[10]`,
			`"horizon":[0]`),
		`is damaged: experiment "planted": its horizons are [-1 10]`: resealed(`"horizon":[10]`,
			`"horizon":[-1,10]`),
		`is damaged: experiment "planted": its horizons are [20 10]`: resealed(`"horizon":[10]`,
			`"horizon":[20,10]`),
		`is damaged: experiment "planted": its confidence is 2`: resealed(
			`"confidence":0.95`, `"confidence":2`),
		`is damaged: experiment "planted": it lacks "low" or "steep"`: resealed(`"spec":"steep"`,
			`"spec":"deep"`),
		`is damaged: experiment "planted": loss of low on steep is not`: resealed(
			`"loss":{"state":"measured","replicates":1,"of":1,"mean":{"t":[1,`,
			`"loss":{"state":"measured","replicates":1,"of":1,"mean":{"t":[`),
		`is damaged: experiment "planted": gap of low on steep is not whole`: resealed(
			`"lower":[`, `"lower":[0,`),
		`is damaged: experiment "planted": it lacks loss of low on steep`: resealed(`"loss":{"state"`,
			`"loss":null,"x":{"state"`),
		`is damaged: experiment "planted": x of low on steep is not whol`: resealed(`"loss":{"state"`,
			`"x":null,"loss":{"state"`),
		`is damaged: experiment "planted": low has played 2 of 1 replicates on steep, in`: resealed(
			`"played":1`, `"played":2`),
		`is damaged: experiment "planted": low has played 1 of 2 replicates on steep, in an experiment of 1`: resealed(
			`"replicates":1,"played":1`, `"replicates":2,"played":1`),
		`is damaged: experiment "planted": it lacks the metric "x"`: resealed(`"name":"low"`,
			`"claims":[{"metric":"x","exponent":0.5}],"name":"low"`),
		`is damaged: experiment "planted": it lacks the metric "y", which its views`: resealed(
			`"focus":{"regret":"regret_xhat"`, `"focus":{"regret":"y"`),
		`is damaged: experiment "planted": it lacks the problem "deep", which it has a view`: resealed(
			`"views":[{"problem":"steep"`, `"views":[{"problem":"deep"`),
	} {
		all, err := ReadArchive(bytes.NewReader(file))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%d analyses and the error %v, want one with %q", len(all), err, want)
		}
	}
	// What says little in many bytes is not unpacked, and nothing is taken for values before the
	// whole is known to fit.
	spaces := zipped(`{"schema":` + strings.Repeat(" ", 20<<20) + `1}`)
	deep := strings.Repeat(`{"negated":`, 100)
	for want, file := range map[string][]byte{
		"unpacks to more than 16 MiB": spaces,
		"50 deep in others":           resealed(`"fit":null`, `"fit":`+deep+"null"+strings.Repeat("}", 100)),
	} {
		if _, err := ReadArchive(bytes.NewReader(file)); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("the error is %v, want one with %q", err, want)
		}
	}
	// A bit that flips anywhere is found, or does not matter.
	for i := range file {
		broken := bytes.Clone(file)
		broken[i] ^= 1 << (i % 8)
		if all, err := ReadArchive(bytes.NewReader(broken)); err == nil {
			if is := archived(t, all...); !bytes.Equal(is, file) {
				t.Errorf("a bit of byte %d flips, and the archive is another", i)
			}
		}
	}
}

// What packs little is read however long it is, and what is mostly empty beyond the first 16 MiB
// is not. The error has the MiB at which it ends, the bytes that were read, and the limits.
func TestArchivesUnpack(t *testing.T) {
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
		{1000, 0, true}, {0, 16 << 20, true}, {0, 17 << 20, false}, {1000, 18 << 20, false},
		{512 << 10, 24 << 20, true}, {64 << 10, 24 << 20, false},
	} {
		file := packed(noise[:c.noise], c.zeros)
		data, err := unpack(bytes.NewReader(file))
		if (err == nil) != c.read || c.read && (len(data) != c.noise+c.zeros ||
			!bytes.Equal(data[:c.noise], noise[:c.noise])) {
			t.Errorf("%d bytes of noise and %d zeros in %d bytes: %d bytes, error %v", c.noise, c.zeros,
				len(file), len(data), err)
		}
		if err == nil {
			continue
		}
		var said []int
		for _, digits := range regexp.MustCompile(`\d+`).FindAllString(err.Error(), -1) {
			n, _ := strconv.Atoi(digits)
			said = append(said, n)
		}
		if len(said) != 5 || said[1] < c.noise || said[1] > len(file) ||
			said[0] != 16+32*said[1]>>20 || !slices.Equal(said[2:], []int{256, 16, 32}) {
			t.Errorf("%d bytes of noise and %d zeros in %d bytes: the numbers of %v", c.noise, c.zeros,
				len(file), err)
		}
	}
}
