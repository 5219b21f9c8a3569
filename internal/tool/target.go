package tool

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// A Target is a processor for which [RunOn] builds a test: its architecture, and the environments
// of the build and of the run.
type Target struct {
	Name, Arch string
	Build, Run []string
	CPU        []string // flags of /proc/cpuinfo without which it does not run on this machine
	Emulator   string   // of qemu-user-static, for machines of another architecture
}

// The targets where the compiler fuses x*y + z.
var (
	ARM64 = Target{Name: "arm64", Arch: "arm64", Build: []string{"GOARM64=v8.0"},
		Emulator: "qemu-aarch64-static"}
	AMD64v3 = Target{Name: "amd64-v3", Arch: "amd64", Build: []string{"GOAMD64=v3"},
		CPU: []string{"avx2", "bmi2", "fma"}, Emulator: "qemu-x86_64-static"}
)

// RunOn builds the test of the package in the working directory for the target, runs the test of
// this name there with more arguments, and fails unless it passes. It skips where the machine
// cannot run it, and where it would be emulated, if emulated targets are not wanted.
func RunOn(t *testing.T, target Target, emulate bool, test string, args ...string) {
	t.Helper()
	binary := filepath.Join(t.TempDir(), "package.test")
	args = append([]string{binary, "-test.run=^" + test + "$", "-test.v"}, args...)
	if target.Arch != runtime.GOARCH {
		Find(t, "qemu-user-static", target.Emulator, "--version")
		if !emulate {
			t.Skip("emulation is no part of the sample")
		}
		args = append([]string{target.Emulator}, args...)
	} else if missing := missingFlags(target.CPU); missing != nil {
		t.Skipf("/proc/cpuinfo does not list %s", strings.Join(missing, ", "))
	}
	build := exec.Command("go", "test", "-c", "-o", binary, ".")
	build.Env = append(os.Environ(), "GOOS="+runtime.GOOS, "GOARCH="+target.Arch, "CGO_ENABLED=0",
		"GOFLAGS=")
	build.Env = append(build.Env, target.Build...)
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %v\n%s", build, err, out)
	}
	run := exec.Command(args[0], args[1:]...)
	run.Env = append(os.Environ(), target.Run...)
	out, err := run.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "--- PASS: "+test) {
		t.Fatalf("%v: %v, want that %s passes\n%s", run, err, test, out)
	}
}

// missingFlags returns the wanted flags that this processor does not have.
func missingFlags(want []string) (missing []string) {
	info, _ := os.ReadFile("/proc/cpuinfo") // without it, all are missing
	flags := strings.Fields(string(info))
	for _, f := range want {
		if !slices.Contains(flags, f) {
			missing = append(missing, f)
		}
	}
	return missing
}
