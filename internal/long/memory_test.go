package long

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
)

// What is said of TMPDIR holds; where temporary files are in memory, a program there starts.
func TestTemporaryFilesAreInMemoryIfThereIsRoom(t *testing.T) {
	t.Setenv("TMPDIR", "elsewhere")
	if InMemory(); os.Getenv("TMPDIR") != "elsewhere" {
		t.Errorf("got TMPDIR = %s, want it as it was, or in memory", os.Getenv("TMPDIR"))
	}
	t.Setenv("TMPDIR", "")
	switch InMemory(); os.Getenv("TMPDIR") {
	case memoryDir:
		program := filepath.Join(t.TempDir(), "program")
		if err := os.WriteFile(program, []byte("#!/bin/sh\n"), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := exec.Command(program).Run(); err != nil {
			t.Error(err)
		}
	case "":
	default:
		t.Errorf("got TMPDIR = %s, want it as it was, or in memory", os.Getenv("TMPDIR"))
	}
	if hasRoom(filepath.Join(memoryDir, "nowhere")) || runtime.GOOS == "linux" && hasRoom("/proc") {
		t.Error("got the wrong answer on room, want none in a missing directory, and none in /proc")
	}
}
