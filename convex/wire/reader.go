package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"ocobench/convex"
	"ocobench/internal/input"
)

// Reader parses JSON, one text at a time. The first fault stops it: after that every
// method does nothing.
type Reader struct {
	Text []byte
	At   int   // the offset of what comes next, in bytes
	Err  error // the first fault
	// Place stands before the column of a fault, such as "file:7:".
	Place string
	// Open allows objects to have other members, which are skipped.
	Open bool
	// Packed allows vectors to be packed, see [Writer.Numbers].
	Packed bool

	functionReader
}

// Reset begins another text.
func (r *Reader) Reset(text []byte) { r.Text, r.At, r.Err = text, 0, nil }

// The limits of what is read.
const (
	MaxDim       = 10_000 // dimensions of a domain
	MaxQuadratic = 1000   // dimensions of a quadratic function
)

// Former says what to do with functions in the former notation.
const Former = "the notation of functions has changed since this was written; make the file " +
	"again with this version of bench, by bench import or bench play"

// formerKeys are members that only the former notation has.
var formerKeys = []string{"rounds", "vectors", "functions", "squares", "squareddistance"}

// Members of the objects of the notation, in the order in which they are written.
var (
	domainKeys  = []string{"box", "ball", "simplex"}
	boxKeys     = []string{"lower", "upper"}
	ballKeys    = []string{"center", "radius"}
	simplexKeys = []string{"dim", "scale"}
)

// Set reads a domain as [Writer.Set] writes it, of at most [MaxDim] dimensions. It is
// nil after a fault.
func (r *Reader) Set() convex.Set {
	const expected = `{"box":{"lower":[…],"upper":[…]}}, ` +
		`{"ball":{"center":[…],"radius":r}} or {"simplex":{"dim":n,"scale":s}}`
	at, count := r.At, 0
	var set convex.Set
	var err error
	r.Object("domain", domainKeys, func(key string) {
		count++
		switch key {
		case "box":
			var lower, upper []float64
			given := r.Object("box", boxKeys, func(key string) {
				if v := r.Numbers(key, nil, AnyLength); key == "lower" {
					lower = v
				} else {
					upper = v
				}
			})
			r.Require("box", given, boxKeys, boxKeys...)
			set, err = orNil(convex.NewBox(lower, upper))
		case "ball":
			var center []float64
			var radius float64
			given := r.Object("ball", ballKeys, func(key string) {
				if key == "center" {
					center = r.Numbers(key, nil, AnyLength)
				} else {
					radius = r.Number(key)
				}
			})
			r.Require("ball", given, ballKeys, ballKeys...)
			set, err = orNil(convex.NewBall(center, radius))
		case "simplex":
			var dim int
			var scale float64
			given := r.Object("simplex", simplexKeys, func(key string) {
				if key == "dim" {
					dim = r.Integer(key, 1, MaxDim, "")
				} else {
					scale = r.Number(key)
				}
			})
			r.Require("simplex", given, simplexKeys, simplexKeys...)
			set, err = orNil(convex.NewSimplex(dim, scale))
		}
	})
	switch {
	case r.Err != nil:
	case count != 1:
		r.Fault(at, "domain has %d members, expected one of %s", count, expected)
	case err != nil:
		r.Fault(at, "domain: %v", err)
	case set.Dim() > MaxDim:
		r.Fault(at, "domain has %d dimensions, expected at most %d", set.Dim(), MaxDim)
	case math.IsInf(set.Diameter(), 1):
		r.Fault(at, "domain: its diameter is too large for a 64-bit number; scale the problem")
	}
	if r.Err != nil {
		return nil
	}
	return set
}

// orNil returns nil as a set, not a nil pointer, if the set came with an error.
func orNil[S convex.Set](s S, err error) (convex.Set, error) {
	if err != nil {
		return nil, err
	}
	return s, nil
}

// CheckConvex records a fault unless the matrix of a function is symmetric and positive
// semidefinite, as [convex.NewQuadratic] has it. A reader of texts that were read before
// ([Reader.Again]) does not check it.
func (r *Reader) CheckConvex(what string, f *Function) {
	if r.Err != nil || r.trusted || f.Quad == nil {
		return
	}
	if _, err := convex.NewQuadratic(f.Quad, make([]float64, f.n), 0); err != nil {
		r.Fault(f.matrixAt, "quad in the form of %s: %v; the function is const + lin·x + ½xᵀ quad x",
			strings.TrimPrefix(what, "the form of "), err)
	}
}

