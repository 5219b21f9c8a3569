package host

import (
	"os/exec"
	"runtime"
	"sync"
	"syscall"
)

// group gives a command a process group of its own: what interrupts this program is
// not for it, and what it starts can be killed with it. The kernel kills it if this
// program is killed.
func group(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// spawn starts a command on a thread that lives as long as this program: for the
// kernel the parent of a process is the thread that started it.
func spawn(cmd *exec.Cmd) error {
	done := make(chan error)
	starts() <- func() { done <- cmd.Start() }
	return <-done
}

var starts = sync.OnceValue(func() chan<- func() {
	todo := make(chan func())
	go func() {
		runtime.LockOSThread()
		for do := range todo {
			do()
		}
	}()
	return todo
})
