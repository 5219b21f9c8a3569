package slurm

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ocobench/internal/errtest"
)

// A task takes at most so long as it may, unless a cell takes longer or the tasks are too many.
func TestTasksKeepTheirTimeLimit(t *testing.T) {
	same := func(n int, seconds float64) (all []float64) {
		for range n {
			all = append(all, seconds)
		}
		return all
	}
	for _, c := range []struct {
		name    string
		seconds []float64
		each    time.Duration
		want    int
	}{
		{"nothing is known of the cost", same(10, 0), time.Minute, 1},
		{"no cells", nil, time.Minute, 1},
		{"all fit into one", same(5, 60), 5 * time.Minute, 1},
		{"one more does not", same(6, 60), 5 * time.Minute, 2},
		// 600 s are two tasks of 300, but cells are not divided: of three tasks, one has 400
		{"whole cells", same(3, 200), 5 * time.Minute, 3},
		{"a cell that takes longer", same(3, 1000), 5 * time.Minute, 3},
		{"too many", same(2000, 300), 5 * time.Minute, 1000},
		// of two and of four tasks, the first gets all that costs anything
		{"every fourth cell", []float64{200, 0, 0, 0, 200, 0, 0, 0}, 5 * time.Minute, 3},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := Tasks(c.seconds, c.each); got != c.want {
				t.Errorf("%d tasks, want %d", got, c.want)
			}
		})
	}
}

// The script runs the command of a task with its part, and that of the job after the array with
// the argument next, whatever blanks, quotes and number signs the words have.
func TestScriptRunsItsCommands(t *testing.T) {
	dir := t.TempDir()
	j := &Job{Experiment: "x", About: []string{"about"}, Task: []string{"echo", "a b", "it's #1"},
		Next: []string{"echo", "$HOME"}, WorkDir: "/a folder's #1", LogDir: dir, Tasks: 3, CPUs: 2,
		Time: 90*time.Second + time.Millisecond, Mem: "2G", Partition: "long", More: []string{"--hold"}}
	script := filepath.Join(dir, "job.sh")
	if err := os.WriteFile(script, []byte(j.Script()), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ argument, want string }{
		{"", "a b it's #1 --shard env/3\n"}, {"next", "$HOME\n"},
	} {
		out, err := exec.Command("sh", script, c.argument).Output()
		if string(out) != c.want || err != nil {
			t.Errorf("with %q it prints %q, want %q (%v)", c.argument, out, c.want, err)
		}
	}
	want := `#!/bin/sh
# about
#SBATCH --job-name=bench-x
#SBATCH '--chdir=/a folder'\''s #1'
#SBATCH --open-mode=append
#SBATCH --requeue
#SBATCH --nodes=1
#SBATCH --ntasks=1
#SBATCH --cpus-per-task=2
#SBATCH --partition=long
#SBATCH --time=1:31
#SBATCH --mem=2G
#SBATCH --hold
`
	if head, _, _ := strings.Cut(j.Script(), "\necho"); head != want {
		t.Errorf("the options are\n%s\nwant\n%s", head, want)
	}
}

// command puts a command of Slurm on the PATH that is this shell script.
func command(t *testing.T, name, script string) {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+script), 0o777); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
}

// Where the second job cannot be submitted, the array does not stay.
func TestSubmitCancelsTheArray(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("DIR", dir)
	command(t, "sbatch", `case "$*" in *--dependency*) echo no such partition >&2; exit 1 ;; esac; echo "7;main"`)
	command(t, "scancel", `echo "$*" >>"$DIR/cancelled"`)
	j := &Job{Experiment: "x", LogDir: filepath.Join(dir, "jobs"), Tasks: 1, CPUs: 1}
	_, _, err := j.Submit(t.Context())
	errtest.Contains(t, err, "no such partition")
	if got, err := os.ReadFile(filepath.Join(dir, "cancelled")); string(got) != "7\n" {
		t.Errorf("cancelled is %q, want the array 7 (%v)", got, err)
	}
	command(t, "scancel", "exit 1")
	_, _, err = j.Submit(t.Context())
	errtest.Contains(t, err, "scancel 7")
}

// An interrupt submits nothing.
func TestInterruptSubmitsNothing(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("DIR", dir)
	command(t, "sbatch", `echo "$*" >>"$DIR/submitted"; echo 7`)
	ctx, interrupt := context.WithCancel(t.Context())
	interrupt()
	j := &Job{Experiment: "x", LogDir: filepath.Join(dir, "jobs"), Tasks: 1, CPUs: 1}
	if _, _, err := j.Submit(ctx); err == nil {
		t.Error("got no error, want one")
	}
	if got, err := os.ReadFile(filepath.Join(dir, "submitted")); err == nil {
		t.Errorf("got submitted %s, want nothing", got)
	}
}

// The number of a job is an integer ≥ 1, after which sbatch may print the name of a cluster.
func TestJobNumberIsPositive(t *testing.T) {
	for out, want := range map[string]string{
		"12": "12", "12;north": "12", "-1": "", "0": "", "": "", "Submitted batch job 12": "",
	} {
		t.Run(out, func(t *testing.T) {
			command(t, "sbatch", "echo '"+out+"'")
			id, err := submitBatch(t.Context(), []string{"sbatch"})
			if id != want || (err == nil) != (want != "") {
				t.Errorf("sbatch prints %q: the job is %q (%v), want %q", out, id, err, want)
			}
		})
	}
}
