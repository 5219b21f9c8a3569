package recorded_test

import (
	"bytes"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"ocobench/internal/input"
	"ocobench/internal/long"
	"ocobench/internal/tool"
	"ocobench/problems/recorded"
)

func init() { long.InMemory() }

var imported = flag.String("imported", "", "write what TestImportIsPortable imports to this file")

// importedText returns the rounds that each kind of import makes of the data of examples. The value
// of 1 + 0.3·3.3, rate and power of the jobs, is another one when it is fused.
func importedText(t *testing.T) []byte {
	var text bytes.Buffer
	for _, c := range []struct {
		file string
		own  []int
		kind recorded.Kind
	}{
		{"power.csv", []int{1}, recorded.Jobs{Servers: 10, Power: 3.3, Gain: 4, Rate: 0.3, Segments: 8}},
		{"returns.csv", nil, recorded.Portfolio{Loss: "quadratic", Budget: 0.015, Unit: 0.01}},
		{"samples.csv", []int{1}, recorded.Regression{Intercept: true, Radius: 10, Bias: 0.1}},
	} {
		s, err := input.OpenSheet(filepath.Join("..", "..", "examples", c.file), "round",
			input.Format{})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		r, err := c.kind.Read(s, recorded.Columns{Own: c.own, Many: s.Rest(append(c.own, 0)...)})
		if err != nil {
			t.Fatal(err)
		}
		if err := r.Write(&text, recorded.Header{}); err != nil {
			t.Fatal(err)
		}
	}
	return text.Bytes()
}

// TestImportIsPortable runs imports that compute numbers on targets where the compiler
// fuses x*y + z, in a build of this test, and compares what they write. A target that is
// emulated is no part of the sample.
func TestImportIsPortable(t *testing.T) {
	if *imported != "" {
		if err := os.WriteFile(*imported, importedText(t), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	if testing.Short() {
		t.Skip("builds for other targets: skipped in short mode")
	}
	long.Run(t, checkPortable)
}

// checkPortable builds this test for each target, and compares what the build imports with what
// this process does.
func checkPortable(t *testing.T, whole bool) {
	want := importedText(t)
	for _, target := range []struct{ name, arch, env, emulator string }{
		{"arm64", "arm64", "GOARM64=v8.0", "qemu-aarch64-static"},
		{"amd64-v3", "amd64", "GOAMD64=v3", "qemu-x86_64-static"},
	} {
		t.Run(target.name, func(t *testing.T) {
			emulator := ""
			if target.arch != runtime.GOARCH {
				emulator = tool.Find(t, "qemu-user-static", target.emulator, "--version")
				if !whole {
					t.Skip("emulation is no part of the sample")
				}
			} else if info, _ := os.ReadFile("/proc/cpuinfo"); target.arch == "amd64" &&
				!(strings.Contains(string(info), " avx2 ") && strings.Contains(string(info), " fma ")) {
				t.Skip("this processor does not run GOAMD64=v3")
			}
			if got := builtFor(t, emulator, target.arch, target.env); !bytes.Equal(got, want) {
				t.Errorf("%s writes\n%.1000s…\nwant\n%.1000s…", target.name, got, want)
			}
		})
	}
}

// builtFor returns what a build of this test for a target imports.
func builtFor(t *testing.T, emulator, arch, environment string) []byte {
	t.Helper()
	dir := t.TempDir()
	binary, file := filepath.Join(dir, "recorded.test"), filepath.Join(dir, "imported")
	build := exec.Command("go", "test", "-c", "-o", binary, ".")
	build.Env = append(os.Environ(), "GOOS="+runtime.GOOS, "GOARCH="+arch, "CGO_ENABLED=0",
		"GOFLAGS=", environment)
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %v\n%s", build, err, out)
	}
	args := []string{binary, "-test.run=^TestImportIsPortable$", "-imported=" + file}
	if emulator != "" {
		args = append([]string{emulator}, args...)
	}
	if out, err := exec.Command(args[0], args[1:]...).CombinedOutput(); err != nil {
		t.Fatalf("%v: %v\n%s", args, err, out)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return text
}
