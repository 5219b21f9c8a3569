package build

import (
	"runtime/debug"
	"testing"
)

func TestVersionIsThatOfTheBuild(t *testing.T) {
	stamps := func(modified string) []debug.BuildSetting {
		return []debug.BuildSetting{{Key: "vcs", Value: "git"},
			{Key: "vcs.revision", Value: "368f03b1c2d3e4f5"}, {Key: "vcs.modified", Value: modified}}
	}
	main := func(version string) debug.Module {
		return debug.Module{Path: "ocobench", Version: version}
	}
	own := debug.Module{Path: "example.com/own", Version: "v7.0.0"}
	for _, c := range []struct {
		what  string
		build debug.BuildInfo
		want  string
	}{
		{"nothing is known", debug.BuildInfo{Main: main("")}, development},
		{"go run", debug.BuildInfo{Main: main("(devel)")}, development},
		{"go install of a release", debug.BuildInfo{Main: main("v1.2.3")}, "1.2.3"},
		{"go install of a revision", debug.BuildInfo{Main: main("v0.0.0-20260102030405-368f03b1c2d3")},
			"0.0.0-20260102030405-368f03b1c2d3"},
		{"a build at a tag", debug.BuildInfo{Main: main("v1.2.3-rc.1"), Settings: stamps("false")},
			"1.2.3-rc.1"},
		{"a build of changes after a tag", debug.BuildInfo{
			Main: main("v1.2.3+dirty"), Settings: stamps("true"),
		}, development + "-368f03b+dirty"},
		{"a build without a tag", debug.BuildInfo{
			Main: main("v0.0.0-20260102030405-368f03b1c2d3"), Settings: stamps("false"),
		}, development + "-368f03b"},
		{"a build after a tag", debug.BuildInfo{
			Main: main("v1.2.4-0.20260102030405-368f03b1c2d3+dirty"), Settings: stamps("true"),
		}, development + "-368f03b+dirty"},
		{"a build of an older go", debug.BuildInfo{Main: main("(devel)"), Settings: stamps("false")},
			development + "-368f03b"},
		{"a dependency", debug.BuildInfo{Main: own,
			Deps: []*debug.Module{{Path: "ocobench", Version: "v1.2.3"}}, Settings: stamps("true")},
			"1.2.3"},
		{"a replacement by a directory", debug.BuildInfo{
			Main: own, Deps: []*debug.Module{{Path: "ocobench", Version: "v0.0.0",
				Replace: &debug.Module{Path: "../..", Version: "(devel)"}}}, Settings: stamps("true"),
		}, development},
		{"a replacement by a fork", debug.BuildInfo{
			Main: own, Deps: []*debug.Module{{Path: "ocobench", Version: "v0.0.0",
				Replace: &debug.Module{Path: "example.com/fork", Version: "v1.3.0"}}},
		}, "1.3.0"},
	} {
		t.Run(c.what, func(t *testing.T) {
			if got := versionOf(&c.build); got != c.want {
				t.Errorf("version %q, want %q", got, c.want)
			}
		})
	}
}
