package process

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"ocobench/harness/game"
	"ocobench/internal/long"
)

// workerVariable names the variable of the environment that makes the binary of the tests a worker.
const workerVariable = "OCOBENCH_TEST_WORKER"

// TestMain runs the tests, or serves jobs as a worker where a test has started it as one.
func TestMain(m *testing.M) {
	if os.Getenv(workerVariable) != "" {
		if err := Serve(os.Stdin, os.Stdout, prepareJob); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// prepareJob returns the job of this name, whose result is a number. Each fails in another way,
// but for pid, which returns the number of its process, and trap.
func prepareJob(name string) (Job[int], error) {
	j := Job[int]{Place: func() string { return "half way" }, Request: func() any { return name }}
	do, known := map[string]func(context.Context) (*int, error){
		"pid":    func(context.Context) (*int, error) { pid := os.Getpid(); return &pid, nil },
		"panic":  func(context.Context) (*int, error) { panic("no") },
		"goexit": func(context.Context) (*int, error) { runtime.Goexit(); return nil, nil },
		"error": func(context.Context) (*int, error) {
			seven := 7
			return &seven, errors.New("not quite")
		},
		"late": func(context.Context) (*int, error) { time.Sleep(time.Hour); return nil, nil },
		"wait": func(ctx context.Context) (*int, error) { <-ctx.Done(); return nil, ctx.Err() },
		"exit": func(context.Context) (*int, error) {
			fmt.Fprintln(os.Stderr, "I am\ntired")
			os.Exit(5)
			return nil, nil
		},
		"print": func(context.Context) (*int, error) { fmt.Println("hello"); return nil, nil },
		"move":  func(context.Context) (*int, error) { return nil, os.Chdir(filepath.Dir(os.Args[0])) },
		"trap":  func(context.Context) (*int, error) { trapped = true; return new(int), nil },
		"trapped": func(context.Context) (*int, error) {
			if trapped {
				os.Exit(6)
			}
			return new(int), nil
		},
	}[name]
	if j.Do = do; !known {
		return j, fmt.Errorf("there is no job %s", name)
	}
	return j, nil
}

// trapped is true in a process that has done the job trap: it stands for what a job leaves behind
// in the memory of its process. The job trapped ends such a process.
var trapped bool

// hereAndWorker returns the two places where a job can be done: this process and a worker.
func hereAndWorker(t *testing.T) map[string]*Host {
	isolated := &Host{Command: func() *exec.Cmd {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), workerVariable+"=1")
		return cmd
	}, Stderr: io.Discard}
	t.Cleanup(isolated.Close)
	return map[string]*Host{"here": nil, "worker": isolated}
}

// runJob does the job of this name within the time limit, 0 for none.
func runJob(t *testing.T, h *Host, name string, limit time.Duration) (*int, error) {
	j, _ := prepareJob(name)
	j.Limit = limit
	return Run(t.Context(), h, j)
}

// TestJobErrorsAreEqualHereAndInWorkers checks that a job fails with the same error in this process
// and in a worker, and which of these errors are crashes.
func TestJobErrorsAreEqualHereAndInWorkers(t *testing.T) {
	for where, h := range hereAndWorker(t) {
		for _, c := range []struct {
			name  string
			limit time.Duration
			want  string
			crash bool
		}{
			{"panic", 0, "panic: no", true},
			{"goexit", 0, "half way: runtime.Goexit was called", true},
			{"late", 50 * time.Millisecond, "half way: not finished after 50ms, which is the time limit",
				true},
			{"error", 0, "not quite", false},
		} {
			result, err := runJob(t, h, c.name, c.limit)
			var crash *game.CrashError
			if err == nil || err.Error() != c.want || errors.As(err, &crash) != c.crash {
				t.Errorf("%s %s: %v, want %s", c.name, where, err, c.want)
			}
			if c.name == "panic" && !strings.Contains(crash.Stack, "prepare") {
				t.Errorf("%s: got stack %s, want one through prepare", where, crash.Stack)
			}
			if c.name == "error" && (result == nil || *result != 7) {
				t.Errorf("%s: got result %v, want 7 beside its error", where, result)
			}
		}
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		j, _ := prepareJob("wait")
		if _, err := Run(ctx, h, j); err != context.DeadlineExceeded {
			t.Errorf("cancelled %s: got error %v, want %v", where, err, context.DeadlineExceeded)
		}
		if _, err := Run(ctx, h, j); err != context.DeadlineExceeded {
			t.Errorf("cancelled before %s: got error %v, want %v", where, err, context.DeadlineExceeded)
		}
		cancel()
		ctx, cancel = context.WithTimeout(t.Context(), 10*time.Second)
		var crash *game.CrashError
		j.Limit = 1 // no limit is too short to be one
		if _, err := Run(ctx, h, j); !errors.As(err, &crash) {
			t.Errorf("late after 1ns %s: got error %v, want a crash", where, err)
		}
		cancel()
	}
}

