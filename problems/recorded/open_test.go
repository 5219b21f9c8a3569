package recorded_test

import (
	"os"
	"path/filepath"
	"testing"

	"ocobench/problems/recorded"
)

// A file that was read is closed, or a sweep over many of them would run out of files.
func TestFilesAreClosedAfterReading(t *testing.T) {
	const open = "/proc/self/fd"
	if _, err := os.Stat(open); err != nil {
		t.Skip(err)
	}
	file := filepath.Join(t.TempDir(), "rounds.jsonl")
	for text, good := range map[string]bool{
		boxLine + `{"t":1,"loss":{"form":{}},"constraints":[{"form":{}}]}` + "\n": true,
		boxLine + "{": false,
	} {
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		if _, _, err := recorded.Open(file); (err == nil) != good {
			t.Fatal(err)
		}
		all, err := filepath.Glob(open + "/*")
		if err != nil || len(all) == 0 {
			t.Fatal(all, err)
		}
		for _, link := range all {
			if is, _ := os.Readlink(link); is == file {
				t.Errorf("%s is still open, want it closed", file)
			}
		}
	}
}
