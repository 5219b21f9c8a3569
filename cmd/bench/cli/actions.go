package cli

import (
	"fmt"
	"strings"

	"github.com/alecthomas/kong"

	"ocobench/harness/experiment/spec"
)

// actionsFlag holds a value of the flag --actions: a name and files of recorded actions, NAME=FILE.
type actionsFlag struct {
	name, file string
	text       string // as it was typed
}

// String returns the flag as it was typed.
func (f actionsFlag) String() string { return f.text }

// shellText returns the flag as a shell reads it.
func (f actionsFlag) shellText() string { return shellFlag("--actions", f.text) }

// Decode implements [kong.MapperValue].
func (f *actionsFlag) Decode(ctx *kong.DecodeContext) error {
	const expected = "NAME=FILE, such as mine=mine-%d.jsonl, with %d for the number of the replicate"
	text, err := readValue(ctx, expected)
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
	if err := spec.CheckName(name); err != nil {
		return err
	}
	file, err = atHome(file)
	*f = actionsFlag{name, file, text}
	return err
}
