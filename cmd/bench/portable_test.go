package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"ocobench/internal/tool"
)

// TestImportIsPortable runs an import that computes numbers on targets where the
// compiler fuses x*y + z, and compares what it writes. The value of 1 + 0.3·3.3
// is another one when it is fused.
func TestImportIsPortable(t *testing.T) {
	if testing.Short() {
		t.Skip("builds for other targets: skipped in short mode")
	}
	output := func(t *testing.T, emulator string, environment ...string) string {
		t.Helper()
		binary := filepath.Join(t.TempDir(), "bench")
		build := exec.Command("go", "build", "-o", binary, ".")
		build.Env = append(append(os.Environ(), "GOOS="+runtime.GOOS, "CGO_ENABLED=0", "GOFLAGS="),
			environment...)
		if out, err := build.CombinedOutput(); err != nil {
			t.Fatalf("%v: %v\n%s", build, err, out)
		}
		args := []string{binary, "import", "job-scheduling", "../../examples/power.csv", "--demand",
			"jobs", "--prices", "north", "--rate", "0.3", "--power", "3.3"}
		if emulator != "" {
			args = append([]string{emulator}, args...)
		}
		out, err := exec.Command(args[0], args[1:]...).Output()
		if err != nil {
			t.Fatalf("%v: %v", args, err)
		}
		// behind the header, which names the architecture
		_, slopes, _ := strings.Cut(string(out), `"lin":`)
		upper, _, _ := strings.Cut(string(out), `"constraints"`)
		return upper + slopes
	}
	want := output(t, "", "GOAMD64=v1")
	for _, target := range []struct{ name, arch, env, emulator string }{
		{"arm64", "arm64", "GOARM64=v8.0", "qemu-aarch64-static"},
		{"amd64-v3", "amd64", "GOAMD64=v3", "qemu-x86_64-static"},
	} {
		t.Run(target.name, func(t *testing.T) {
			emulator := ""
			if target.arch != runtime.GOARCH {
				emulator = target.emulator
				tool.Find(t, "qemu-user-static", emulator, "--version")
			} else if info, _ := os.ReadFile("/proc/cpuinfo"); target.arch == "amd64" &&
				!(strings.Contains(string(info), " avx2 ") && strings.Contains(string(info), " fma ")) {
				t.Skip("this processor does not run GOAMD64=v3")
			}
			if got := output(t, emulator, "GOARCH="+target.arch, target.env); got != want {
				t.Errorf("%s writes\n%.1000s…\nwant\n%.1000s…", target.name, got, want)
			}
		})
	}
}
