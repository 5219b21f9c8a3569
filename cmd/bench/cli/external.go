package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
	"github.com/kballard/go-shellquote"

	"ocobench/harness/experiment/spec"
	"ocobench/harness/external"
	"ocobench/internal/input"
)

// externalFlags holds the flags of verbs that play algorithms or problems of other programs,
// or recorded actions.
type externalFlags struct {
	External        []externalFlag `help:"An algorithm or a problem of a program, such as mine='python3 mine.py'; repeatable." placeholder:"NAME=COMMAND" sep:"none"`
	Externals       path           `help:"A file of programs, a line NAME: COMMAND for each; those that are used are started." placeholder:"FILE"`
	Actions         []actionsFlag  `help:"An algorithm that plays files of actions, %d the replicate: mine=mine-%d.jsonl; repeatable." placeholder:"NAME=FILE" sep:"none"`
	ExternalTimeout duration       `help:"The time that a program has for an answer; default ${default}." default:"10s" placeholder:"D"`

	forgetful bool // games are not compared with earlier ones: [external.Options.Forgetful]
}

// externals returns the flags: runVerb starts the programs of every verb that has this method.
func (f *externalFlags) externals() *externalFlags { return f }

// commandText returns the flags that name entries as they are typed in a command, with a blank
// before each: without --external-timeout, which changes no result.
func (f *externalFlags) commandText() (text string) {
	if f.Externals != "" {
		text += " --externals " + shellquote.Join(string(f.Externals))
	}
	for _, x := range f.External {
		text += " " + x.shellText("--external")
	}
	for _, x := range f.Actions {
		text += " " + x.shellText("--actions")
	}
	return text
}

// namedFlag holds a value NAME=VALUE of a flag: the name of an entry, and what plays it.
type namedFlag struct {
	name, value string
	text        string // as it was typed
}

// String returns the flag as it was typed.
func (f namedFlag) String() string { return f.text }

// shellText returns the flag as a shell reads it, such as --external mine='python3 mine.py'.
func (f namedFlag) shellText(flag string) string {
	return flag + " " + f.name + "=" + shellquote.Join(f.value)
}

// parseNamed reads NAME=VALUE.
func parseNamed(text, expected string) (namedFlag, error) {
	name, value, ok := strings.Cut(text, "=")
	if !ok {
		return namedFlag{}, fmt.Errorf("%q has no equals sign (expected %s)", text, expected)
	}
	return namedFlag{name, value, text}, spec.CheckName(name)
}

// externalFlag holds a value of the flag --external, NAME=COMMAND.
type externalFlag struct {
	namedFlag
	command []string // the words of the value
}

// Decode implements [kong.MapperValue].
func (f *externalFlag) Decode(ctx *kong.DecodeContext) error {
	text, err := readValue(ctx, "NAME=COMMAND")
	if err != nil {
		return err
	}
	*f, err = parseExternal(text)
	return err
}

// parseExternal reads NAME=COMMAND. The command is split into words as a shell does,
// with quotes; nothing in it is expanded.
func parseExternal(text string) (f externalFlag, err error) {
	const expected = "NAME=COMMAND, such as mine='python3 mine.py'"
	if f.namedFlag, err = parseNamed(text, expected); err != nil {
		return f, err
	}
	f.command, err = shellquote.Split(f.value)
	switch {
	case err != nil:
		err = fmt.Errorf("%q is not a command: %w", f.value, err)
	case len(f.command) == 0 || f.command[0] == "":
		err = fmt.Errorf("%q has no command (expected %s)", text, expected)
	}
	return f, err
}

// actionsFlag holds a value of the flag --actions: a name and files of recorded actions, NAME=FILE.
type actionsFlag struct {
	namedFlag
	file string // the value, with ~ expanded
}

// Decode implements [kong.MapperValue].
func (f *actionsFlag) Decode(ctx *kong.DecodeContext) error {
	const expected = "NAME=FILE, such as mine=mine-%d.jsonl, with %d for the number of the replicate"
	text, err := readValue(ctx, expected)
	if err != nil {
		return err
	}
	if f.namedFlag, err = parseNamed(text, expected); err != nil {
		return err
	}
	if f.value == "" {
		return fmt.Errorf("%q has no file (expected %s)", text, expected)
	}
	f.file, err = atHome(f.value)
	return err
}

