package external

import (
	"os"
	"slices"
	"testing"
)

// A program has one thread, so that games played beside each other do not share them, unless the
// user's environment says otherwise.
func TestProgramsHaveOneThreadUnlessTheEnvironmentSaysOtherwise(t *testing.T) {
	for set, want := range map[string]string{"": threadsVariable + "=1", "3": threadsVariable + "=3"} {
		t.Setenv(threadsVariable, set)
		if set == "" {
			os.Unsetenv(threadsVariable)
		}
		if got := commandOf([]string{"learner"}).Environ(); !slices.Contains(got, want) {
			t.Errorf("with %q in the environment the program gets %q, want %s", set, got, want)
		}
	}
}
