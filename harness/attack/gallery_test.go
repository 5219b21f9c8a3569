package attack

import (
	"cmp"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ocobench/harness/experiment/spec"
	"ocobench/internal/golden"
)

var update = flag.Bool("update", false, "write the table of docs/attacks.md anew")

const (
	gallery = "instances"
	page    = "../../docs/attacks.md"
	opening = "<!-- the gallery -->\n"
	closing = "<!-- the end of the gallery -->\n"
)

// Every instance of the gallery has the score that its file says, to the last bit. The table of
// docs/attacks.md has their values on a fresh seed and to ten times the horizon; -short only reads
// the files.
func TestGalleryScoresReplay(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(gallery, "*.yaml"))
	if err != nil || len(files) == 0 {
		t.Fatalf("got no instances in %s (%v), want some", gallery, err)
	}
	type row struct {
		score float64
		cells string
	}
	var questions, bounds []row
	for _, file := range files {
		data, err := spec.Read(file)
		if err != nil {
			t.Fatal(err)
		}
		e, err := spec.Parse(file, data)
		if err != nil {
			t.Fatal(err)
		}
		q, found, _, err := Read(catalog, e)
		if err != nil {
			t.Fatal(err)
		}
		if testing.Short() {
			continue
		}
		x := runSearch(t, catalog, t.TempDir(), 2, 1, algorithmSpec(q.Algorithm), q)
		again, err := x.Replay(t.Context(), found)
		if err != nil || again != found.Score {
			t.Errorf("%s: got %v, error %v, want %v as found", file, again, err, found.Score)
			continue
		}
		if !*update {
			continue
		}
		f, err := x.Measure(t.Context(), found)
		if err != nil {
			t.Fatal(err)
		}
		name, growth := strings.TrimSuffix(filepath.Base(file), ".yaml"), fourDigits(f.Exponent)
		if f.Passing {
			growth += ", passing"
		}
		if strings.HasPrefix(name, "bound-") {
			bounds = append(bounds, row{found.Score, fmt.Sprintf("- [%s](../harness/attack/instances/%s.yaml): "+
				"%s, 10 T %s\n", name, name, fourDigits(found.Score), fourDigits(f.Long.Score))})
			continue
		}
		questions = append(questions, row{found.Score, fmt.Sprintf("| [%s](../harness/attack/instances/"+
			"%s.yaml) | `%s` | %s | %s | %d | %s | %s | %s | %s |\n", name, name, x.algorithm.Spec,
			q.Goal, q.Metric, q.Horizon, fourDigits(found.Score), fourDigits(f.Fresh.Score), fourDigits(f.Long.Score),
			growth)})
	}
	slices.SortStableFunc(bounds, func(a, b row) int { return cmp.Compare(b.score, a.score) })
	data, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	text := string(data)
	from, to := strings.Index(text, opening), strings.Index(text, closing)
	if from < 0 || to < from {
		t.Fatalf("got %s without the lines %q and %q, want both", page, opening, closing)
	}
	if *update && !t.Failed() {
		table := func(head string, rows []row) string {
			for _, r := range rows {
				head += r.cells
			}
			return head
		}
		text = text[:from+len(opening)] + "\n" +
			table("| instance | algorithm | goal | metric | T | found | fresh seed | 10 T | growth |\n"+
				"|---|---|---|---|--:|--:|--:|--:|--:|\n", questions) +
			"\n### All bounds, the largest first\n\n" +
			table("", bounds) + "\n" + text[to:]
		if err := os.WriteFile(page, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, file := range files {
		if name := strings.TrimSuffix(filepath.Base(file), ".yaml"); !strings.Contains(text,
			"["+name+"](") {
			t.Errorf("%s: got no row for %s, want one; write it: %s", golden.InModule(page), name,
				golden.Command(t))
		}
	}
}

// fourDigits formats a number with four digits, or returns "none" if it is not finite.
func fourDigits(v float64) string {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return "none"
	}
	return fmt.Sprintf("%.4g", v)
}

// algorithmSpec returns the SPEC of the use of an algorithm.
func algorithmSpec(u spec.Use) string {
	all, err := catalog.ResolveAlgorithms(u)
	if err != nil {
		panic(err)
	}
	return all[0].Spec
}
