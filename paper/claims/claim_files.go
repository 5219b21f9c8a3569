package claims

import (
	"embed"
	"fmt"
	"slices"
	"strings"
	"sync"

	"ocobench/paper"

	"github.com/goccy/go-yaml"
)

// The texts of a claim are data, in the file of its name, and its checks are Go. Both name the
// checks, and [parseClaim] joins them by these names. It refuses a file with an unknown key,
// without a key that every claim needs, or with other checks than those in Go.

//go:embed *.yaml
var files embed.FS

// checks maps the names of a claim's checks to the functions that run them.
type checks map[string]func(l *Lab) (Finding, error)

// All returns the claims in the order of the paper. It reads their files once.
var All = sync.OnceValue(func() (read []*Claim) {
	for _, r := range registry {
		data, err := files.ReadFile(fileOf(r.name))
		if err != nil {
			panic("claims: " + err.Error())
		}
		c, err := parseClaim(r.name, data, r.checks)
		if err != nil {
			panic("claims: " + err.Error())
		}
		read = append(read, c)
	}
	return read
})

// Lookup returns the claim of that name, and whether there is one.
func Lookup(name string) (*Claim, bool) {
	k := slices.IndexFunc(All(), func(c *Claim) bool { return c.Name == name })
	if k < 0 {
		return nil, false
	}
	return All()[k], true
}

// fileOf returns the name of the file with the texts of a claim.
func fileOf(name string) string { return strings.ReplaceAll(name, "-", "_") + ".yaml" }

// parseClaim reads data, the file of a claim, and gives each check there its function in run. The
// error names the file and what is wrong with it.
func parseClaim(name string, data []byte, run checks) (*Claim, error) {
	c := new(Claim)
	refuse := func(format string, args ...any) (*Claim, error) {
		return nil, fmt.Errorf("%s: "+format, append([]any{fileOf(name)}, args...)...)
	}
	if err := yaml.UnmarshalWithOptions(data, c, yaml.Strict()); err != nil {
		return refuse("%w", err)
	}
	c.Name = name
	if c.Number < 1 || c.Place == "" || c.Statement == "" || c.Cost == "" {
		return refuse("number, place, statement and cost are needed")
	}
	seen := make(map[string]bool)
	for k := range c.Checks {
		check := &c.Checks[k]
		check.Run = run[check.Name]
		switch {
		case check.Run == nil || seen[check.Name]:
			return refuse("check %d, %q, is none of those in Go, or is there twice", k+1, check.Name)
		case check.What == "":
			return refuse("check %q does not say what it looks at", check.Name)
		case !slices.Contains([]paper.Role{paper.Stated, paper.Amended, paper.Beside}, check.Role):
			return refuse("check %q has the role %q", check.Name, check.Role)
		}
		seen[check.Name] = true
	}
	if len(seen) != len(run) {
		return refuse("%d checks, and in Go %d", len(seen), len(run))
	}
	return c, nil
}
