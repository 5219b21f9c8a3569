package cli

import (
	"errors"
	"fmt"
	"slices"

	"ocobench/harness/store"
	"ocobench/internal/input"
)

// exclusive has the flag of verbs that lock the store, so that no run writes to it meanwhile.
type exclusive struct {
	Unlocked bool `help:"Do it although the file system has no locks."`
}

// lockStore locks a store for this process. The error says what was not done, by a participle such
// as "removed".
func (x exclusive) lockStore(s *store.Store, participle string) (release func(), err error) {
	release, err = s.Reserve()
	switch {
	case errors.Is(err, store.ErrLocked):
		err = fmt.Errorf("a run writes to %s, or another process packs it or removes from it; nothing "+
			"is %s", s.Dir(), participle)
	case errors.Is(err, errors.ErrUnsupported) && x.Unlocked:
		return func() {}, nil
	case errors.Is(err, errors.ErrUnsupported):
		err = fmt.Errorf("%w; if you know that no run writes, say --unlocked", err)
	}
	return release, err
}

// removal has the flags of verbs that remove something.
type removal struct {
	Yes bool `help:"Remove; without it, what would be removed is named."`
	exclusive
	JSON bool `help:"Print JSON."`
}

// openLocked opens a store; with --yes it also locks the store.
func (r removal) openLocked(f storeFlags) (s *store.Store, release func(), err error) {
	s, err = f.openStore()
	if err != nil || !r.Yes {
		return s, func() {}, err
	}
	release, err = r.lockStore(s, "removed")
	return s, release, err
}

// verbText returns "removed", or "would be removed" without --yes.
func (r removal) verbText() string {
	if r.Yes {
		return "removed"
	}
	return "would be removed"
}

// printHint says, without --yes, that nothing is removed and how to do it.
func (r removal) printHint(e *env) {
	if !r.Yes && !r.JSON {
		fmt.Fprintln(e.stderr, "nothing is removed; the same command with --yes removes this")
	}
}

// storeRm holds the flags of bench store rm, which removes the records of experiments.
type storeRm struct {
	Experiment []string `arg:"" completes:"@stored" help:"The experiments." placeholder:"EXPERIMENT"`
	storeFlags
	removal
}

// Run implements the verb.
func (c *storeRm) Run(e *env) error {
	s, release, err := c.openLocked(c.storeFlags)
	if err != nil {
		return err
	}
	defer release()
	stored, err := s.Names()
	if err != nil {
		return err
	}
	var names []string
	for _, name := range c.Experiment {
		if !slices.Contains(stored, name) {
			// Names are checked before anything is removed.
			return fmt.Errorf("no experiment %s in %s; bench store ls lists them", input.Shown(name),
				s.Dir())
		}
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if c.Yes {
		for _, name := range names {
			if err := s.RemoveExperiment(name); err != nil {
				return err
			}
		}
	}
	if c.JSON {
		return e.printJSON(struct {
			Removed     bool     `json:"removed"`
			Experiments []string `json:"experiments"`
		}{c.Yes, names})
	}
	for _, name := range names {
		fmt.Fprintf(e.stdout, "%s: the record of experiment %s\n", c.verbText(), name)
	}
	c.printHint(e)
	return nil
}
