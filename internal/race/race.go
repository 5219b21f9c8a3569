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

// Alone skips, in the short mode and with the race detector, a test that takes long and in
// which one goroutine computes: there is nothing for the detector to see.
func Alone(t testing.TB) {
	t.Helper()
	if Enabled && testing.Short() {
		t.Skip("one goroutine computes")
	}
}
