package cli

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/alecthomas/kong"

	"ocobench/internal/input"
)

// sheetFlags holds the flags of verbs that read a CSV file.
type sheetFlags struct {
	Ignore    []string     `help:"Columns that are not read." placeholder:"NAMES"`
	Columns   columnRanges `help:"The columns that are read, by number." placeholder:"2-9,12" sep:"none"`
	Separator *separator   `help:"comma, semicolon, tab, space or a character; default: what fits the first lines." placeholder:"NAME|CHARACTER"`
	Decimal   decimal      `help:"The decimal mark; default: what the numbers show." placeholder:".|,"`
	// Missing is "error" by default: only the user knows whether a line without a number may be left
	// out.
	Missing     string       `help:"What becomes of a line that lacks a number; default ${default}." enum:"error,skip" default:"error" placeholder:"error|skip"`
	NA          []string     `name:"na" help:"More words for a missing number than those of pandas." placeholder:"WORDS"`
	MissingCode missingCodes `help:"Numbers for a missing number, such as -99.99, or none." placeholder:"NUMBERS|none" sep:"none"`
}

// openSheet opens the file. The noun says in messages what a line holds, such as "round".
func (f *sheetFlags) openSheet(file path, lineNoun string) (*input.Sheet, error) {
	format := input.Format{Missing: f.NA, Codes: f.MissingCode.numbers, KeepCodes: f.MissingCode.none,
		Skip: f.Missing == "skip", Columns: f.Columns, Decimal: rune(f.Decimal)}
	if f.Separator != nil {
		format.Separator = rune(*f.Separator)
	}
	return input.OpenSheet(string(file), lineNoun, format)
}

// separator is the character between the cells of a CSV file.
type separator rune

// Decode implements [kong.MapperValue].
func (s *separator) Decode(ctx *kong.DecodeContext) error {
	return readFlag(ctx, s, "comma, semicolon, tab, space or one character",
		func(text string) (separator, error) {
			mark, err := input.ParseSeparator(text)
			return separator(mark), err
		})
}

// decimal is the decimal mark of a CSV file, a point or a comma.
type decimal rune

// Decode implements [kong.MapperValue].
func (d *decimal) Decode(ctx *kong.DecodeContext) error {
	return readFlag(ctx, d, ". or ,", func(text string) (decimal, error) {
		if text != "." && text != "," {
			return 0, fmt.Errorf("%s is no decimal mark", strconv.Quote(text))
		}
		return decimal(text[0]), nil
	})
}

// missingCodes are numbers that stand for missing values, such as -99.99.
type missingCodes struct {
	numbers []float64
	none    bool
}

// Decode implements [kong.MapperValue].
func (c *missingCodes) Decode(ctx *kong.DecodeContext) error {
	const expected = "numbers with commas, or none"
	return readFlag(ctx, c, expected, func(text string) (out missingCodes, err error) {
		for word := range strings.SplitSeq(text, ",") {
			if word == "none" {
				out.none = true
				continue
			}
			v, err := input.ParseNumber(word)
			if err != nil {
				return out, err
			}
			out.numbers = append(out.numbers, v)
		}
		return out, nil
	})
}

// columnRanges are ranges of columns by number, such as 2-9,12.
type columnRanges []input.Span

// Decode implements [kong.MapperValue].
func (s *columnRanges) Decode(ctx *kong.DecodeContext) error {
	const expected = "numbers of columns, such as 2-9,12"
	return readFlag(ctx, s, expected, func(text string) (out columnRanges, err error) {
		for part := range strings.SplitSeq(text, ",") {
			from, to, isRange := strings.Cut(part, "-")
			if !isRange {
				to = from
			}
			first, err := strconv.Atoi(from)
			last, lastErr := strconv.Atoi(to)
			if err = errors.Join(err, lastErr); err != nil || first < 1 || last < first {
				return nil, fmt.Errorf("%s is no number or range of columns", strconv.Quote(part))
			}
			out = append(out, input.Span{First: first, Last: last})
		}
		return out, nil
	})
}

// readableColumns returns the names of the columns that the flags leave to be read.
func readableColumns(s *input.Sheet) (names []string) {
	for _, k := range s.Rest() {
		names = append(names, s.Names[k])
	}
	return slices.Clip(names)
}
