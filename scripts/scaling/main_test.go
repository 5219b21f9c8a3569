//go:build unix

package main

import (
	"os"
	"path/filepath"
	"testing"
)

// All phases work on a store of one replicate: the cells that fill makes are found,
// loaded, analysed, exported and packed, and the export is the same from packs.
func TestPhasesWorkOnASmallStore(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "1")
	var before []byte
	for _, phase := range phases {
		if err := phase.run(1, dir); err != nil {
			t.Fatalf("%s: %v", phase.name, err)
		}
		if phase.name == "export" {
			var err error
			if before, err = os.ReadFile(dir + ".csv"); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := export(1, dir); err != nil {
		t.Fatal(err)
	}
	if after, err := os.ReadFile(dir + ".csv"); err != nil || string(after) != string(before) {
		t.Errorf("got another export from packs (%v), want the same", err)
	}
	r, err := loadResults(dir)
	if err != nil || r.Missing != 0 || len(r.Games) != 112 {
		t.Errorf("got %d games, %d cells missing (%v), want 112 and none", len(r.Games), r.Missing, err)
	}
	files, _, err := countFiles(filepath.Join(dir, "cells"))
	if err != nil || files != 0 {
		t.Errorf("got %d files beside the packs (%v), want none", files, err)
	}
}
