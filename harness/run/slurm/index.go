package slurm

import (
	"fmt"
	"strconv"
	"strings"
)

// Index returns which of n parts, counted from 1, the task of a job array is to compute,
// as the environment says it:
//
//   - in Slurm, SLURM_ARRAY_TASK_ID − SLURM_ARRAY_TASK_MIN + 1. The array must have exactly
//     n tasks with consecutive numbers: --array=1-8 and --array=0-7 are 8 parts, and an
//     array with the numbers 3 and 4 is refused for n = 8, since nothing says whether they
//     are counted from 0 or from 1;
//   - in an indexed Job of Kubernetes, JOB_COMPLETION_INDEX + 1.
//
// It is an error if the environment has none of them, or both.
func Index(n int, getenv func(string) string) (int, error) {
	const slurm, kubernetes = "SLURM_ARRAY_TASK_ID", "JOB_COMPLETION_INDEX"
	switch inSlurm, inKubernetes := getenv(slurm) != "", getenv(kubernetes) != ""; {
	case inSlurm && inKubernetes:
		return 0, fmt.Errorf("both %s and %s are set (expected one of them, or an integer in place "+
			"of env)", slurm, kubernetes)
	case inKubernetes:
		k, err := readNumber(getenv, kubernetes)
		if err == nil && k >= n {
			err = fmt.Errorf("%s is %d (expected at most %d: it counts %d parts from 0)", kubernetes, k, n-1,
				n)
		}
		return k + 1, err
	case !inSlurm:
		return 0, fmt.Errorf("neither %s nor %s is set (expected a job array of Slurm or an indexed "+
			"Job of Kubernetes)", slurm, kubernetes)
	}
	var v [4]int
	for i, name := range []string{slurm, "SLURM_ARRAY_TASK_MIN", "SLURM_ARRAY_TASK_MAX",
		"SLURM_ARRAY_TASK_COUNT"} {
		var err error
		if v[i], err = readNumber(getenv, name); err != nil {
			return 0, err
		}
	}
	id, first, last, count := v[0], v[1], v[2], v[3]
	if count != n || last-first != n-1 || id < first || id > last {
		return 0, fmt.Errorf("the job array has %d tasks, %d to %d, and this is %d (expected %d tasks "+
			"in a row, such as --array=1-%d)", count, first, last, id, n, n)
	}
	return id - first + 1, nil
}

// readNumber reads an integer ≥ 0 of the environment.
func readNumber(getenv func(string) string, name string) (int, error) {
	text := getenv(name)
	n, err := strconv.Atoi(text)
	if err != nil || strings.Trim(text, "0123456789") != "" {
		return 0, fmt.Errorf("%s is %q (expected an integer ≥ 0)", name, text)
	}
	return n, nil
}
