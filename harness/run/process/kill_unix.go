//go:build unix

package process

import (
	"os"
	"syscall"
)

// killGroup kills a process and what it has started in its group; the process itself may have
// ended already.
func killGroup(p *os.Process) { syscall.Kill(-p.Pid, syscall.SIGKILL) }