// TestWorkerEndFailsOnlyItsJob checks that a job that ends or spoils its worker fails, and that the
// next job has another worker if the worker ended or wrote where it must not.
func TestWorkerEndFailsOnlyItsJob(t *testing.T) {
	h := hereAndWorker(t)["worker"]
	for name, want := range map[string]string{
		"exit":  "its process ended (exit status 5): I am; tired",
		"print": `it wrote "hello" to the standard output of its process`,
		"move":  "it changed the working directory",
		"none":  "there is no job none",
	} {
		t.Run(name, func(t *testing.T) {
			before, _ := runJob(t, h, "pid", 0)
			again, _ := runJob(t, h, "pid", 0)
			if before == nil || again == nil || *before != *again || *before == os.Getpid() {
				t.Fatalf("before %s: got workers %v and %v, want one, of another process", name, before, again)
			}
			c := takeNew(t, h) // it has done nothing, so that the job is not done again
			h.workerPool().Put(c)
			if _, err := runJob(t, h, name, 0); err == nil || err.Error() != want {
				t.Errorf("%s: %v, want %s", name, err, want)
			}
			spoilt := name == "exit" || name == "print"
			if after, err := runJob(t, h, "pid", 0); err != nil || (*after != c.cmd.Process.Pid) != spoilt {
				t.Errorf("after %s: got worker %v, error %v, want a fresh one: %v", name, after, err, spoilt)
			}
		})
	}
}

// takeNew starts a new worker.
func takeNew(t *testing.T, h *Host) *Process {
	c, err := h.workerPool().Take(true)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestFreshWorkerRepeatsSpoiledJob checks that a job that fails by what another has left behind is
// done again by a new worker.
func TestFreshWorkerRepeatsSpoiledJob(t *testing.T) {
	h := hereAndWorker(t)["worker"]
	if _, err := runJob(t, h, "trap", 0); err != nil {
		t.Fatal(err)
	}
	if _, err := runJob(t, h, "trapped", 0); err != nil {
		t.Error(err)
	}
	if _, err := runJob(t, h, "exit", 0); err == nil {
		t.Error("a job that ends every worker: got no error, want one")
	}
}

// TestSilentProcessIsKilledWithItsGroup checks that a process that does not answer is ended with
// all that it has started, and that one that is asked to end may take its time.
func TestSilentProcessIsKilledWithItsGroup(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("there is no sh")
	}
	dir := t.TempDir()
	script := func(text string, grace time.Duration) *Pool {
		return &Pool{Grace: grace, Limit: 1000, Command: func() *exec.Cmd {
			cmd := exec.Command("sh", "-c", text)
			cmd.Dir = dir
			return cmd
		}}
	}
	p := script("sleep 1000 & echo $! >&2; read -r line; cat >/dev/null; sleep 1000", 0)
	c, err := p.Take(false)
	if err != nil {
		t.Fatal(err)
	}
	long.Await(t, "it says the number of its child", func() bool { return len(c.LastLines(3)) > 0 })
	child, err := strconv.Atoi(c.LastLines(3)[0])
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Call(t.Context(), []byte("hello"), 300*time.Millisecond); err != ErrLate {
		t.Errorf("got error %v, want %v", err, ErrLate)
	}
	if c.End(); !slices.Equal(c.LastLines(3), []string{strconv.Itoa(child)}) || c.Calls() != 1 {
		t.Errorf("got %q said in %d calls, want the child in one", c.LastLines(3), c.Calls())
	}
	p = script("while read -r line; do echo \"  $line  \"; done; sleep 0.2; touch graceful",
		30*time.Second)
	if c, err = p.Take(false); err != nil {
		t.Fatal(err)
	}
	if answer, err := c.Call(t.Context(), []byte("hello"), 0); string(answer) != "hello" ||
		err != nil {
		t.Errorf("got answer %q, error %v, want hello", answer, err)
	}
	p.Put(c)
	p.Close([]byte("bye\n"), 30*time.Second)
	if _, err := os.Stat(filepath.Join(dir, "graceful")); err != nil {
		t.Error(err)
	}
	if _, err := p.Take(true); err != ErrClosed || !p.Closed() {
		t.Errorf("a closed pool: got error %v, want %v", err, ErrClosed)
	}
	long.Await(t, "the end of what a process has started", func() bool {
		p, err := os.FindProcess(child)
		return err != nil || p.Signal(syscall.Signal(0)) != nil
	})
}

// TestStderrTailKeepsPanicAndLastLines checks that the first line of a panic is kept, and so are
// the last lines, in whatever pieces they are written.
func TestStderrTailKeepsPanicAndLastLines(t *testing.T) {
	var w stderrTail
	for _, text := range []string{"a\n\nb", "b  \r\npan", "ic: no\n", "goroutine 1:\n",
		strings.Repeat("x\n", 20), "en", "d"} {
		w.Write([]byte(text))
	}
	if got := w.lastLines(3); w.fatalLine() != "panic: no" ||
		!slices.Equal(got, []string{"x", "x", "end"}) {
		t.Errorf("got %q, %q, want the panic and the last three lines", w.fatalLine(), got)
	}
	if w.reset(); w.fatalLine() != "" || len(w.lastLines(3)) > 0 {
		t.Error("after a reset: got lines, want none")
	}
	w.Write([]byte("a\nbb  \n"))
	if got := w.lastLines(3); !slices.Equal(got, []string{"a", "bb"}) {
		t.Errorf("got %q, want a and bb", got)
	}
}

