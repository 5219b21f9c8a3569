package input

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A cell that is no number of its column is refused at its place, with the name of the column
// before what was found; and every cell before it is read.
func TestNumberOfASheetIsRefusedAtItsPlace(t *testing.T) {
	positive := func(v float64) bool { return v > 0 }
	for cell, first := range map[string]string{
		"3,5": "2.5", "3.5": "2,5", "-1.5": "2.5", "": "2.5", "word": "2,5", "1.5.2": "2.5", "0": "2,5",
	} {
		file := filepath.Join(t.TempDir(), "a.csv")
		if err := os.WriteFile(file, []byte("day;rate\nmon;"+first+"\ntue; 4\nwed;"+cell+"\n"),
			0o666); err != nil {
			t.Fatal(err)
		}
		s, err := OpenSheet(file, "day", Format{})
		if err != nil {
			t.Fatal(err)
		}
		column := Column{At: 1, Expected: "a number > 0", Valid: positive}
		for line, want := range []float64{2.5, 4} {
			cells, err := s.Next()
			if err != nil {
				t.Fatal(err)
			}
			if v, err := s.Number(cells, column, ""); err != nil || v != want {
				t.Errorf("line %d: %v (%v), want %v", line+2, v, err, want)
			}
		}
		cells, err := s.Next()
		if err != nil {
			t.Fatal(err)
		}
		_, err = s.Number(cells, column, "")
		before, after, found := strings.Cut(fmt.Sprint(err), ": rate: ")
		if !found || !strings.HasSuffix(before, ":4:5") || !strings.Contains(after, cell) {
			t.Errorf("%q: got error %v, want one at :4:5 that shows the cell", cell, err)
		}
	}
}
