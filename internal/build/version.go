// Package build says which build of the program runs.
package build

import (
	"regexp"
	"runtime/debug"
	"strings"
)

// development is the version of a build that is of no release: it names the next release.
const development = "0.2.0-dev"

// Version is the version of the program, named in every output. It is read
// from the build information:
//
//	0.2.0                     a release, or a version that the go command chose
//	0.2.0-dev-368f03b         a build in a repository, at this revision
//	0.2.0-dev-368f03b+dirty   the same, with changes that are not committed
//	0.2.0-dev                 go run, go test, and a module that replaces ocobench by a directory
//
// A program of another module has the version of ocobench that it depends on.
var Version = buildVersion()

// buildVersion returns the version of the running program.
func buildVersion() string {
	b, ok := debug.ReadBuildInfo()
	if !ok {
		return development
	}
	return versionOf(b)
}

// pseudoVersion matches the versions that the go command makes of a revision.
var pseudoVersion = regexp.MustCompile(`[-.]\d{14}-[0-9a-f]{12}(\+|$)`)

// versionOf returns the version of this module in a program. The revision is
// that of the main module.
func versionOf(b *debug.BuildInfo) string {
	module, revision, dirty := b.Main, "", ""
	for _, d := range b.Deps {
		if d.Path == "ocobench" {
			module = *d
		}
	}
	if module.Path == b.Main.Path {
		for _, s := range b.Settings {
			switch {
			case s.Key == "vcs.revision":
				revision = "-" + s.Value[:min(7, len(s.Value))]
			case s.Key == "vcs.modified" && s.Value == "true":
				dirty = "+dirty"
			}
		}
	}
	for module.Replace != nil {
		module = *module.Replace
	}
	version, tagged := strings.CutPrefix(module.Version, "v")
	if tagged && (revision == "" || dirty == "" && !pseudoVersion.MatchString(version)) {
		return version
	}
	return development + revision + dirty
}