// TestQueueReturnsToUnfinishedWork checks that Queue comes back to work that others are doing after
// all other work, until it is done or the context ends.
func TestQueueReturnsToUnfinishedWork(t *testing.T) {
	var order []int
	idle, refused := 0, 2
	Queue(t.Context(), 4, 1, func() { idle++ }, func(i int) bool {
		order = append(order, i)
		if i == 1 && refused > 0 {
			refused--
			return false
		}
		return true
	})
	if !slices.Equal(order, []int{0, 1, 2, 3, 1, 1}) || idle != 2 {
		t.Errorf("got order %v, idle %d times, want 0 1 2 3 1 1, twice", order, idle)
	}
	ctx, cancel := context.WithCancel(t.Context())
	var calls atomic.Int64
	Queue(ctx, 100, 3, func() {}, func(i int) bool {
		calls.Add(1)
		cancel()
		return i > 0
	})
	if n := calls.Load(); n > 3 {
		t.Errorf("got %d calls after the end of the context, want at most 3", n)
	}
}

// TestEachReturnsFirstErrorByIndex checks that Each returns the error of the lowest index, and that
// of the context if it is cancelled.
func TestEachReturnsFirstErrorByIndex(t *testing.T) {
	err := Each(t.Context(), 100, func(i int) error {
		if i%10 == 7 {
			return fmt.Errorf("error %d", i)
		}
		return nil
	})
	if err == nil || err.Error() != "error 7" {
		t.Errorf("got error %v, want error 7", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	if err := Each(ctx, 3, func(int) error { cancel(); return nil }); err != context.Canceled {
		t.Errorf("got error %v, want %v", err, context.Canceled)
	}
}

// TestProcessesThatLeftTheGroupAreKilled checks that End and Kill end all that a process has
// started, also what has left its group, and nothing else.
func TestProcessesThatLeftTheGroupAreKilled(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("setsid"); err != nil || runtime.GOOS != "linux" {
		t.Skip("needs Linux and setsid")
	}
	dir := t.TempDir()
	pool := func() *Pool {
		return &Pool{Limit: 1000, Command: func() *exec.Cmd {
			cmd := exec.Command("sh", "-c", `read -r line
				setsid sh -c 'echo $$ > '$line'; setsid sleep 1000 & echo $! > '$line'.2; sleep 1000' &
				while [ ! -s $line.2 ]; do sleep 0.01; done
				echo ready; read -r line; sleep 1000`)
			cmd.Dir = dir
			return cmd
		}}
	}
	alive := func(name string) bool {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		stat, err := os.ReadFile("/proc/" + strings.TrimSpace(string(text)) + "/stat")
		return err == nil && !strings.Contains(string(stat), ") Z ")
	}
	var both []*Process
	for _, name := range []string{"a", "b"} {
		c, err := pool().Take(true)
		if err != nil {
			t.Fatal(err)
		}
		if answer, err := c.Call(t.Context(), []byte(name), 0); string(answer) != "ready" {
			t.Fatalf("got answer %q, error %v, want ready", answer, err)
		}
		both = append(both, c)
	}
	if !alive("a") || !alive("a.2") {
		t.Fatal("got an ended child, want it alive")
	}
	both[0].End()
	if alive("a") || alive("a.2") {
		t.Error("what has left the group of a process goes on")
	}
	if !alive("b") || !alive("b.2") {
		t.Error("what another has started is killed")
	}
	both[1].pool.Kill()
	if alive("b") || alive("b.2") {
		t.Error("what has left the group of a process goes on after its pool")
	}
}

// TestLifelineEndsWorkerAfterItsInput checks that a worker ends when its input does, whatever it
// waits for.
func TestLifelineEndsWorkerAfterItsInput(t *testing.T) {
	t.Parallel()
	in, host := io.Pipe()
	ended := make(chan struct{})
	line := Lifeline(in, func() { close(ended) })
	go fmt.Fprintln(host, "a question")
	if text := make([]byte, 11); true {
		if n, err := io.ReadFull(line, text); string(text) != "a question\n" {
			t.Fatalf("%q, %d, %v", text, n, err)
		}
	}
	select {
	case <-ended:
		t.Error("it ends before its host")
	default:
	}
	host.Close()
	if rest, err := io.ReadAll(line); len(rest) > 0 || err != nil {
		t.Errorf("got %q, error %v, want the end", rest, err)
	}
	<-ended
}

// TestWorkerWithoutHostEndsSilently checks that a worker whose host is gone writes nothing and
// returns no error.
func TestWorkerWithoutHostEndsSilently(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", `{"limit":`, `{"limit":60000000000,"request":"wait"}`} {
		var said strings.Builder
		if err := Serve(strings.NewReader(text), &said, prepareJob); err != nil || said.Len() > 0 {
			t.Errorf("after %s: got %q, error %v, want nothing", text, &said, err)
		}
	}
}
