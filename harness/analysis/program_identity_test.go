package analysis

import (
	"crypto/sha256"
	"fmt"
	"os"
	"runtime/debug"
	"testing"
)

func TestProgramInDevelopmentIsIdentifiedByItsFile(t *testing.T) {
	name, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	file, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	want := fmt.Sprintf("sha256 %x", sha256.Sum256(file))
	if got, err := programIdentity(); err != nil || got != want {
		t.Errorf("the program is %q, error %v, want %q", got, err, want)
	}
}

func TestBuildInformationIsTrustedWhereItDeterminesTheCode(t *testing.T) {
	revision := []debug.BuildSetting{{Key: "vcs.revision", Value: "1234567"},
		{Key: "vcs.modified", Value: "false"}}
	changed := []debug.BuildSetting{revision[0], {Key: "vcs.modified", Value: "true"}}
	sealed := debug.Module{Path: "ocobench", Version: "v1.0.0", Sum: "h1:x"}
	local := debug.Module{Path: "ocobench", Version: "(devel)"}
	replaced := debug.Module{Path: "ocobench", Version: "v1.0.0", Sum: "h1:x",
		Replace: &debug.Module{Path: "../ocobench"}}
	for name, test := range map[string]struct {
		build debug.BuildInfo
		want  bool
	}{
		"a released version":           {debug.BuildInfo{Main: sealed}, true},
		"a revision":                   {debug.BuildInfo{Main: local, Settings: revision}, true},
		"a revision with changes":      {debug.BuildInfo{Main: local, Settings: changed}, false},
		"no revision":                  {debug.BuildInfo{Main: local}, false},
		"a module without a checksum":  {debug.BuildInfo{Main: sealed, Deps: []*debug.Module{&local}}, false},
		"a module with a checksum":     {debug.BuildInfo{Main: sealed, Deps: []*debug.Module{&sealed}}, true},
		"a module in another folder":   {debug.BuildInfo{Main: sealed, Deps: []*debug.Module{&replaced}}, false},
		"a main module elsewhere":      {debug.BuildInfo{Main: replaced}, false},
		"a revision, and other folder": {debug.BuildInfo{Main: local, Settings: revision, Deps: []*debug.Module{&replaced}}, false},
	} {
		t.Run(name, func(t *testing.T) {
			if got := isReproducible(&test.build); got != test.want {
				t.Errorf("it determines the code: %v, want %v", got, test.want)
			}
		})
	}
}
