package cluster

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"ocobench/harness/experiment"
	"ocobench/harness/store"
)

// A task takes about five minutes, or half of the time limit.
func TestTasks(t *testing.T) {
	for _, c := range []struct {
		size    int
		slurm   Slurm
		attempt int
		seconds float64
		want    int
	}{
		{0, Slurm{CPUs: 1}, 1, 0, 1},
		{0, Slurm{CPUs: 1}, 1, 300, 1},
		{0, Slurm{CPUs: 1}, 1, 301, 2},
		{0, Slurm{CPUs: 1}, 1, 3600, 12},
		{0, Slurm{CPUs: 4}, 1, 3600, 3},
		{0, Slurm{CPUs: 1, Time: 2 * time.Minute}, 1, 3600, 60},
		{0, Slurm{CPUs: 1, Time: 2 * time.Hour}, 1, 3600, 12},
		{0, Slurm{CPUs: 1}, 1, 1e12, 1000},
		{40, Slurm{CPUs: 1}, 1, 3600, 40},
		{2000, Slurm{CPUs: 1}, 1, 3600, 2000},
		{40, Slurm{CPUs: 1}, 2, 3600, 12}, // what is left is less
		{5, Slurm{CPUs: 1}, 2, 3600, 5},
		{1, Slurm{CPUs: 1}, 1, 3600, 1},
		{1, Slurm{CPUs: 1}, 2, 3600, 1},
	} {
		j := Job{Slurm: c.slurm, ArraySize: c.size}
		if got := j.tasks(c.attempt, c.seconds); got != c.want {
			t.Errorf("%+v: %d tasks", c, got)
		}
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

func TestQueue(t *testing.T) {
	a := &Array{ID: "12", Collect: "15"}
	command(t, "squeue", `[ "$*" = "--noheader --array --jobs=12,15 --format=%i %T" ] || exit 2
echo 12_3 RUNNING; echo 12_4 COMPLETING; echo 12_5 PENDING; echo 12_6 REQUEUED; echo 15 PENDING; echo 121_7 RUNNING`)
	q, err := a.Queue(context.Background())
	if err != nil || !slices.Equal(q.Running, []int{3, 4}) || !slices.Equal(q.Waiting, []int{5, 6}) ||
		!q.Collecting || !q.Busy() {
		t.Errorf("%+v, %v", q, err)
	}
	command(t, "squeue", "echo 15 RUNNING")
	if q, err := a.Queue(context.Background()); err != nil || !q.Busy() || q.Running != nil {
		t.Errorf("%+v, %v", q, err)
	}
	command(t, "squeue", "echo slurm_load_jobs error: Invalid job id specified >&2; exit 1")
	if q, err := a.Queue(context.Background()); err != nil || q.Busy() {
		t.Errorf("jobs that Slurm has forgotten: %+v, %v", q, err)
	}
	command(t, "squeue", "echo slurm_load_jobs error: Unable to contact slurm controller >&2; exit 1")
	if _, err := a.Queue(context.Background()); err == nil ||
		!strings.Contains(err.Error(), "Unable to contact") {
		t.Errorf("a controller that does not answer: %v", err)
	}
}

// An experiment is not submitted twice, and the remedy ends the jobs of the last submission. Where
// there is none, or Slurm has forgotten it, it is idle.
func TestIdle(t *testing.T) {
	dir := t.TempDir()
	busy := func() error { return Idle(context.Background(), dir, "x") }
	command(t, "squeue", "echo 12_3 RUNNING; echo 7_1 RUNNING")
	if err := busy(); err != nil {
		t.Errorf("before a submission: %v", err)
	}
	for n, a := range []Array{{ID: "7", Collect: "8", Tasks: 3}, {ID: "12", Collect: "15", Tasks: 3}} {
		job := filepath.Join(dir, strconv.Itoa(n+1))
		if err := errors.Join(os.Mkdir(job, 0o777), writeJSON(filepath.Join(job, jobName),
			Job{Experiment: "x", Slurm: Slurm{CPUs: 1}}),
			writeJSON(filepath.Join(job, "1.json"), a)); err != nil {
			t.Fatal(err)
		}
		for _, words := range []string{"bench status x;", "scancel " + a.ID + " " + a.Collect} {
			if err := busy(); err == nil || !strings.Contains(err.Error(), words) {
				t.Errorf("submission %d: %v, want %q", n+1, err, words)
			}
		}
	}
	command(t, "squeue", "echo 7_1 RUNNING")
	if err := busy(); err != nil {
		t.Errorf("after the last one: %v", err)
	}
}

// Where the collecting job cannot be submitted, the array is not left alone.
func TestSubmitTakesBack(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("DIR", dir)
	command(t, "sbatch", `case "$*" in *--dependency*) echo no such partition >&2; exit 1 ;; esac; echo "7;main"`)
	command(t, "scancel", `echo "$*" >>"$DIR/cancelled"`)
	j := &Job{Experiment: "x", Slurm: Slurm{CPUs: 1}, dir: dir}
	_, err := j.Submit(context.Background(), 1, []*experiment.Cell{{Key: store.KeyOf(nil)}}, []float64{1})
	if err == nil || !strings.Contains(err.Error(), "no such partition") {
		t.Errorf("%v", err)
	}
	if got, err := os.ReadFile(filepath.Join(dir, "cancelled")); string(got) != "7\n" {
		t.Errorf("cancelled: %q, %v", got, err)
	}
	if a, err := j.Array(1); a != nil || err != nil {
		t.Errorf("%+v, %v", a, err)
	}
}

// A task reads what was written, and so does the factor by which foreseen times are wrong.
func TestFiles(t *testing.T) {
	j := &Job{dir: t.TempDir()}
	a, b := store.KeyOf([]byte("a")), store.KeyOf([]byte("b"))
	if err := j.writeTask(1, 2, []*experiment.Cell{{Key: a}, {Key: b}},
		[]float64{0.25, 1e-7}); err != nil {
		t.Fatal(err)
	}
	task, err := j.Task(1, 2)
	if err != nil || len(task) != 2 || task[a] != 0.25 || task[b] != 1e-7 || !task.Keys()[a] {
		t.Errorf("%v, %v", task, err)
	}
	if s, err := j.Slowness(1); s != 1 || err != nil {
		t.Errorf("before anything is known: %g, %v", s, err)
	}
	if err := writeJSON(filepath.Join(j.dir, "1.json"),
		Array{ID: "1", Collect: "2", Tasks: 3}); err != nil {
		t.Fatal(err)
	}
	for task, took := range map[int]float64{1: 2, 3: 10} { // the second was killed
		if err := j.WriteReport(1, task, Report{Foreseen: 2, Took: took}); err != nil {
			t.Fatal(err)
		}
	}
	if s, err := j.Slowness(1); s != 3 || err != nil {
		t.Errorf("12 s for 4 foreseen: %g, %v", s, err)
	}
	if last, attempt, err := j.Last(); attempt != 1 || last.ID != "1" || err != nil {
		t.Errorf("%+v, %d, %v", last, attempt, err)
	}
}

// The number of a job is an integer ≥ 1, after which sbatch may print the name of a cluster.
func TestJobNumber(t *testing.T) {
	for out, want := range map[string]string{
		"12": "12", "12;north": "12", "-1": "", "0": "", "": "", "Submitted batch job 12": "",
	} {
		command(t, "sbatch", "echo '"+out+"'")
		id, err := sbatch(context.Background(), []string{"sbatch"})
		if id != want || (err == nil) != (want != "") {
			t.Errorf("sbatch prints %q: the job is %q (%v), want %q", out, id, err, want)
		}
	}
}
