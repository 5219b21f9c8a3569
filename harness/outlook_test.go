package harness

import (
	"context"
	"testing"
)

// A fresh run computes what the store has, too.
func TestOutlook(t *testing.T) {
	p := newPlan(t, all, "name: tiny\nhorizon: 30\nreplicates: 2\nproblems: [{use: shrinking}, "+
		"{use: iid}]\nalgorithms: [{use: ogd}, {use: primal-dual}]")
	s := openStore(t, t.TempDir())
	cells := len(p.Cells)
	look := func(o Options, found int) {
		t.Helper()
		out := p.Outlook(context.Background(), s, o, 1<<60)
		if out.Cells != cells || out.Found != found || out.Rounds != 30*(cells-found) {
			t.Errorf("%+v: %+v, want %d found of %d", o, out, found, cells)
		}
	}
	look(Options{}, 0)
	if _, err := p.Run(context.Background(), s, Options{Workers: 1}); err != nil {
		t.Fatal(err)
	}
	look(Options{}, cells)
	look(Options{Fresh: true}, 0)
	// as many rounds as it takes, and one too few
	for missing, want := range map[int]bool{0: true, 1: false} {
		out := p.Outlook(context.Background(), s, Options{Fresh: true}, 30*cells+missing)
		if got := out.Time > 0; got != want {
			t.Errorf("%d rounds too few: %+v", missing, out)
		}
	}
}
