package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A file that is for one system, and calls what another does not have.
func TestCheckFindsCallsThatOtherSystemsLack(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":    "module m\n\ngo 1.26.0\n",
		"p.go":      "package p\n\nimport \"os\"\n\nfunc Name() string { return name(os.Args) }\n",
		"p_unix.go": "//go:build unix\n\npackage p\n\nfunc name(a []string) string { return a[0] }\n",
		"p_test.go": "package p\n\nimport \"syscall\"\n\nvar _ = syscall.Kill\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for system, want := range map[string][]string{
		"linux": {}, "darwin": {}, "windows": {"undefined: name", "undefined: syscall.Kill"},
	} {
		faults, err := typeErrors(dir, system)
		if err != nil {
			t.Fatal(err)
		}
		var said strings.Builder
		for _, fault := range faults {
			said.WriteString(fault.Msg + "\n")
		}
		for _, fault := range want {
			if !strings.Contains(said.String(), fault) {
				t.Errorf("%s: want %q among the faults, got\n%s", system, fault, &said)
			}
		}
		if len(want) == 0 && said.Len() > 0 {
			t.Errorf("%s: want no faults, got\n%s", system, &said)
		}
	}
}
