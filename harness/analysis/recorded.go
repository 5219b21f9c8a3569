package analysis

import (
	"path/filepath"
	"strings"

	"ocobench/harness/experiment/spec"
)

// A problem whose rounds are in a file is called by the name of the file in all that is shown: its
// SPEC has the whole path. Where two files have one name the SPECs stay.

// label gives the problems of a file, where they have no label, the name of the file for one. Other
// parameters that the SPEC writes follow, as they follow the label of a sweep.
func label(problems []Problem) {
	labels := make(map[string]int)
	all := make([]string, len(problems))
	for i, p := range problems {
		if all[i] = p.Label; p.Label == "" {
			all[i] = labelOf(p.Spec)
		}
		labels[all[i]]++
	}
	for i := range problems {
		if labels[all[i]] == 1 {
			problems[i].Label = all[i]
		}
	}
}

// labelOf is the label of the problem of a SPEC by its file, or "".
func labelOf(text string) string {
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
