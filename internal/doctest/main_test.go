package doctest

import (
	"flag"
	"fmt"
	"os"
	"testing"

	"ocobench/internal/long"
)

// scratch is a directory that the tests share.
var scratch string

// TestMain runs the tests in the root of the module, since they name files by their paths from it.
func TestMain(m *testing.M) {
	long.InMemory()
	// The tests mostly wait for programs that they run, so more of them run at once than a machine
	// of two processors would.
	flag.Set("test.parallel", "4")
	code, err := runInRoot(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

// runInRoot runs the tests in the root of the module, and removes their scratch directory.
func runInRoot(m *testing.M) (code int, err error) {
	if err := os.Chdir("../.."); err != nil {
		return 0, err
	}
	if scratch, err = os.MkdirTemp("", "doctest"); err != nil {
		return 0, err
	}
	defer os.RemoveAll(scratch)
	return m.Run(), nil
}
