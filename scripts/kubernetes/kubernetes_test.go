// Package kubernetes holds examples/kubernetes.yaml to the API of Kubernetes, and runs its
// pods as processes.
package kubernetes

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/yaml"
)

// sharded is an experiment with more cells than the Job has pods.
const sharded = `
name: sharded
horizon: 50
replicates: 3
problems: [{use: iid}, {use: decaying-frequency}]
algorithms: [{use: ogd}, {use: primal-dual}]
`

// The manifest is a Job of the API of Kubernetes, without a field that it does not know, and
// its pods compute every cell once.
func TestManifestIsValidAndComputesEveryCellOnce(t *testing.T) {
	manifest, err := os.ReadFile("../../examples/kubernetes.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var job batchv1.Job
	if err := yaml.UnmarshalStrict(manifest, &job); err != nil {
		t.Fatal(err)
	}
	if err := yaml.UnmarshalStrict(bytes.Replace(manifest, []byte("completions:"),
		[]byte("completion:"), 1), new(batchv1.Job)); err == nil {
		t.Error("a field that does not exist: got no error, want one")
	}
	s, pod := job.Spec, job.Spec.Template.Spec
	switch {
	case job.APIVersion != batchv1.SchemeGroupVersion.String() || job.Kind != "Job" || job.Name == "":
		t.Errorf("got %+v, want a Job", job.TypeMeta)
	case s.CompletionMode == nil || *s.CompletionMode != batchv1.IndexedCompletion ||
		s.Completions == nil || s.Parallelism == nil || *s.Parallelism > *s.Completions:
		t.Errorf("got %+v, want an indexed Job", s)
	// The API refuses these two together.
	case s.BackoffLimitPerIndex != nil && pod.RestartPolicy != corev1.RestartPolicyNever:
		t.Errorf("got restartPolicy %s with backoffLimitPerIndex, want Never", pod.RestartPolicy)
	case len(pod.Containers) != 1 || !slices.Equal(pod.Containers[0].Command, []string{"bench"}) ||
		pod.Containers[0].Image == "" || pod.Containers[0].VolumeMounts[0].Name != pod.Volumes[0].Name:
		t.Errorf("got %+v, want one container that runs bench in the volume", pod)
	}
	dir := t.TempDir()
	bench := filepath.Join(t.TempDir(), "bench")
	runIn(t, "..", nil, "go", "build", "-o", bench, "ocobench/cmd/bench")
	if err := os.WriteFile(filepath.Join(dir, "sharded.yaml"), []byte(sharded), 0o666); err != nil {
		t.Fatal(err)
	}
	args := slices.Clone(pod.Containers[0].Args)
	for i, a := range args {
		switch {
		case a == "rates":
			args[i] = "sharded.yaml"
		case strings.HasPrefix(a, "/data/"):
			args[i] = "." + a
		}
	}
	for index := range int(*s.Completions) {
		said := runIn(t, dir, []string{"JOB_COMPLETION_INDEX=" + strconv.Itoa(index)}, bench, args...)
		if want := "sharded: part " + strconv.Itoa(index+1) + " of 8: "; !strings.HasPrefix(said, want) ||
			!strings.Contains(said, ", 0 found") {
			t.Errorf("pod %d says %q, want %q", index, said, want)
		}
	}
	runIn(t, dir, nil, bench, "run", "sharded.yaml", "--store", "whole")
	var exports [2][]byte
	for k, store := range []string{"data/results", "whole"} {
		runIn(t, dir, nil, bench, "export", "--store", store, "--out", "export.csv")
		if exports[k], err = os.ReadFile(filepath.Join(dir, "export.csv")); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(exports[0], exports[1]) {
		t.Error("got other exports of the pods, want those of the whole experiment")
	}
}

// runIn runs a program in dir, with more variables of the environment, and returns what it
// writes to standard error.
func runIn(t *testing.T, dir string, env []string, program string, args ...string) string {
	t.Helper()
	var stderr bytes.Buffer
	cmd := exec.Command(program, args...)
	cmd.Dir, cmd.Env, cmd.Stderr = dir, append(os.Environ(), env...), &stderr
	if err := cmd.Run(); err != nil {
		t.Fatalf("%s %s: %v\n%s", program, strings.Join(args, " "), err, &stderr)
	}
	return stderr.String()
}
