package cli

import (
	"path/filepath"
	"testing"
)

// A ~ at the beginning of a path is the home directory, and nowhere else.
func TestTildeIsTheHomeAtTheBeginningOnly(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("USERPROFILE", home)
	for path, want := range map[string]string{
		"~/a/b.yaml": filepath.Join(home, "a", "b.yaml"), "~": "~", "a/~/b": "a/~/b", "/a": "/a",
		"~a/b": "~a/b",
	} {
		t.Run(path, func(t *testing.T) {
			if got, err := atHome(path); err != nil || got != want {
				t.Errorf("%s is %s, %v, want %s", path, got, err, want)
			}
		})
	}
}
