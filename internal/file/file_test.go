package file

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// namesIn returns the names of what a directory has, hidden files too, in order.
func namesIn(t *testing.T, dir string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// writeText returns a function that writes a text, as Write wants it.
func writeText(text string) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := io.WriteString(w, text)
		return err
	}
}

func TestWriteReplacesWholeFiles(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a")
	check := func(want string) {
		t.Helper()
		got, err := os.ReadFile(path)
		if all := namesIn(t, dir); err != nil || string(got) != want || !slices.Equal(all, []string{"a"}) {
			t.Fatalf("the file has %q, %v, and the directory %q; want %q and a alone", got, err, all, want)
		}
	}
	for _, text := range []string{"one", ""} {
		if err := Write(path, writeText(text)); err != nil {
			t.Fatal(err)
		}
		check(text)
	}
	if err := Write(path, writeText("one")); err != nil {
		t.Fatal(err)
	}
	broken := errors.New("broken")
	err := Write(path, func(w io.Writer) error {
		if err := writeText("half a fi")(w); err != nil {
			return err
		}
		if all := namesIn(t, dir); len(all) != 2 {
			t.Errorf("while a file is written: got %q, want two files", all)
		}
		return broken
	})
	if err != broken {
		t.Errorf("got error %v, want %v", err, broken)
	}
	check("one")
	if err := Write(filepath.Join(path, "b"), writeText("x")); err == nil {
		t.Error("a file in the place of the directory: got no error, want one")
	}
	if err := Write(dir, writeText("x")); !errors.Is(err, syscall.EISDIR) ||
		strings.Contains(err.Error(), "tmp-ocobench") {
		t.Errorf("a file over a directory: got error %v, want that it is one", err)
	}
	check("one")
	if n, err := Sweep(filepath.Join(dir, "nowhere")); n != 0 || err != nil {
		t.Errorf("Sweep of no directory: got %d, error %v, want 0", n, err)
	}
}

// TestMain turns the test binary into a process that writes a file and then hangs:
// OCOBENCH_FILE is its path.
func TestMain(m *testing.M) {
	path := os.Getenv("OCOBENCH_FILE")
	if path == "" {
		os.Exit(m.Run())
	}
	Write(path, func(w io.Writer) error {
		os.Stdout.Write([]byte("open\n"))
		time.Sleep(time.Minute)
		return nil
	})
}

// TestSweepRemovesAbandonedFilesOnly checks that Sweep keeps the temporary file of a writer that
// lives, removes that of one which was killed, and touches nothing but temporary files of this
// package.
func TestSweepRemovesAbandonedFilesOnly(t *testing.T) {
	dir := t.TempDir()
	others := []string{
		".a", ".a-123", ".tmp-", ".tmp-ocobench-", ".tmp-ocobench-0123456789abcde",
		".tmp-ocobench-0123456789abcdef0",
		".tmp-ocobench-0123456789ABCDEF", "tmp-ocobench-0123456789abcdef",
		"a.tmp-ocobench-0123456789abcdef",
	}
	for _, name := range others {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	others = append(others, ".tmp-ocobench-0000000000000000", ".tmp-ocobench-1111111111111111")
	if err := os.Mkdir(filepath.Join(dir, others[len(others)-2]), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("/etc/passwd", filepath.Join(dir, others[len(others)-1])); err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	writer := exec.Command(self)
	writer.Env = append(os.Environ(), "OCOBENCH_FILE="+filepath.Join(dir, "a"))
	out, err := writer.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := writer.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadFull(out, make([]byte, len("open\n"))); err != nil {
		t.Fatal(err)
	}
	if n, err := Sweep(dir); n != 0 || err != nil || len(namesIn(t, dir)) != len(others)+1 {
		t.Errorf("Sweep beside a writer: got %d, error %v, left %q, want all left", n, err,
			namesIn(t, dir))
	}
	writer.Process.Kill()
	writer.Wait()
	if n, err := Sweep(dir); n != 1 || err != nil {
		t.Errorf("Sweep after a writer was killed: %d, %v, want 1", n, err)
	}
	slices.Sort(others)
	if left := namesIn(t, dir); !slices.Equal(left, others) {
		t.Errorf("left %q, want %q", left, others)
	}
}

func TestLockExcludesOtherHandles(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	open := func(flag int) *os.File {
		f, err := os.OpenFile(path, flag|os.O_CREATE, 0o666)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { f.Close() })
		return f
	}
	if err := Lock(open(os.O_RDONLY), 0); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("a lock that the system refuses: got error %v, want %v", err, errors.ErrUnsupported)
	}
	a, b := open(os.O_RDWR), open(os.O_RDWR)
	const far = 1<<60 - 1
	for _, offset := range []int64{0, 1, far} {
		if err := Lock(a, offset); err != nil {
			t.Fatal(err)
		}
	}
	if err := Lock(b, 2); err != nil {
		t.Error(err)
	}
	if err := Lock(b, far); err != ErrLocked {
		t.Skipf("locks belong to the process here: %v", err)
	}
	if err := Unlock(a, far); err != nil {
		t.Error(err)
	}
	if err := Lock(b, far); err != nil {
		t.Error(err)
	}
	if err := Lock(b, 1); err != ErrLocked {
		t.Errorf("the lock beside the one released: got error %v, want %v", err, ErrLocked)
	}
	a.Close()
	if err := Lock(b, 1); err != nil {
		t.Errorf("the lock of a closed file: got error %v, want none", err)
	}
}

// TestReadyFindsUnwritablePaths checks that Ready finds the paths that cannot be written, and
// leaves no file behind.
func TestReadyFindsUnwritablePaths(t *testing.T) {
	dir := t.TempDir()
	old := filepath.Join(dir, "old")
	if err := os.WriteFile(old, []byte("kept"), 0o666); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]error{
		old: nil, filepath.Join(dir, "new"): nil, filepath.Join(dir, "sub", "new"): nil,
		dir: syscall.EISDIR, filepath.Join(old, "new"): syscall.ENOTDIR,
		filepath.Join(old, "sub", "new"): syscall.ENOTDIR,
	} {
		if err := Ready(path); err != want {
			t.Errorf("%s: %v, want %v", path, err, want)
		}
	}
	if _, err := os.Stat("/dev/full"); err == nil {
		if err := Ready("/dev/full"); err != nil { // whose size nobody knows
			t.Error(err)
		}
	}
	entries, err := os.ReadDir(dir)
	if data, _ := os.ReadFile(old); err != nil || len(entries) != 2 || string(data) != "kept" {
		t.Errorf("got %v left, %q in the old file (%v), want two and kept", entries, data, err)
	}
}
