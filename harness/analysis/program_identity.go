package analysis

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"
	"runtime/debug"
	"slices"
	"sync"
)

// programIdentity returns a text that two programs share only if they have the same code. It is the
// build information where that determines the code, and otherwise, as in development, the digest of
// the program's file, which takes some hundredths of a second.
var programIdentity = sync.OnceValues(func() (string, error) {
	if b, ok := debug.ReadBuildInfo(); ok && isReproducible(b) {
		return b.String(), nil
	}
	f, err := openProgram()
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	_, err = io.Copy(h, f)
	return "sha256 " + hex.EncodeToString(h.Sum(nil)), err
})

// openProgram opens the file that this process runs. On Linux that is possible also where another
// program has its name by now.
func openProgram() (*os.File, error) {
	f, err := os.Open("/proc/self/exe")
	if !errors.Is(err, fs.ErrNotExist) {
		return f, err
	}
	name, err := os.Executable()
	if err != nil {
		return nil, err
	}
	return os.Open(name)
}

// isReproducible reports whether the build information determines the code: the main module is a
// version with a checksum or a revision without changes, and every other module has a checksum.
func isReproducible(b *debug.BuildInfo) bool {
	hasSetting := func(key, value string) bool {
		return slices.ContainsFunc(b.Settings, func(s debug.BuildSetting) bool {
			return s.Key == key && (s.Value == value || value == "")
		})
	}
	isVersion := func(m *debug.Module) bool {
		for m.Replace != nil {
			m = m.Replace
		}
		return m.Sum != ""
	}
	isCommit := hasSetting("vcs.revision", "") && hasSetting("vcs.modified", "false")
	return (isVersion(&b.Main) || isCommit) &&
		!slices.ContainsFunc(b.Deps, func(m *debug.Module) bool { return !isVersion(m) })
}
