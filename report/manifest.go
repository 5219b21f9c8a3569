package report

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"ocobench/internal/file"
	"ocobench/internal/input"
)

// A run removes the files of an earlier run that it does not write again, such as the figures of
// other metrics, which would otherwise stand beside the new ones. Each run lists its files in the
// folder of the experiment, with their digests, in the form of sha256sum. A file that is not
// listed, or that has changed, is the user's, and stays. A line that begins with # names a table
// or a figure that was left out.

// Manifest is the name of the list of the files of a run.
const Manifest = "files.sha256"

// replaceManifest writes the list of a folder's files anew, from paths and what was omitted, and
// removes the files of the old list that are not among them. It returns the number of files that it
// removed. Lines that it cannot read in the old list count as absent.
func replaceManifest(folder string, paths []string, omitted []error) (removed int, err error) {
	var lines bytes.Buffer
	written := make(map[string]bool)
	slices.Sort(paths)
	for _, path := range paths {
		name, err := filepath.Rel(folder, path)
		if err != nil {
			return 0, err
		}
		sum, err := fileDigest(path)
		if err != nil {
			return 0, err
		}
		name = filepath.ToSlash(name)
		written[name] = true
		fmt.Fprintf(&lines, "%s  %s\n", sum, name)
	}
	for _, err := range omitted {
		fmt.Fprintf(&lines, "# %s\n", input.Message(err.Error()))
	}
	list := filepath.Join(folder, Manifest)
	before, _ := readRunFile(list) // without a list no file is known to be of a run
	for line := range strings.Lines(string(before)) {
		sum, name, ok := strings.Cut(strings.TrimSuffix(line, "\n"), "  ")
		path := filepath.FromSlash(name)
		if !ok || written[name] || !filepath.IsLocal(path) {
			continue
		}
		path = filepath.Join(folder, path)
		if now, err := fileDigest(path); err == nil && now == sum && os.Remove(path) == nil {
			removed++
		}
	}
	return removed, file.Write(list, func(w io.Writer) error {
		_, err := w.Write(lines.Bytes())
		return err
	})
}

// fileDigest returns the SHA-256 digest of a file, in hexadecimal digits.
func fileDigest(path string) (string, error) {
	data, err := readRunFile(path)
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:]), err
}

// maxFileSize is the size in bytes above which a file cannot be one that a run wrote.
const maxFileSize = 1 << 30

// readRunFile reads a file that a run may have written: a regular one that is not too large.
func readRunFile(path string) ([]byte, error) {
	switch info, err := os.Lstat(path); {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular() || info.Size() > maxFileSize:
		return nil, fmt.Errorf("%s is no file of a run", path)
	}
	return os.ReadFile(path)
}
