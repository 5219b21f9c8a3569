package tex

import (
	"bufio"
	"encoding/json"
	"os"
	"strings"
	"testing"
)

func TestTmpCorpus(t *testing.T) {
	f, err := os.Open("/tmp/corpus.jsonl")
	if err != nil {
		t.Skip()
	}
	sc := bufio.NewScanner(f)
	sc.Buffer(nil, 1<<22)
	seen := map[string]bool{}
	n := 0
	for sc.Scan() {
		var p []string
		json.Unmarshal(sc.Bytes(), &p)
		if seen[p[0]] {
			continue
		}
		seen[p[0]] = true
		n++
		if err := Check(p[0]); err != nil {
			t.Error(err)
			continue
		}
		if u := Unicode(p[0]); u != p[1] {
			t.Errorf("%s\n old %s\n new %s", p[0], p[1], u)
		}
		if l := LaTeX(p[0]); l != p[0] {
			t.Logf("latex %s\n  %s", p[0], l)
		}
	}
	t.Log(n)
}

var _ = strings.Cut
