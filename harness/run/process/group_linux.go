package process

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"sync"
	"syscall"
	"time"
)

// setOwnGroup gives a command a process group of its own: Ctrl-C for this program does not reach
// it, and what it starts can be killed with it. The kernel kills it if this program is killed.
func setOwnGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// startCommand starts a command on a thread that lives as long as this program. For the kernel,
// which kills the command when its parent ends, the parent is the thread that started it.
func startCommand(cmd *exec.Cmd) error {
	done := make(chan error)
	startThread() <- func() { done <- cmd.Start() }
	return <-done
}

// startThread returns the channel of a goroutine that runs functions on one thread and never ends.
var startThread = sync.OnceValue(func() chan<- func() {
	todo := make(chan func())
	go func() {
		runtime.LockOSThread()
		for do := range todo {
			do()
		}
	}()
	return todo
})

// killMarked kills the processes that were started with a mark in their environment. They may start
// others meanwhile, so that it looks again until it finds none, but for a second at most.
func killMarked(mark string) {
	for begun := time.Now(); time.Since(begun) < cancelGracePeriod; time.Sleep(time.Millisecond) {
		files, _ := filepath.Glob("/proc/[0-9]*/environ")
		found := false
		for _, file := range files {
			environ, err := os.ReadFile(file) // of a process that has ended: empty
			if err != nil || !hasMark(environ, mark) {
				continue
			}
			if pid, err := strconv.Atoi(filepath.Base(filepath.Dir(file))); err == nil {
				syscall.Kill(pid, syscall.SIGKILL)
				found = true
			}
		}
		if !found {
			return
		}
	}
}

// hasMark reports whether an environment, as /proc shows it, has a mark in [markVariable].
func hasMark(environ []byte, mark string) bool {
	for variable := range bytes.SplitSeq(environ, []byte{0}) {
		if marks, ok := bytes.CutPrefix(variable, []byte(markVariable+"=")); ok {
			return bytes.Contains(marks, []byte(mark))
		}
	}
	return false
}
