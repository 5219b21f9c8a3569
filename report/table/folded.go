package table

import (
	"fmt"
	"io"
	"unicode/utf8"
)

// Folded prints texts in columns beside headings, in lines of at most Width characters. A text has
// at least 30 characters of a line, and headings are not broken.
type Folded struct {
	W     io.Writer
	Width int
}

// Entry prints the name of an entry and its sentence.
func (f *Folded) Entry(name, doc string) {
	fmt.Fprintln(f.W, name)
	f.Item(4, "", doc)
}

// Item prints a heading and a text. The lines of the text begin at a column, beside the
// heading or, if it is longer, below it.
func (f *Folded) Item(column int, heading, text string) {
	if utf8.RuneCountInString(heading) >= column {
		fmt.Fprintln(f.W, heading)
		heading = ""
	}
	for _, line := range Wrap(text, max(f.Width-column, 30)) {
		fmt.Fprintf(f.W, "%-*s%s\n", column, heading, line)
		heading = ""
	}
}
