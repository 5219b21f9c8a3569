package analysis

import (
	"slices"
	"testing"

	"ocobench/harness/experiment"
	"ocobench/harness/run"
)

// Recorded rounds are called by their file where that is one name, and a label of the user stays.
func TestRecordedRoundsAreCalledByTheirFile(t *testing.T) {
	for _, c := range []struct {
		name  string
		specs []string
		label string // of the first
		want  []string
	}{
		{"a path", []string{"trace:file=/home/me/data/rain.jsonl", "iid"}, "",
			[]string{"rain.jsonl", "iid"}},
		{"a path of Windows", []string{`trace:file="C:\\data\\rain.jsonl"`}, "", []string{"rain.jsonl"}},
		{"one name", []string{"trace:file=a/r.jsonl", "trace:file=b/r.jsonl", "trace:file=b/s.jsonl"}, "",
			[]string{"trace:file=a/r.jsonl", "trace:file=b/r.jsonl", "s.jsonl"}},
		{"windows", []string{"trace:file=a/r.jsonl,window=60", "trace:file=a/r.jsonl,window=80"}, "",
			[]string{"r.jsonl, window = 60", "r.jsonl, window = 80"}},
		{"a label", []string{"trace:file=a/r.jsonl", "trace:file=b/r.jsonl"}, "mine",
			[]string{"mine", "r.jsonl"}},
		{"the label is a name", []string{"trace:file=a/r.jsonl", "trace:file=b/r.jsonl"}, "r.jsonl",
			[]string{"r.jsonl", "trace:file=b/r.jsonl"}},
		{"no label", []string{"trace:file=a/" + string(slices.Repeat([]byte("x"), 61))}, "",
			[]string{"trace:file=a/" + string(slices.Repeat([]byte("x"), 61))}},
	} {
		t.Run(c.name, func(t *testing.T) {
			rec := experiment.Record{Horizon: []int{10}}
			for _, spec := range c.specs {
				rec.Problems = append(rec.Problems, experiment.Entry{Spec: spec, Name: "trace"})
			}
			rec.Problems[0].Label = c.label
			a := Describe(&run.Results{Record: rec})
			var got []string
			for _, p := range a.Problems {
				got = append(got, p.LabelOrSpec())
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("titles are %q, want %q", got, c.want)
			}
		})
	}
}
