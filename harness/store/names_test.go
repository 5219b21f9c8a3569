package store

import (
	"strings"
	"testing"
)

// A name has up to 200 characters.
func TestNamesHaveUpTo200Characters(t *testing.T) {
	s := open(t, t.TempDir())
	for length, valid := range map[int]bool{0: false, 1: true, 199: true, 200: true, 201: false} {
		name := strings.Repeat("n", length)
		err := s.PutExperiment(name, []byte("{}"))
		if (err == nil) != valid {
			t.Errorf("a name of %d characters: %v", length, err)
		}
		if rec, err := s.Experiment(name); valid && (err != nil || rec.Name != name) {
			t.Errorf("a name of %d characters is not found: %v", length, err)
		}
	}
}