// Skip skips a value.
func (r *Reader) Skip(what string) {
	r.skipSpace()
	if r.Err != nil {
		return
	}
	var value json.RawMessage
	d := json.NewDecoder(bytes.NewReader(r.Text[r.At:]))
	if err := d.Decode(&value); err != nil {
		var syntax *json.SyntaxError
		if errors.As(err, &syntax) && syntax.Offset > 0 {
			r.At += int(syntax.Offset) - 1 // Offset is after the wrong byte
		}
		r.faultExpected(what, "a value of JSON")
		return
	}
	r.At += int(d.InputOffset())
}

// Fault records a fault at the offset at, unless there was one before.
func (r *Reader) Fault(at int, format string, args ...any) {
	if r.Err == nil {
		r.Err = fmt.Errorf("%s: %s", r.Here(at), input.Clip(fmt.Sprintf(format, args...), 500))
	}
}

// Here returns how faults name the place at an offset: Place, then the column in characters, from
// 1.
func (r *Reader) Here(at int) string {
	return fmt.Sprintf("%s%d", r.Place, 1+utf8.RuneCount(r.Text[:at]))
}

// skipSpace skips blanks.
func (r *Reader) skipSpace() {
	for r.At < len(r.Text) && (r.Text[r.At] == ' ' || r.Text[r.At] == '\t' || r.Text[r.At] == '\r') {
		r.At++
	}
}

// accept skips space and consumes c if it is next.
func (r *Reader) accept(c byte) bool {
	r.skipSpace()
	if r.Err == nil && r.At < len(r.Text) && r.Text[r.At] == c {
		r.At++
		return true
	}
	return false
}

// acceptWord consumes a word such as true if it is next.
func (r *Reader) acceptWord(word string) bool {
	r.skipSpace()
	if r.Err == nil && r.word() == word {
		r.At += len(word)
		return true
	}
	return false
}

// word returns what comes next that could be a number or a word such as true, or "".
func (r *Reader) word() string { return string(r.wordBytes()) }

// wordBytes returns the letters, digits, signs and points that come next, without a copy.
func (r *Reader) wordBytes() []byte {
	end := r.At
	for ; end < len(r.Text); end++ {
		if c := r.Text[end]; !('0' <= c && c <= '9' || 'a' <= c|32 && c|32 <= 'z' || c == '.' ||
			c == '-' || c == '+' || c == '_') {
			break
		}
	}
	return r.Text[r.At:end]
}

// describeNext describes what comes next, for people.
func (r *Reader) describeNext() string {
	r.skipSpace()
	if r.At >= len(r.Text) {
		return "the end of the line"
	}
	const shown = 20
	rest := []rune(string(r.Text[r.At:min(len(r.Text), r.At+8*shown)]))
	switch word := r.word(); {
	case r.Text[r.At] == '{':
		return "an object"
	case r.Text[r.At] == '[':
		return "a list"
	case r.Text[r.At] == '"':
		if s, ok := r.acceptString(); ok && utf8.RuneCountInString(s) <= shown {
			return "the text " + strconv.Quote(s)
		} else if ok {
			return "a text"
		}
		return "an unfinished text"
	case rest[0] == '\ufeff':
		return "a byte order mark, which JSON does not allow"
	case word == "" && rest[0] == utf8.RuneError:
		return "a byte that is not UTF-8; save the text as UTF-8"
	case word == "":
		return strconv.QuoteRune(rest[0])
	case len(word) > shown:
		return word[:shown] + "…"
	default:
		return word
	}
}

