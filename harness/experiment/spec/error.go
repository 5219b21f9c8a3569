package spec

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/hbollon/go-edlib"

	"ocobench/internal/input"
)

// Pos locates a place in an experiment file (File, Line, Column) or in a SPEC given on the
// command line (File is then the quoted SPEC and Line is 0). Lines and columns count from 1,
// columns in characters. The zero Pos means that the position is not known.
type Pos struct {
	File         string
	Line, Column int

	text string // the source line, for the snippet
}

// errorAt returns an error at p. Its message is made of format and args; for a SPEC,
// " at character N"; and tail, which is the remedy with its punctuation.
func (p Pos) errorAt(tail, format string, args ...any) *Error {
	message := fmt.Sprintf(format, args...)
	if p.Line == 0 && p.Column > 0 {
		message += fmt.Sprintf(" at character %d", p.Column)
	}
	return &Error{p, message + tail}
}

// Refuse returns err as an [Error] at p.
func (p Pos) Refuse(err error) error {
	return &Error{p, err.Error()} // in a SPEC, err concerns all of it, so that no character is named
}

// Error says what is wrong at a position, what was expected and, where possible,
// a remedy.
type Error struct {
	Pos
	Msg string
}

// Error prints file:line:column: message and, of a file, the source line with a caret under the
// column.
func (e *Error) Error() string {
	var b strings.Builder
	if e.File != "" {
		b.WriteString(input.Shown(e.File))
		if e.Line > 0 {
			fmt.Fprintf(&b, ":%d:%d", e.Line, e.Column)
		}
		b.WriteString(": ")
	}
	b.WriteString(e.Msg)
	if e.Line > 0 {
		b.WriteString("\n" + e.sourceSnippet())
	}
	return b.String()
}

// maxErrors limits the errors that are collected in one list or mapping.
const maxErrors = 20

// Errors holds several errors, sorted by position and without repetitions.
type Errors []*Error

// maxShownChars is the number of characters after which no further error is printed.
const maxShownChars = 1600

// Error prints the errors one after the other, as many as fit on a page, and how
// many are left.
func (es Errors) Error() string {
	var b strings.Builder
	for i, e := range es {
		text := e.Error()
		if i > 0 {
			if utf8.RuneCountInString(b.String())+utf8.RuneCountInString(text) > maxShownChars {
				fmt.Fprintf(&b, "\nand %d more", len(es)-i)
				break
			}
			b.WriteByte('\n')
		}
		b.WriteString(text)
	}
	return b.String()
}

// Unwrap returns the errors, for errors.Is and errors.As.
func (es Errors) Unwrap() []error {
	errs := make([]error, len(es))
	for i, e := range es {
		errs[i] = e
	}
	return errs
}

// Join merges errors of this package into one [Errors], sorted by position.
// Other errors become an [Error] without a position. Join ignores nil, and returns nil if there
// are no errors.
func Join(errs ...error) error {
	var all Errors
	for _, err := range errs {
		var es Errors
		var e *Error
		switch {
		case err == nil:
		case errors.As(err, &es):
			all = append(all, es...)
		case errors.As(err, &e):
			all = append(all, e)
		default:
			all = append(all, &Error{Msg: err.Error()})
		}
	}
	return all.sortedOrNil()
}

// sortedOrNil returns es sorted, or nil if there are none.
func (es Errors) sortedOrNil() error {
	if len(es) == 0 {
		return nil
	}
	slices.SortStableFunc(es, func(a, b *Error) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line),
			cmp.Compare(a.Column, b.Column), cmp.Compare(a.Msg, b.Msg))
	})
	return slices.CompactFunc(es, func(a, b *Error) bool { return *a == *b })
}