// maxExternals limits the bytes of a file of --externals.
const maxExternals = 1 << 16

// readExternals reads a file of --externals: a line NAME: COMMAND for each program. Empty lines and
// lines that begin with # are ignored.
func readExternals(file path) (all []externalFlag, err error) {
	data, err := input.ReadFile(string(file), maxExternals)
	if err != nil {
		return nil, fmt.Errorf("--externals: %s: %w (expected a file with a line NAME: COMMAND for "+
			"each program)", input.Shown(string(file)), err)
	}
	for k, line := range strings.Split(strings.TrimPrefix(string(data), "\ufeff"), "\n") {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		name, command, ok := strings.Cut(line, ":")
		if !ok {
			err = fmt.Errorf("%q has no colon (expected NAME: COMMAND, such as mine: python3 mine.py)",
				input.Clip(line, 100))
		}
		var x externalFlag
		if err == nil {
			x, err = parseExternal(strings.TrimSpace(name) + "=" + strings.TrimSpace(command))
		}
		if err != nil {
			return nil, fmt.Errorf("--externals: %s:%d: %w", input.Shown(string(file)), k+1, err)
		}
		all = append(all, x)
	}
	if all == nil {
		err = fmt.Errorf("--externals: %s has no line NAME: COMMAND", input.Shown(string(file)))
	}
	return all, err
}

// An entryNamer is a verb that knows the algorithms and problems that it uses before any program
// starts. It returns an error if they cannot be known without reading a pipe, which the verb itself
// reads later.
type entryNamer interface {
	namedEntries(e *env) ([]spec.Use, error)
}

// usedPrograms returns the function that reports whether a verb uses the program of a name. For a
// verb that does not know its entries, or that names all or others, each program counts as used.
func (e *env) usedPrograms(verb any) func(name string) bool {
	var named []spec.Use
	if v, ok := verb.(entryNamer); ok {
		named, _ = v.namedEntries(e) // the verb itself will return the error
	}
	isAnyUsed := len(named) == 0 ||
		slices.ContainsFunc(named, func(u spec.Use) bool { return spec.IsWord(u.Name) })
	return func(name string) bool {
		return isAnyUsed ||
			slices.ContainsFunc(named, func(u spec.Use) bool { return u.Name == name })
	}
}

// startExternals reads recorded actions, starts the programs of --external and those of the file
// --externals that the verb uses, and adds what they play or declare to the catalog. A nil verb
// uses all of them. The function end ends the programs.
func (e *env) startExternals(f *externalFlags, verb any) (end func(), err error) {
	e.external = *f
	var given []external.Given
	if f.Externals != "" {
		listed, err := readExternals(f.Externals)
		if err != nil {
			return nil, err
		}
		isUsed := e.usedPrograms(verb)
		listed = slices.DeleteFunc(listed, func(x externalFlag) bool { return !isUsed(x.name) })
		flag := "--externals " + shellquote.Join(string(f.Externals))
		for _, x := range listed {
			given = append(given, external.Given{Name: x.name, Flag: flag, Command: x.command})
		}
		e.external.Externals = "" // workers of --isolate get the commands that were read
		e.external.External = slices.Concat(listed, f.External)
	}
	for _, x := range f.Actions {
		given = append(given, external.Given{Name: x.name, Flag: x.shellText("--actions"), File: x.file})
	}
	for _, x := range f.External {
		given = append(given, external.Given{Name: x.name, Flag: x.shellText("--external"),
			Command: x.command})
	}
	o := external.Options{Timeout: f.ExternalTimeout.Duration, Forgetful: f.forgetful}
	if e.debug {
		o.Stderr = e.stderr
	}
	e.programs, end, err = external.AddAll(e.ctx, &e.catalog, given, o)
	return end, err
}

// externalsOf reads the flags that [commandWords] wrote for a worker.
func externalsOf(words []string) (f externalFlags, err error) {
	parser, err := kong.New(&f, kong.NoDefaultHelp())
	if err == nil {
		_, err = parser.Parse(words)
	}
	return f, err
}