// faultExpected records a fault: what comes next is not what was expected. It adds a remedy.
func (r *Reader) faultExpected(what, expected string) {
	if r.Err != nil {
		return
	}
	r.skipSpace()
	at := r.At
	found := r.describeNext()
	r.At = at
	remedy := ""
	switch {
	case found == "null":
		remedy = "; leave out what is absent"
	case notFinite(found):
		remedy = "; every number must be finite: JSON has neither NaN nor Infinity"
	case found == "an unfinished text", at+len(r.word()) >= len(r.Text):
		remedy = "; the line is cut short: write it whole, on one line, or remove it"
	case strings.HasPrefix(found, "the text") && expected == "a number":
		remedy = "; numbers are finite and written without quotes"
	case expected == "a number" && strings.Trim(found, numeric) == "":
		remedy = " as JSON writes it: no leading zero or plus sign, digits on both sides of the point"
	}
	r.Fault(at, "%s: found %s, expected %s%s", what, found, expected, remedy)
}

// notFinite reports whether a word stands for NaN or an infinity, which JSON has no number for.
func notFinite(word string) bool {
	w := strings.ToLower(strings.TrimLeft(word, "+-"))
	return w == "nan" || w == "inf" || w == "infinity"
}

// acceptString consumes a string if a well-formed one is next.
func (r *Reader) acceptString() (string, bool) {
	start := r.At
	if !r.accept('"') {
		return "", false
	}
	for r.At < len(r.Text) && r.Text[r.At] != '"' {
		if r.Text[r.At] == '\\' {
			r.At++
		}
		r.At++
	}
	if r.At >= len(r.Text) {
		r.At = start
		return "", false
	}
	r.At++
	if inner := r.Text[start+1 : r.At-1]; r.Text[start] == '"' &&
		!slices.ContainsFunc(inner, func(c byte) bool { return c < ' ' || c > '~' || c == '\\' }) {
		return string(inner), true
	}
	var s string
	if json.Unmarshal(bytes.TrimLeft(r.Text[start:r.At], " \t\r"), &s) != nil {
		r.At = start
		return "", false
	}
	return s, true
}

// Object reads an object whose keys are among these, each at most once, and calls member to read
// the value of a key. Bit k of given is set if keys[k] was there.
func (r *Reader) Object(what string, keys []string, member func(key string)) (given uint) {
	if !r.accept('{') {
		r.faultExpected(what, "an object {"+strconv.Quote(keys[0])+":…}")
		return 0
	}
	r.readElements(what, "} of the object", func(int) {
		at := r.At
		key, ok := r.acceptString()
		k := slices.Index(keys, key)
		switch {
		case !ok:
			r.faultExpected(what, "a key in quotes")
		case k < 0 && r.Open:
			if r.accept(':') {
				r.Skip(key)
			}
		case k < 0 && slices.Contains(formerKeys, key):
			r.Fault(at, "%s: %s", what, Former)
		case k < 0:
			r.Fault(at, "%s: unknown key %q (keys: %s)", what, input.Clip(key, 40), strings.Join(keys, ", "))
		case given>>k&1 == 1:
			r.Fault(at, "%s: the key %q comes twice; keep one", what, key)
		case !r.accept(':'):
			r.faultExpected(what, "a colon after the key")
		default:
			r.skipSpace()
			given |= 1 << k
			member(key)
		}
	})
	return given
}

// Ordered reads an object like [Reader.Object], of which the keys in required must be there. The
// members in last are read after the others, in this order, wherever they stand, since their values
// depend on others.
func (r *Reader) Ordered(what string, keys, required, last []string, member func(key string)) {
	places := make(map[string]int)
	given := r.Object(what, keys, func(key string) {
		if slices.Contains(last, key) {
			places[key] = r.At
			r.Skip(key)
			return
		}
		member(key)
	})
	r.Require(what, given, keys, required...)
	end := r.At
	for _, key := range last {
		if at, ok := places[key]; ok && r.Err == nil {
			r.At = at
			member(key)
		}
	}
	if r.Err == nil {
		r.At = end
	}
}

// readElements reads elements that are separated by commas, up to a closing bracket. The end is
// that bracket with words for a message, such as "] of the list".
func (r *Reader) readElements(what, end string, element func(i int)) {
	for i := 0; r.Err == nil && !r.accept(end[0]); i++ {
		if i > 0 && !r.accept(',') {
			r.faultExpected(what, "a comma or the end "+end)
			return
		}
		r.skipSpace()
		element(i)
	}
}

