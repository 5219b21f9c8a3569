//go:build !unix

package process

import (
	"os"
	"os/exec"
)

// setOwnGroup does nothing: there are no process groups here.
func setOwnGroup(*exec.Cmd) {}

// startCommand starts a command.
func startCommand(cmd *exec.Cmd) error { return cmd.Start() }

// killGroup kills a process.
func killGroup(p *os.Process) { p.Kill() }

// killMarked does nothing: processes that left the group are found on Linux only.
func killMarked(string) {}
