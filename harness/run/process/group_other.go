//go:build !unix

package process

import (
	"os"
	"os/exec"
)

func group(*exec.Cmd) {}

func spawn(cmd *exec.Cmd) error { return cmd.Start() }

func killGroup(p *os.Process) { p.Kill() }

func killMarked(string) {}
