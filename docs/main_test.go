package docs

import (
	"fmt"
	"os"
	"testing"
)

// The tests speak of files by their paths from the root.
func TestMain(m *testing.M) {
	if err := os.Chdir(".."); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(m.Run())
}
