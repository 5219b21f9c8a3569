package doctest

import (
	"encoding/json"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// TestLibraries: the table of libraries in docs/architecture.md has every direct dependency.
func TestLibraries(t *testing.T) {
	if _, err := os.ReadFile("go.mod"); err != nil { // which the cache of go test is to know
		t.Fatal(err)
	}
	out, err := exec.Command("go", "mod", "edit", "-json").Output()
	if err != nil {
		t.Fatal(err)
	}
	var module struct {
		Require []struct {
			Path     string
			Indirect bool
		}
	}
	if err := json.Unmarshal(out, &module); err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile("docs/architecture.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(page), "## Libraries\n")
	table, _, _ = strings.Cut(table, "What is written here")
	for _, m := range module.Require {
		if !m.Indirect && !strings.Contains(table, "`"+m.Path+"`") {
			t.Errorf("docs/architecture.md does not say what %s is for", m.Path)
		}
	}
}