// Require records the first of these keys that an object does not have.
func (r *Reader) Require(what string, given uint, keys []string, required ...string) {
	for _, key := range required {
		if given>>slices.Index(keys, key)&1 == 0 {
			r.Fault(r.At, "%s: the key %q is missing (needed: %s)", what, key, strings.Join(required, ", "))
		}
	}
}

// Array reads a list, of which element reads one value.
func (r *Reader) Array(what string, element func(i int)) {
	if !r.accept('[') {
		r.faultExpected(what, "a list […]")
		return
	}
	r.readElements(what, "] of the list", element)
}

// AnyLength stands for the length of a list that may have any number of elements.
const AnyLength = -1

// Numbers appends a list of n numbers to dst, where n may be [AnyLength].
func (r *Reader) Numbers(what string, dst []float64, n int) []float64 {
	r.skipSpace()
	at := r.At
	r.Array(what, func(int) { dst = append(dst, r.Number(what)) })
	if r.Err == nil && n != AnyLength && len(dst) != n {
		r.Fault(at, "%s has length %d, expected %d, the dimension of the domain", what, len(dst), n)
	}
	return dst
}

// readMatrix appends a list of n lists of n numbers to dst.
func (r *Reader) readMatrix(what string, dst []float64, n int) []float64 {
	r.skipSpace()
	at := r.At
	r.Array(what, func(i int) {
		if i < n {
			rowAt := r.At
			r.Array(what, func(int) { dst = append(dst, r.Number(what)) })
			if len(dst) == (i+1)*n {
				return
			}
			r.Fault(rowAt, "%s: row %d has length %d, expected %d, the dimension of the domain", what, i+1,
				len(dst)-i*n, n)
		}
		r.Fault(at, "%s has more than %d rows, the dimension of the domain", what, n)
	})
	if r.Err == nil && len(dst) != n*n {
		r.Fault(at, "%s has %d rows, expected %d, the dimension of the domain", what, len(dst)/n, n)
	}
	return dst
}

// Number reads a number.
func (r *Reader) Number(what string) float64 {
	r.skipSpace()
	word := r.wordBytes()
	if r.Err != nil || !isNumber(word) {
		r.faultExpected(what, "a number")
		return 0
	}
	v, err := strconv.ParseFloat(string(word), 64) // does not allocate: the string does not escape
	if errors.Is(err, strconv.ErrRange) {
		r.Fault(r.At, "%s: %s is too large for a 64-bit number", what, input.Clip(string(word), 40))
		return 0
	}
	r.At += len(word)
	return v
}

// numeric has the characters of numbers.
const numeric = "+-.0123456789eE"

// isNumber reports whether a word is a number of JSON:
// -?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?
func isNumber(word []byte) bool {
	skipDigits := func() bool {
		n := 0
		for n < len(word) && '0' <= word[n] && word[n] <= '9' {
			n++
		}
		word = word[n:]
		return n > 0
	}
	skipEither := func(a, b byte) bool {
		ok := len(word) > 0 && (word[0] == a || word[0] == b)
		if ok {
			word = word[1:]
		}
		return ok
	}
	skipEither('-', '-')
	if !skipEither('0', '0') && !skipDigits() || skipEither('.', '.') && !skipDigits() {
		return false
	}
	if skipEither('e', 'E') {
		skipEither('+', '-')
		return skipDigits() && len(word) == 0
	}
	return len(word) == 0
}

// Bool reads true or false.
func (r *Reader) Bool(what string) bool {
	if r.acceptWord("true") {
		return true
	}
	if !r.acceptWord("false") {
		r.faultExpected(what, "true or false")
	}
	return false
}

// Integer reads an integer from least to most. The remedy is added to the fault.
func (r *Reader) Integer(what string, least, most int, remedy string) int {
	r.skipSpace()
	at := r.At
	v := r.Number(what)
	if r.Err == nil && (v != math.Trunc(v) || v < float64(least) || v > float64(most)) {
		r.Fault(at, "%s is %v, expected an integer from %d to %d%s", what, v, least, most, remedy)
	}
	return int(v)
}

// End records a fault if something follows the object of a line.
func (r *Reader) End() {
	if r.skipSpace(); r.Err == nil && r.At < len(r.Text) {
		r.Fault(r.At, "found %s after the end of the object; every line is one object", r.describeNext())
	}
}
