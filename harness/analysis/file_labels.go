package analysis

import (
	"path/filepath"
	"strings"

	"ocobench/harness/experiment/spec"
)

// The SPEC of a problem whose rounds are in a file has the whole path of the file. Views show the
// name of the file instead, unless two problems would then have the same label.

// labelFiles labels problems of recorded rounds that have no label with the name of their file. The
// other parameters of the SPEC follow, as in labels of a sweep.
func labelFiles(problems []Problem) {
	count := make(map[string]int) // of problems, by label
	labels := make([]string, len(problems))
	for i, p := range problems {
		if labels[i] = p.Label; p.Label == "" {
			labels[i] = fileLabel(p.Spec)
		}
		count[labels[i]]++
	}
	for i := range problems {
		if count[labels[i]] == 1 {
			problems[i].Label = labels[i]
		}
	}
}

// fileLabel returns the label that the file of a problem's SPEC gives it, or "" without a file.
func fileLabel(text string) string {
	u, err := spec.ParseSpec(text)
	if err != nil {
		return ""
	}
	name, rest := "", ""
	for _, a := range u.Args {
		if a.Key == "file" {
			name = filepath.Base(strings.ReplaceAll(a.Value.Text, `\`, "/"))
		} else {
			rest += ", " + a.Key + " = " + a.Value.Text
		}
	}
	if name == "" || !spec.IsLabel(name+rest) {
		return ""
	}
	return name + rest
}
