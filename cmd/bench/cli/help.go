package cli

import (
	"embed"
	"fmt"
	"strings"

	"ocobench/harness/conform"
	"ocobench/report"
	"ocobench/report/export"
)

// helpTexts has the text of the help of each verb, below its sentence in [command]: help/run.txt is
// that of bench run. A word in ${} stands for a list that [helpOf] puts in its place.
//
//go:embed help/*.txt
var helpTexts embed.FS

// helpOf returns the text of a verb, or "" for a verb without one.
func helpOf(verb string) string {
	text, err := helpTexts.ReadFile("help/" + verb + ".txt")
	if err != nil {
		return ""
	}
	ofAlgorithms, ofProblems := conform.Names()
	names, docs := report.CellValues()
	var formats, values strings.Builder
	for _, f := range export.Formats {
		fmt.Fprintf(&formats, "    %-8s  %s\n", f.Ext,
			strings.ReplaceAll(f.Doc, "\n", "\n              "))
	}
	for k, name := range names {
		fmt.Fprintf(&values, "    %-9s %s\n", name, docs[k])
	}
	return strings.NewReplacer(
		"${algorithmLaws}", strings.Join(ofAlgorithms, ", "), "${problemLaws}",
		strings.Join(ofProblems, ", "),
		"${formats}\n", formats.String(), "${values}\n", values.String(),
	).Replace(strings.TrimSuffix(string(text), "\n"))
}
