package vec

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"ocobench/internal/tool"
)

// golden has the digest of the bits of some thousands of results of each
// function. Whoever changes one changes every result computed with it: the
// versions of generators and algorithms go up with it.
var golden = map[string]string{
	"Exp":    "c0e362791cac74c9",
	"Log":    "fe240a20fa0f5d90",
	"Pow":    "990772138f5f48b8",
	"Sin":    "8294175c67cd7281",
	"Cos":    "deb6d2cd57a16ade",
	"Dot":    "86264c99cbf64b12",
	"Sum":    "a6089eb5b08fce83",
	"Norm":   "26b5b241e3e632c0",
	"Dist":   "91c775a0454caadf",
	"Axpy":   "e0ecfde8ecba3cc7",
	"AxpyTo": "a0f919fe32767f2e",
	"Scale":  "8e105f39e4f86ec3",
	"AddTo":  "f5fe1689a24935a4",
	"SubTo":  "d4443b59b77e6db1",
}

// digest returns the hash of what draw emits, given a seeded source.
func digest(draw func(r *rand.Rand, emit func(...float64))) string {
	h := sha256.New()
	draw(rand.New(rand.NewPCG(2026, 1)), func(xs ...float64) {
		for _, x := range xs {
			var b [8]byte
			binary.LittleEndian.PutUint64(b[:], canonical(x))
			h.Write(b[:])
		}
	})
	return fmt.Sprintf("%x", h.Sum(nil)[:8])
}

// TestGolden holds on every platform: TestOtherTargetsHaveTheGoldenBits runs it on those at hand.
func TestGolden(t *testing.T) {
	got := map[string]string{}
	for _, e := range elementaries {
		got[e.name] = digest(func(r *rand.Rand, emit func(...float64)) {
			for range 20000 {
				emit(e.f(e.sample(r)))
				// Any bits whatever: NaN, infinities, overflow.
				x := math.Float64frombits(r.Uint64())
				emit(e.f(x, math.Float64frombits(r.Uint64())))
			}
		})
	}
	for name, f := range map[string]func(a, b []float64, alpha float64, emit func(...float64)){
		"Dot":  func(a, b []float64, _ float64, emit func(...float64)) { emit(Dot(a, b)) },
		"Sum":  func(a, _ []float64, _ float64, emit func(...float64)) { emit(Sum(a)) },
		"Norm": func(a, _ []float64, _ float64, emit func(...float64)) { emit(Norm(a)) },
		"Dist": func(a, b []float64, _ float64, emit func(...float64)) { emit(Dist(a, b)) },
		"Axpy": func(a, b []float64, alpha float64, emit func(...float64)) {
			Axpy(a, alpha, b)
			emit(a...)
		},
		"AxpyTo": func(a, b []float64, alpha float64, emit func(...float64)) {
			AxpyTo(a, alpha, a, b)
			emit(a...)
		},
		"Scale": func(a, _ []float64, alpha float64, emit func(...float64)) {
			Scale(a, alpha)
			emit(a...)
		},
		"AddTo": func(a, b []float64, _ float64, emit func(...float64)) {
			AddTo(a, a, b)
			emit(a...)
		},
		"SubTo": func(a, b []float64, _ float64, emit func(...float64)) {
			SubTo(a, a, b)
			emit(a...)
		},
	} {
		got[name] = digest(func(r *rand.Rand, emit func(...float64)) {
			for range 2000 {
				n := r.IntN(40)
				a, b := randomVector(r, n), randomVector(r, n)
				if r.IntN(4) == 0 { // where squares overflow, underflow or are subnormal
					scale := math.Ldexp(1, r.IntN(2080)-1060)
					Scale(a, scale)
					Scale(b, scale)
				}
				f(a, b, uniform(r, 2), emit)
			}
		})
	}
	for name, d := range got {
		if golden[name] != d {
			t.Error(advice(name, d))
		}
	}
	if len(got) != len(golden) {
		t.Errorf("%d digests, want %d", len(got), len(golden))
	}
}

// advice says what to do about a function that has another digest.
func advice(name, digest string) string {
	return fmt.Sprintf("%s returns other bits than its digest on %s: undo the change that moved it; "+
		"if it is meant, put %q: %q into golden in convex/vec/portable_test.go, and raise the Version of "+
		"every entry that go test ./algorithms ./problems -run TestDigests names", name, runtime.GOARCH,
		name, digest)
}

// TestOtherTargetsHaveTheGoldenBits builds this test for other targets and runs TestGolden there:
// in emulation, or at once if it is this architecture.
func TestOtherTargetsHaveTheGoldenBits(t *testing.T) {
	if testing.Short() {
		t.Skip("builds for other targets: skipped in short mode")
	}
	v1 := tool.Target{Name: "amd64-v1", Arch: "amd64", Build: []string{"GOAMD64=v1"},
		Emulator: "qemu-x86_64-static"}
	withoutFMA := v1
	withoutFMA.Name, withoutFMA.Run = "amd64-v1-without-fma", []string{"GODEBUG=cpu.fma=off"}
	for _, target := range []tool.Target{v1, withoutFMA, tool.AMD64v3, tool.ARM64} {
		t.Run(target.Name, func(t *testing.T) { tool.RunOn(t, target, true, "TestGolden") })
	}
}

// TestNothingIsFusedUnasked reads the assembly for arm64, where the compiler fuses whatever
// it may: the only fused operations are those that the source asks for. The
// golden digests alone would not do, since fusion in a correction term changes
// the final bits but once in many millions.
func TestNothingIsFusedUnasked(t *testing.T) {
	if testing.Short() {
		t.Skip("builds for another target: skipped in short mode")
	}
	build := exec.Command("go", "build", "-gcflags=-S", ".")
	build.Env = append(os.Environ(), "GOARCH=arm64", "CGO_ENABLED=0")
	out, err := build.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %v\n%s", build, err, out)
	}
	wanted := 0
	for _, m := range fusedOp.FindAllStringSubmatch(string(out), -1) {
		source, err := os.ReadFile(m[1])
		if err != nil {
			t.Fatal(err)
		}
		n, _ := strconv.Atoi(m[2])
		line := strings.Split(string(source), "\n")[n-1]
		if strings.Contains(line, "math.FMA(") {
			wanted++
			continue
		}
		t.Errorf("%s:%d: got a fused operation, want a rounded product: %s", filepath.Base(m[1]), n,
			strings.TrimSpace(line))
	}
	if wanted == 0 {
		t.Error("got no fused operation at all, want those of math.FMA: is the pattern still right?")
	}
}

// fusedOp matches a fused operation in the compiler's listing for arm64:
// (file.go:line) and the instruction.
var fusedOp = regexp.MustCompile(`\(([^()]+\.go):(\d+)\)\s+FN?M(?:ADD|SUB)[DS]`)
