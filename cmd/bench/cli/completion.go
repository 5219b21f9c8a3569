package cli

import "ocobench/cmd/bench/completion"

// completionCmd holds the argument of bench completion, which prints the script that completes
// command lines in a shell.
type completionCmd struct {
	Shell string `arg:"" enum:"bash,zsh,fish" help:"The shell: bash, zsh or fish."`
}

// Run implements the verb.
func (c *completionCmd) Run(e *env) error {
	script, err := completion.Scripts.ReadFile("scripts/" + c.Shell)
	if err != nil {
		return err
	}
	_, err = e.stdout.Write(script)
	return err
}

// completeVerb makes the program print what may stand in place of the last word of a command line:
// a line for each word, with its description behind a tab. The scripts of bench completion call it,
// and the help does not list it.
const completeVerb = "__complete"
