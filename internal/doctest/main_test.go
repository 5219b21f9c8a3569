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

// The tests speak of files by their paths from the root.
func TestMain(m *testing.M) {
	long.InMemory()
	flag.Set("test.parallel", "4") // of two processors, the tests wait for programs
	code, err := runBlock(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

func runBlock(m *testing.M) (code int, err error) {
	if err := os.Chdir("../.."); err != nil {
		return 0, err
	}
	if scratch, err = os.MkdirTemp("", "doctest"); err != nil {
		return 0, err
	}
	defer os.RemoveAll(scratch)
	return m.Run(), nil
}
