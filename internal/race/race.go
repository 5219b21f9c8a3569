// Package race tells tests whether the race detector is on, under which
// numerical code is about ten times slower.
package race

import (
	"runtime/debug"
	"slices"
)

// Enabled tells whether the program was built with -race.
var Enabled = func() bool {
	info, ok := debug.ReadBuildInfo()
	return ok && slices.Contains(info.Settings, debug.BuildSetting{Key: "-race", Value: "true"})
}()