// Unknown returns the error for a name that is not among the known ones, with
// the nearest of them as a suggestion. Kind is the singular noun ("algorithm"). Where there is a
// command that lists all names, the error has that and a few names.
func Unknown(kind, name string, known []string, pos Pos, command ...string) *Error {
	tail := fmt.Sprintf(" (there are no %ss)", kind)
	if len(known) > 0 {
		shown, more := known, ""
		switch {
		case command != nil && len(known) > input.MaxNames:
			shown = known[:input.MaxNames]
			more = fmt.Sprintf(" and %d more; %s has all", len(known)-len(shown), command[0])
		case len(known) > manyNames: // names of the user's own, such as columns
			length := 0
			for k, name := range known {
				if length += len(name + ", "); length > maxNamesLength {
					shown, more = known[:k], fmt.Sprintf(" and %d more", len(known)-k)
					break
				}
			}
		}
		tail = fmt.Sprintf(" (%ss: %s%s)", kind, strings.Join(shown, ", "), more)
	}
	if near := nearestName(name, known); near != "" {
		tail = fmt.Sprintf("; did you mean %q?", near) + tail
	} else if full := namesAbbreviatedBy(name, known); full != nil {
		tail = fmt.Sprintf("; did you mean %s?", strings.Join(full, " or ")) + tail
	}
	return pos.errorAt(tail, "unknown %s %q", kind, shorten(name))
}

// UnknownEntry returns the error of [Unknown] for an algorithm or a problem, which may also be of
// another program.
func UnknownEntry(kind, name string, known []string, pos Pos, command string) *Error {
	err := Unknown(kind, name, known, pos, command)
	err.Msg += fmt.Sprintf("; if it is of another program, say so with --external %s=COMMAND or "+
		"--externals FILE", name)
	return err
}

// Of more than manyNames known names a message shows at most maxNamesLength bytes.
const manyNames, maxNamesLength = 30, 300

// maxSuggestions limits the names that an abbreviation suggests.
const maxSuggestions = 6

// namesAbbreviatedBy returns the known names, quoted, that have a name as their beginning or as
// one of their words: soft stands for violation_soft. It returns nil for more than
// maxSuggestions.
func namesAbbreviatedBy(name string, known []string) (full []string) {
	name = strings.ToLower(name)
	for _, k := range known {
		if name != "" && (strings.HasPrefix(k, name) || slices.Contains(
			strings.FieldsFunc(k, func(r rune) bool { return r == '_' || r == '-' }), name)) {
			full = append(full, strconv.Quote(k))
		}
	}
	if len(full) > maxSuggestions {
		return nil
	}
	return full
}

// nearestName returns the known name of which name may be a misspelling, or "". One edit per three
// characters is allowed, and one in shorter names; a swap of neighbours is one edit.
func nearestName(name string, known []string) string {
	const maxLength = 200 // bytes; a longer text is no misspelling, and would take long to compare
	if len(name) > maxLength {
		return ""
	}
	allowed, near := max(1, utf8.RuneCountInString(name)/3), ""
	for _, k := range known {
		if d := edlib.OSADamerauLevenshteinDistance(strings.ToLower(name), k); d <= allowed {
			allowed, near = d-1, k // a later name must be nearer
		}
	}
	return near
}

// sourceSnippet shows the line with a caret under the column. Of a long line it shows the part near
// the column.
func (p Pos) sourceSnippet() string {
	const width = 72
	line := []rune(p.text)
	at := min(max(p.Column-1, 0), len(line))
	from := 0
	if len(line) > width {
		from = min(max(at-width/2, 0), len(line)-width)
	}
	to := min(from+width, len(line))
	shown, caret := string(line[from:to]), at-from
	if from > 0 {
		shown, caret = "…"+shown, caret+1
	}
	if to < len(line) {
		shown += "…"
	}
	shown = strings.Map(func(r rune) rune {
		if r < ' ' {
			return ' '
		}
		return r
	}, shown)
	gutter := fmt.Sprintf("%5d | ", p.Line)
	blank := strings.Repeat(" ", len(gutter)-2) + "| "
	return gutter + shown + "\n" + blank + strings.Repeat(" ", caret) + "^"
}
