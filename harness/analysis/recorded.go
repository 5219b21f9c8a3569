package analysis

import (
	"path/filepath"
	"strings"

	"ocobench/harness/experiment/spec"
)

// A problem whose rounds are in a file is called by the name of the file in all that is shown: its
// SPEC has the whole path. Where two files have one name the SPECs stay.

// labelFiles labels problems of recorded rounds that have no label with the name of their file. The
// other parameters of the SPEC follow, as in labels of a sweep.
func labelFiles(problems []Problem) {
	labels := make(map[string]int)
	all := make([]string, len(problems))
	for i, p := range problems {
		if all[i] = p.Label; p.Label == "" {
			all[i] = fileLabel(p.Spec)
		}
		labels[all[i]]++
	}
	for i := range problems {
		if labels[all[i]] == 1 {
			problems[i].Label = all[i]
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
