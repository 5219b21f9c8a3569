package cli

import (
	"embed"
	"fmt"
	"strings"

	"ocobench/harness/conform"
	"ocobench/report"
	"ocobench/report/export"
)

// helps has the text of the help of each verb, below its sentence in [command]: help/run.txt
// is that of bench run. Words in ${} stand for lists that are kept elsewhere.
//
//go:embed help/*.txt
var helps embed.FS

// helpOf returns the text of a verb, nothing for a verb without one.
func helpOf(verb string) string {
	text, err := helps.ReadFile("help/" + verb + ".txt")
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
