package slurm

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
)

func ExampleIndex() {
	task := map[string]string{ // the third of sbatch --array=0-7
		"SLURM_ARRAY_TASK_ID": "2", "SLURM_ARRAY_TASK_MIN": "0", "SLURM_ARRAY_TASK_MAX": "7",
		"SLURM_ARRAY_TASK_COUNT": "8",
	}
	fmt.Println(Index(8, func(name string) string { return task[name] }))
	_, err := Index(9, func(name string) string { return task[name] })
	fmt.Println(err)
	// Output:
	// 3 <nil>
	// the job array has 8 tasks, 0 to 7, and this is 2 (expected 9 tasks in a row, such as --array=1-9)
}

// slurm is the environment of task id of the array first, first+step, …, last.
func slurm(id, first, last, step int) map[string]string {
	return map[string]string{
		"SLURM_ARRAY_TASK_ID": strconv.Itoa(id), "SLURM_ARRAY_TASK_MIN": strconv.Itoa(first),
		"SLURM_ARRAY_TASK_MAX":   strconv.Itoa(last),
		"SLURM_ARRAY_TASK_COUNT": strconv.Itoa((last-first)/step + 1),
	}
}

// The tasks of an array are all parts, each once, or every one of them is refused: no array
// computes some of the parts only, or one of them twice.
func TestIndexGivesEveryPartOnceOrNone(t *testing.T) {
	whole := 0
	for n := 1; n <= 6; n++ {
		for first := 0; first <= 3; first++ {
			for last := first; last <= 9; last++ {
				for step := 1; step <= 3; step++ {
					last := last - (last-first)%step
					var parts []int
					refused := 0
					for id := first; id <= last; id += step {
						i, err := Index(n, func(name string) string { return slurm(id, first, last, step)[name] })
						if err != nil {
							refused++
							continue
						}
						parts = append(parts, i)
					}
					var want []int
					for i := range n {
						want = append(want, i+1)
					}
					switch {
					case refused == 0 && slices.Equal(parts, want):
						whole++
					case len(parts) > 0:
						t.Errorf("--array=%d-%d:%d as %d parts: got %v, want %v or nothing", first, last, step, n,
							parts, want)
					}
				}
			}
		}
	}
	if whole == 0 {
		t.Error("got every array refused, want some computed")
	}
}

func TestIndexReadsSlurmAndKubernetes(t *testing.T) {
	for _, c := range []struct {
		env  map[string]string
		want string // the part of 8, or the beginning of the error
	}{
		{map[string]string{"JOB_COMPLETION_INDEX": "0"}, "1"},
		{map[string]string{"JOB_COMPLETION_INDEX": "7"}, "8"},
		{map[string]string{"JOB_COMPLETION_INDEX": "8"}, "JOB_COMPLETION_INDEX is 8 (expected at most 7"},
		{map[string]string{"JOB_COMPLETION_INDEX": "-1"}, `JOB_COMPLETION_INDEX is "-1"`},
		{map[string]string{"JOB_COMPLETION_INDEX": "+1"}, `JOB_COMPLETION_INDEX is "+1"`},
		{map[string]string{"JOB_COMPLETION_INDEX": "1", "SLURM_ARRAY_TASK_ID": "1"},
			"both SLURM_ARRAY_TASK_ID and JOB_COMPLETION_INDEX are set"},
		{nil, "neither SLURM_ARRAY_TASK_ID nor JOB_COMPLETION_INDEX is set"},
		{map[string]string{"SLURM_ARRAY_TASK_ID": "1"}, `SLURM_ARRAY_TASK_MIN is ""`},
		{slurm(1, 1, 8, 1), "1"},
		{slurm(8, 1, 8, 1), "8"},
		{slurm(0, 0, 7, 1), "1"},
		{slurm(3, 3, 4, 1), "the job array has 2 tasks, 3 to 4, and this is 3"},
	} {
		i, err := Index(8, func(name string) string { return c.env[name] })
		got := strconv.Itoa(i)
		if err != nil {
			got = err.Error()
		}
		if len(c.want) < 2 && got != c.want || !strings.HasPrefix(got, c.want) {
			t.Errorf("%v: got %s, want %s", c.env, got, c.want)
		}
	}
}
