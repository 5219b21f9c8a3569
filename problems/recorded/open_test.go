package recorded_test

import (
	"os"
	"path/filepath"
	"testing"

	"ocobench/problems/recorded"
)

// A file with a byte order mark has the rounds of the same file without it, wherever they are read.
func TestOpenSkipsTheByteOrderMark(t *testing.T) {
	whole := `{"domain":{"box":{"lower":[0],"upper":[1]}},"constraints":1}` + "\r\n" +
		`{"t":1,"loss":{"form":{"lin":[3]}},"constraints":[{"form":{"const":-1}}]}` + "\r\n" +
		`{"t":2,"loss":{"form":{"lin":[4]}},"constraints":[{"form":{"const":-1}}]}` + "\r\n"
	for name, text := range map[string]string{"written out": whole, "an empty line": "\n" + whole} {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "rounds.jsonl")
			if err := os.WriteFile(file, []byte("\ufeff"+text), 0o666); err != nil {
				t.Fatal(err)
			}
			rec, _, err := recorded.Open(file)
			if err != nil {
				t.Fatal(err)
			}
			player, err := rec.Play(0)
			if err != nil {
				t.Fatal(err)
			}
			for _, want := range []float64{3, 4} {
				r, err := player.Next()
				if err != nil || r.Loss.Value([]float64{1}) != want {
					t.Errorf("the loss at 1 is of %v, %v; want %v", r, err, want)
				}
			}
		})
	}
}

// A file that was read is closed, or a sweep over many of them would run out of files.
func TestOpenCloses(t *testing.T) {
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
				t.Errorf("%s is still open", file)
			}
		}
	}
}
