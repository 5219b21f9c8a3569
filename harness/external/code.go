package external

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os/exec"
	"slices"
	"strings"

	"ocobench/internal/file"
	"ocobench/internal/input"
)

// The code of a program is what its command names: the arguments that are files, alone or after
// an equals sign, and the program itself where it is a script. They are read when the program
// starts, and are part of its fingerprint, so that an edited learner has other cells. What these
// files read or import is not seen. If a file has changed when a later process starts, its game
// fails, since its cell would be stored under the earlier code.

// code holds the files that the words of a command name: for each word the path of its file and the
// digest, which is "" where the word is no file.
type code struct {
	paths, digests []string
}

// codeOf reads the files that a command names.
func codeOf(command []string) (c code) {
	c.paths = slices.Clone(command)
	c.paths[0] = ""
	if path, err := exec.LookPath(command[0]); err == nil && isScript(path) {
		c.paths[0] = path
	}
	for i, word := range c.paths {
		digest := digestOf(word)
		if _, value, ok := strings.Cut(word, "="); ok && digest == "" { // --file=FILE
			c.paths[i], digest = value, digestOf(value)
		}
		c.digests = append(c.digests, digest)
	}
	return c
}

// checkUnchanged returns an error if a file has changed since it was read by [codeOf].
func (c *code) checkUnchanged() error {
	for i, path := range c.paths {
		if recorded := c.digests[i]; recorded != "" && recorded != digestOf(path) {
			return fmt.Errorf("%s has changed since this command began; run it again (a file that the "+
				"program writes cannot be named in its command)", input.Shown(path))
		}
	}
	return nil
}

// fingerprint returns a digest of the words of the command, the declared name and the files of
// code.
func (p *Program) fingerprint() string {
	text := strings.Join(p.command, "\x00") + "\x00\x00" + p.declared.Name
	if files := strings.Join(p.code.digests, "\x00"); strings.Trim(files, "\x00") != "" {
		text += "\x00\x00" + files
	}
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:12])
}

// digestOf returns the digest of a regular file, and "" for anything else.
func digestOf(name string) string {
	f, err := file.Open(name)
	if err != nil {
		return ""
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return ""
	}
	return hex.EncodeToString(h.Sum(nil))
}

// isScript reports whether a file begins like a script, with #!.
func isScript(name string) bool {
	f, err := file.Open(name)
	if err != nil {
		return false
	}
	defer f.Close()
	start := make([]byte, 2)
	_, err = io.ReadFull(f, start)
	return err == nil && bytes.Equal(start, []byte("#!"))
}
