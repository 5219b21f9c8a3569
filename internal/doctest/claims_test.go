package doctest

import (
	"regexp"
	"strings"
	"sync"
	"testing"

	"ocobench/paper/claims"
)

// TestClaimCommands runs the command that shows the evidence of each check of a claim. Of
// an experiment it plans the cells only.
func TestClaimCommands(t *testing.T) {
	if testing.Short() {
		t.Skip("plays many games")
	}
	t.Parallel()
	dir := built(t)
	commands := make(chan string)
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			for command := range commands {
				if strings.HasPrefix(command, "bench run ") {
					command += " --explain"
				}
				if out, err := shell(dir, command).Output(); err != nil || len(out) == 0 {
					t.Errorf("%s: %v: %s", command, err, out)
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

// TestReadmeClaims holds the verdicts that README shows against those of docs/claims.md.
func TestReadmeClaims(t *testing.T) {
	texts := documents(t)
	row := func(number, verdict string) *regexp.Regexp {
		return regexp.MustCompile(`(?m)^\| ` + number + ` \| .* \| ` + verdict)
	}
	rows := row(`(\d+)`, `(holds if|holds|fails|open)`).FindAllStringSubmatch(texts["README.md"], -1)
	if len(rows) < 3 {
		t.Fatalf("README shows %d claims", len(rows))
	}
	for _, r := range rows {
		if !row(r[1], r[2]+`( …)? \|$`).MatchString(texts["docs/claims.md"]) {
			t.Errorf("README has %q for claim %s, which docs/claims.md does not", r[2], r[1])
		}
	}
}
