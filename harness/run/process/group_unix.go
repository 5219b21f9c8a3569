//go:build unix && !linux

package process

import (
	"os/exec"
	"syscall"
)

// setOwnGroup gives a command a process group of its own: Ctrl-C for this program does not reach
// it, and what it starts can be killed with it.
func setOwnGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// startCommand starts a command.
func startCommand(cmd *exec.Cmd) error { return cmd.Start() }

// killMarked does nothing: processes that left the group are found on Linux only.
func killMarked(string) {}
