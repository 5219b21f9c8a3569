// Package input reads files of the user's own within limits, CSV files with a header
// among them ([Sheet]), and shows what they contain in messages.
//
// A file is read if it is a regular file or a pipe. A directory or a device is not:
// a device may have no end.
package input

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// File is an open file that ends with an error after its limit.
type File struct {
	file  *os.File
	left  int64
	limit int64
}

// Open opens a regular file or a pipe, of which at most limit bytes are read. Errors do not
// name the file, since messages have the name before them.
func Open(name string, limit int64) (*File, error) {
	if info, err := os.Stat(name); err == nil { // opening a device may have effects
		if err := checkReadable(info, limit); err != nil {
			return nil, err
		}
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, withoutName(err)
	}
	info, err := f.Stat()
	if err == nil {
		err = checkReadable(info, limit)
	}
	if err != nil {
		f.Close()
		return nil, withoutName(err)
	}
	return &File{f, limit, limit}, nil
}

// checkReadable returns an error if a file is no regular file or pipe, or is larger than the limit.
func checkReadable(info os.FileInfo, limit int64) error {
	switch mode := info.Mode(); {
	case mode.IsDir():
		return errors.New("is a directory")
	case mode.IsRegular() && info.Size() > limit:
		return tooLarge(limit)
	case mode.IsRegular(), mode&os.ModeNamedPipe != 0:
		return nil
	}
	return errors.New("is neither a regular file nor a pipe, and may have no end")
}

// Rereadable returns an error if a file is a pipe, whose content can be read only once.
func Rereadable(name string) error {
	if info, err := os.Stat(name); err == nil && info.Mode()&os.ModeNamedPipe != 0 {
		return errors.New("is a pipe, which can be read only once; write its content to a file")
	}
	return nil
}

// tooLarge returns the error of a file or a text above a limit in bytes.
func tooLarge(limit int64) error {
	return fmt.Errorf("has more than %s, the limit", formatSize(limit))
}

// withoutName returns the error of the system in an error that names a file.
func withoutName(err error) error {
	if e, ok := err.(*os.PathError); ok {
		return e.Err
	}
	return err
}

// Read implements [io.Reader].
func (f *File) Read(b []byte) (int, error) {
	if f.left < 0 {
		return 0, tooLarge(f.limit)
	}
	if int64(len(b)) > f.left+1 {
		b = b[:f.left+1]
	}
	n, err := f.file.Read(b)
	if f.left -= int64(n); f.left < 0 {
		return n - 1, tooLarge(f.limit)
	}
	return n, withoutName(err)
}

// Close closes the file.
func (f *File) Close() error { return f.file.Close() }

// ReadFile reads a regular file or a pipe of at most limit bytes.
func ReadFile(name string, limit int64) ([]byte, error) {
	f, err := Open(name, limit)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(f)
}

// formatSize prints a number of bytes.
func formatSize(n int64) string {
	for _, unit := range []struct {
		name string
		size int64
	}{{"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}} {
		if n >= unit.size && n%unit.size == 0 {
			return fmt.Sprintf("%d %s", n/unit.size, unit.name)
		}
	}
	return fmt.Sprintf("%d bytes", n)
}

// maxShown is the largest number of characters of a user's text that [Shown] returns.
const maxShown = 200

// Shown returns a text of the user's, such as the name of a file, for a message: as it is,
// or in quotes with escapes where it has characters that cannot be printed, and cut
// where it is long.
func Shown(text string) string {
	cut := Clip(text, maxShown)
	for i, r := range cut {
		if !unicode.IsPrint(r) || r == utf8.RuneError && !strings.HasPrefix(cut[i:], "\ufffd") {
			return strconv.Quote(cut)
		}
	}
	return cut
}

// Quoted returns a word of a file, cut to 40 characters, in quotes if a shell needs them.
func Quoted(word string) string {
	word = Clip(word, 40)
	special := func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }
	if strings.ContainsFunc(word, special) {
		return "'" + word + "'"
	}
	return word
}

// Clip cuts a text to n characters, the last of them then an ellipsis.
func Clip(text string, n int) string {
	if len(text) <= n {
		return text
	}
	count := 0
	for i := range text {
		if count++; count == n {
			if _, size := utf8.DecodeRuneInString(text[i:]); i+size < len(text) {
				return text[:i] + "…"
			}
		}
	}
	return text
}

// MaxReason is how many bytes of an error of other code are kept, such as that of a learner.
const MaxReason = 4096

// Cut cuts a text of more than [MaxReason] bytes to its beginning and its end, half of them
// each, and says between them what is left out.
func Cut(text string) string {
	if len(text) <= MaxReason {
		return text
	}
	headEnd, tailStart := MaxReason/2, len(text)-MaxReason/2
	for !utf8.RuneStart(text[headEnd]) && headEnd > MaxReason/2-utf8.UTFMax {
		headEnd--
	}
	for !utf8.RuneStart(text[tailStart]) && tailStart < len(text)-MaxReason/2+utf8.UTFMax {
		tailStart++
	}
	return fmt.Sprintf("%s … (%d bytes left out) … %s", text[:headEnd], tailStart-headEnd,
		text[tailStart:])
}

// Message returns a message for a terminal: characters that cannot be printed are escaped, except
// for line breaks and tabs, and long lines are cut.
func Message(text string) string {
	const width = 3 * maxShown
	var out strings.Builder
	for k, line := range strings.Split(text, "\n") {
		if k > 0 {
			out.WriteByte('\n')
		}
		written := 0
		for i, r := range Clip(line, width) {
			shown := string(r)
			switch {
			case r == utf8.RuneError && !strings.HasPrefix(line[i:], "\ufffd"):
				shown = fmt.Sprintf(`\x%02x`, line[i])
			case r != '\t' && !unicode.IsPrint(r):
				shown = strconv.QuoteRune(r)
				shown = shown[1 : len(shown)-1]
			}
			if written += utf8.RuneCountInString(shown); written > width {
				out.WriteRune('…')
				break
			}
			out.WriteString(shown)
		}
	}
	return out.String()
}

// MaxNames is the largest number of names that [Few] lists.
const MaxNames = 5

// Few lists names for a sentence, and of more than [MaxNames] so many: "a, b and c", or "a, b, c,
// d, e and 3 more".
func Few(names []string, separator string) string {
	last := len(names) - 1
	switch {
	case last < 1:
		return strings.Join(names, "")
	case last < MaxNames:
		return strings.Join(names[:last], separator) + " and " + names[last]
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:MaxNames], separator),
		len(names)-MaxNames)
}

// Capital begins a text, which begins with an ASCII letter, with a capital.
func Capital(text string) string { return strings.ToUpper(text[:1]) + text[1:] }

// Plural returns a number with a noun, such as "2 cells".
func Plural(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return fmt.Sprintf("%d %s", n, noun)
}
