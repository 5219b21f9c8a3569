package spec

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
)

// Numbers are written in decimal digits. A number may have a point and an exponent.
// An integer may have an exponent but no point: 1e4 is an integer, and neither 1.5
// nor 10.0 is.
var (
	numberSyntax = regexp.MustCompile(
		`^[-+]?(\.[0-9]+|(0|[1-9][0-9]*)(\.[0-9]*)?)([eE][-+]?[0-9]+)?$`)
	integerSyntax = regexp.MustCompile(`^([-+]?(?:0|[1-9][0-9]*))(?:[eE]\+?([0-9]+))?$`)
	zeroMantissa  = regexp.MustCompile(`^[-+]?[0.]*([eE].*)?$`) // of numbers that are exactly 0
	boolSyntax    = regexp.MustCompile(`(?i)^(true|false)$`)
)

// These patterns recognise common mistakes in numbers.
var (
	leadingZero = regexp.MustCompile(`^[-+]?0[0-9]+([.eE]|$)`)
	otherBase   = regexp.MustCompile(`(?i)^[-+]?0(x[0-9a-f_.]+(p[-+]?[0-9]+)?|[ob][0-9_]+)$`)
	underscored = regexp.MustCompile(`^[-+]?[0-9][0-9_]*([.eE]|$)`)
	notFinite   = regexp.MustCompile(`(?i)^[-+]?\.?(nan|inf|infinity)$`)
)

// ParseInt reads an integer as in a SPEC: decimal digits, possibly with an exponent
// (10000 or 1e4).
func ParseInt(text string) (int, error) {
	digits, err := parseInteger(text)
	if err != nil {
		return 0, err
	}
	n, err := strconv.Atoi(digits)
	if err != nil {
		return 0, fmt.Errorf("%s is too large", shorten(text))
	}
	return n, nil
}

// ExpectedCount says in messages what a count is.
const ExpectedCount = "an integer ≥ 1"

// ParseCount reads an integer ≥ 1, as [ParseInt] does.
func ParseCount(text string) (int, error) {
	n, err := ParseInt(text)
	switch {
	case err != nil:
		return 0, fmt.Errorf("%w (expected %s)", err, ExpectedCount)
	case n < 1:
		return 0, fmt.Errorf("%s is out of range (expected %s)", text, ExpectedCount)
	}
	return n, nil
}

// ExpectedSeed says in messages what a seed is.
const ExpectedSeed = "an integer from 0 to 18446744073709551615"

// ParseSeed reads a seed.
func ParseSeed(text string) (uint64, error) {
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		return 0, fmt.Errorf("%s is not a seed (expected %s)", text, ExpectedSeed)
	}
	return n, nil
}

// parseInteger reads an integer of any size exactly. It returns the digits, after a minus if
// the integer is negative.
func parseInteger(text string) (digits string, err error) {
	m := integerSyntax.FindStringSubmatch(text)
	if m == nil {
		if numberSyntax.MatchString(text) {
			return "", fmt.Errorf("%s is not an integer", shorten(text))
		}
		return "", notNumber(text)
	}
	digits = strings.TrimPrefix(m[1], "+")
	if strings.TrimPrefix(digits, "-") == "0" {
		return "0", nil
	}
	if m[2] == "" {
		return digits, nil
	}
	exponent, err := strconv.Atoi(m[2])
	if err != nil || exponent > 40 { // no integer type holds as much, and the digits stay few
		return "", fmt.Errorf("%s is too large", shorten(text))
	}
	return digits + strings.Repeat("0", exponent), nil
}

// parseNumber reads a finite number.
func parseNumber(text string) (float64, error) {
	if !numberSyntax.MatchString(text) {
		return 0, notNumber(text)
	}
	f, err := strconv.ParseFloat(text, 64)
	switch {
	case err != nil || math.IsInf(f, 0):
		return 0, fmt.Errorf("%s is too large", shorten(text))
	case f == 0 && !zeroMantissa.MatchString(text):
		return 0, fmt.Errorf("%s is too small to tell from 0", shorten(text))
	case f == 0:
		return 0, nil // never -0
	}
	return f, nil
}

// numberFault says why text, which looks like a number, is not a valid one. It
// returns nil if text does not look like a number.
func numberFault(text string) error {
	switch {
	case notFinite.MatchString(text):
		return fmt.Errorf("%s is not a finite number", shorten(text))
	case otherBase.MatchString(text):
		return fmt.Errorf("%s is not written in decimal digits", shorten(text))
	case leadingZero.MatchString(text):
		return fmt.Errorf("%s has a leading zero, which some read as octal", shorten(text))
	case strings.Contains(text, "_") && underscored.MatchString(text):
		return fmt.Errorf("%s has an underscore", shorten(text))
	}
	return nil
}

// notNumber says why text is not a number.
func notNumber(text string) error {
	if err := numberFault(text); err != nil {
		return err
	}
	return fmt.Errorf("%q is not a number", shorten(text))
}
