// Package race reports whether the race detector is on, for tests: numerical code is about
// ten times slower with it.
package race

import (
	"runtime/debug"
	"slices"
	"testing"
)

// Enabled reports whether the program was built with -race.
var Enabled = func() bool {
	info, ok := debug.ReadBuildInfo()
	return ok && slices.Contains(info.Settings, debug.BuildSetting{Key: "-race", Value: "true"})
}()

// SkipSequential skips, in the short mode and with the race detector, a test that takes long and
// in which only one goroutine computes: the detector can find nothing there.
func SkipSequential(t testing.TB) {
	t.Helper()
	if Enabled && testing.Short() {
		t.Skip("one goroutine computes")
	}
}
