package cli

import (
	"fmt"
	"strings"

	"github.com/alecthomas/kong"

	"ocobench/algorithms"
	"ocobench/harness/external"
)

// actionsFlag is a name and files of actions.
type actionsFlag struct {
	name, file string
	text       string // as it was typed
}

// String returns the flag as it was typed.
func (f actionsFlag) String() string { return f.text }

// Decode implements [kong.MapperValue].
func (f *actionsFlag) Decode(ctx *kong.DecodeContext) error {
	const expected = "NAME=FILE, such as mine=mine-%d.jsonl, with %d for the number of the replicate"
	text, err := value(ctx, expected)
	if err != nil {
		return err
	}
	name, file, ok := strings.Cut(text, "=")
	switch {
	case !ok:
		return fmt.Errorf("%q has no equals sign (expected %s)", text, expected)
	case file == "":
		return fmt.Errorf("%q has no file (expected %s)", text, expected)
	}
	if err := checkName(name); err != nil {
		return err
	}
	file, err = atHome(file)
	*f = actionsFlag{name, file, text}
	return err
}

// readActions adds the actions of the files to the catalog, which is the caller's own.
func (e *env) readActions(flags []actionsFlag) error {
	for _, f := range flags {
		if _, taken := algorithms.Lookup(e.catalog.Algorithms, f.name); taken {
			return fmt.Errorf("--actions: there is another algorithm %s; give this one another name", f.name)
		}
		a, err := external.ReadActions(f.name, f.file)
		if err != nil {
			return fmt.Errorf("--actions: %w", err)
		}
		e.catalog.Algorithms = append(e.catalog.Algorithms, a)
	}
	return nil
}
