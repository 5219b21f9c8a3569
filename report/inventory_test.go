package report

import (
	"encoding/json"
	"math"
	"slices"
	"testing"

	"ocobench/harness/store"
)

// JSON of a cell has all rows of it, with what is no number and what is beyond all numbers.
func TestJSONOfACellHasEveryRow(t *testing.T) {
	rows := [][]float64{{1, 0.1, math.NaN()}, {2, -1e300, math.Inf(1)}}
	text, err := json.Marshal(Cell{Cell: &store.Cell{Kind: "game", Identity: json.RawMessage("{}"),
		Columns: []string{"t", "loss", "regret"}, Rows: rows}})
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		Columns []string
		Rows    [][]any
	}
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatal(err)
	}
	want := [][]any{{1., 0.1, nil}, {2., -1e300, "Infinity"}}
	if !slices.EqualFunc(got.Rows, want, slices.Equal) || len(got.Columns) != 3 {
		t.Errorf("got %s, want %v in three columns", text, want)
	}
}
