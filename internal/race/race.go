// Package race reports whether the race detector is on, for tests: numerical code is about
// ten times slower with it.
package race

import (
	"runtime/debug"
	"slices"
)

// Enabled reports whether the program was built with -race.
var Enabled = func() bool {
	info, ok := debug.ReadBuildInfo()
	return ok && slices.Contains(info.Settings, debug.BuildSetting{Key: "-race", Value: "true"})
}()
