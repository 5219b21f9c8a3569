package doctest

import (
	"strings"
	"sync"
	"testing"

	"ocobench/paper/claims"
)

// TestCommandsOfClaimsRun runs the command that shows the evidence of each check of a claim. Of
// an experiment it plans the cells only.
func TestCommandsOfClaimsRun(t *testing.T) {
	if testing.Short() {
		t.Skip("plays many games")
	}
	t.Parallel()
	dir := newBenchDir(t)
	commands := make(chan string)
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			for command := range commands {
				if strings.HasPrefix(command, "bench run ") {
					command += " --explain"
				}
				if out, err := shell(dir, command).Output(); err != nil || len(out) == 0 {
					t.Errorf("%s: got error %v, want output: %s", command, err, out)
				}
			}
		})
	}
	seen := make(map[string]bool)
	for _, c := range claims.All() {
		for _, check := range c.Checks {
			if check.Command != "" && !seen[check.Command] {
				seen[check.Command] = true
				commands <- check.Command
			}
		}
	}
	close(commands)
	wg.Wait()
}
