package external

import (
	"os"
	"slices"
	"testing"
)

// A program has one thread, so that games played beside each other do not share them, unless the
// user's environment says otherwise.
func TestProgramsHaveOneThreadUnlessTheEnvironmentSaysOtherwise(t *testing.T) {
	for set, want := range map[string]string{"": threads + "=1", "3": threads + "=3"} {
		t.Setenv(threads, set)
		if set == "" {
			os.Unsetenv(threads)
		}
		if got := commandOf([]string{"learner"}).Environ(); !slices.Contains(got, want) {
			t.Errorf("with %q in the environment the program gets %q, want %s", set, got, want)
		}
	}
}
