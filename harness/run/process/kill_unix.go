//go:build unix

package process

import (
	"os"
	"syscall"
)

// killGroup kills a process and all that it has started in its group, also when it
// has ended itself.
func killGroup(p *os.Process) { syscall.Kill(-p.Pid, syscall.SIGKILL) }
