package recorded

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"ocobench/internal/input"
)

// This file checks the time. A column of the time has dates or times as texts, or numbers and a
// name such as date. A form is a layout, such as 2006-1-2. A text may fit several; a column keeps
// those that all its lines fit, and its time must rise under one of them. Numbers of a column with
// another name are left out if the column has a name such as index and counts the lines. They are
// refused if they look like dates.

// dateLayouts lists the forms of dates. A date such as 2/3/2020 has two of them, day or month
// first.
var dateLayouts = []string{
	"2006-1-2", "2006/1/2", "2006.1.2", "2.1.2006", "2/1/2006", "1/2/2006", "2-1-2006", "2.1.06",
	"2/1/06", "1/2/06", "2-Jan-2006", "2 Jan 2006", "2-Jan-06", "Jan 2, 2006", "January 2, 2006",
	"Jan 2 2006", "January 2 2006", "2 January 2006", "2006-01", "2006/01", "01/2006", "Jan 2006",
	"Jan-06", "Jan-2006", "January 2006", "Mon Jan 2 2006", "Mon, 2 Jan 2006",
}

// clockLayouts lists the forms of times of the day, alone or after a date.
var clockLayouts = []string{
	"15:04", "15:04:05", "15.04.05", "15:04:05Z07:00", "15:04:05 -0700", "15:04:05-07", "15:04:05 MST",
	"3:04 PM", "3:04:05 PM",
}

// layouts lists all forms of texts of a time that are layouts of package time.
var layouts = slices.Concat(dateLayouts, clockLayouts, combinedForms())

// combinedForms returns the forms of a date followed by a time.
func combinedForms() (forms []string) {
	for _, date := range dateLayouts {
		for _, clock := range clockLayouts {
			forms = append(forms, date+" "+clock, date+"T"+clock)
		}
	}
	return forms
}

// periodPattern matches a period of a year, such as 2020Q1, Q1 2020 or 2020-W05.
var periodPattern = regexp.MustCompile(
	`(?i)^(?:(\d{4})[-/ ]?([HKQTW])(\d{1,2})|([HKQTW])(\d{1,2})[-/ ]?(\d{4}))$`)

// The forms of a time that are no layouts of package time.
const numberForm, periodForm = "number", "period"

// instant is a time in a form: a date, or a number.
type instant struct {
	date  time.Time // zero for a number
	value float64   // 0 for a date
}

// compare returns a negative number if s is before o, and a positive one if it is after o.
func (s instant) compare(o instant) int {
	return cmp.Or(s.date.Compare(o.date), cmp.Compare(s.value, o.value))
}

// parseTime reads a text as a time of this form; ok is false if it has another form.
func parseTime(form, text string) (s instant, ok bool) {
	var err error
	switch form {
	case numberForm:
		s.value, err = input.ParseNumber(strings.Replace(text, ",", ".", 1))
	case periodForm:
		m := periodPattern.FindStringSubmatch(text)
		if m == nil {
			return s, false
		}
		// The pattern has two alternatives; the groups of the one that does not match are empty.
		s.value, err = strconv.ParseFloat(m[1]+m[6], 64)
		part, _ := strconv.ParseFloat(m[3]+m[5], 64)
		s.value += part / 100
	default:
		s.date, err = time.Parse(form, text)
	}
	return s, err == nil
}

// formsOf returns the forms that a text may have.
func formsOf(text string) (forms []string) {
	if text = strings.TrimSpace(text); len(text) > 40 || text == "" {
		return nil
	}
	if isNumber(text) {
		return []string{numberForm}
	}
	for _, form := range append([]string{periodForm}, layouts...) {
		if _, ok := parseTime(form, text); ok {
			forms = append(forms, form)
		}
	}
	return forms
}

// isNumber reports whether a cell is a number, with a decimal point or comma.
func isNumber(text string) bool {
	_, err := input.ParseNumber(strings.Replace(strings.TrimSpace(text), ",", ".", 1))
	return err == nil
}

// isDate reports whether a cell is a date or a time, and no number.
func isDate(text string) bool { return !isNumber(text) && formsOf(text) != nil }

// isClock reports whether a cell is a time of the day, without a date.
func isClock(text string) bool {
	return slices.ContainsFunc(formsOf(text), func(form string) bool {
		return slices.Contains(clockLayouts, form)
	})
}

// isMonth reports whether a text is the name of a month.
func isMonth(text string) bool {
	_, short := parseTime("Jan", text)
	_, long := parseTime("January", text)
	return short || long
}

// wordsOf returns the words of a name, in small letters.
func wordsOf(name string) []string {
	return strings.FieldsFunc(strings.ToLower(name), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r)
	})
}

// The words that names of columns consist of: names of the time, words that may stand beside them,
// names of parts of the time, which may also be features, and names of counters of the lines.
var (
	timeWords = strings.Fields("date datum fecha datetime timestamp time zeit uhrzeit tijd heure " +
		"year jahr jaar ano année yyyymm yyyymmdd yearmonth epoch unix")
	besideWords = strings.Fields("observation trade trading utc gmt local open close calendar stamp " +
		"month day ms s of the in start end")
	partWords = strings.Fields("month monat mois mes day tag jour dia hour stunde heure week woche " +
		"weekday quarter quartal minute second dayofweek dayofyear hr mnth")
	indexWords = strings.Fields("t id no nr index idx obs row rownames round step period slot " +
		"sample 0 unnamed level line")
)

// isTimeName reports whether a column with this name is the time, whatever it holds.
func isTimeName(name string) bool {
	all := wordsOf(name)
	hasTimeWord := slices.ContainsFunc(all,
		func(w string) bool { return slices.Contains(timeWords, w) })
	return hasTimeWord && !slices.ContainsFunc(all, func(w string) bool {
		return !slices.Contains(timeWords, w) && !slices.Contains(besideWords, w)
	})
}

// consistsOf reports whether a name consists of these words. T is no index as t is: it may be a
// temperature, or the symbol of a share.
func consistsOf(name string, of []string) bool {
	all := wordsOf(name)
	return len(all) > 0 && name != "T" && !slices.ContainsFunc(all, func(w string) bool {
		return !slices.Contains(of, w)
	})
}

// The words that call a line a summary: words for totals and means; words for other statistics,
// which count in the first column only, since elsewhere they may be names; and words that may
// follow one of these.
var (
	totalWords = strings.Fields("total totals totale totaal subtotal grand sum sums summe gesamt " +
		"gesamtsumme somme soma suma mean means mittel mittelwert durchschnitt schnitt average averages " +
		"avg moyenne media média promedio gemiddelde")
	statisticWords = strings.Fields("median max maximum min minimum std stdev stddev count")
	followingWords = strings.Fields("of for the all period year month week day row column return " +
		"price")
)

// isSummary reports whether a cell of a column is the name of a line of totals or means.
func isSummary(text string, column int) bool {
	for i, word := range wordsOf(text) {
		switch {
		case slices.Contains(totalWords, word), column == 0 && slices.Contains(statisticWords, word):
		case i == 0, !slices.Contains(followingWords, word) && !isNumber(word):
			return false
		}
	}
	return len(wordsOf(text)) > 0
}

// timeline checks that the time rises from line to line, under every reading of its columns.
type timeline struct {
	at          []int // the columns of the time; a later one decides where earlier ones are equal
	names       []string
	readings    []reading // those under which every line so far is a time
	first, last string    // the time of the first and of the last line, as texts
	line        int       // the number of the last line
}

// reading is a choice of one form for each column of the time.
type reading struct {
	forms        []string
	last         []instant // of the last line
	rises, falls bool      // throughout, so far
	fault        string    // the message for the first line at which the time does not rise
}

// newTimeline returns the timeline of these columns, whose forms are those of the first line.
func newTimeline(s *input.Sheet, texts []string, at []int) *timeline {
	l := &timeline{at: at, readings: []reading{{rises: true, falls: true}}}
	for _, k := range at {
		l.names = append(l.names, s.Names[k])
		forms := formsOf(texts[k])
		if forms == nil {
			forms = []string{""} // addRow refuses the line, unless it is left out
		}
		var extended []reading
		for _, r := range l.readings {
			for _, form := range forms {
				extended = append(extended, reading{forms: append(slices.Clone(r.forms), form),
					rises: true, falls: true})
			}
		}
		l.readings = extended
	}
	return l
}

// addRow reads the time of a line under every reading, and drops those that it does not fit. It
// returns an error if none is left.
func (l *timeline) addRow(s *input.Sheet, texts []string) error {
	var cells []string
	for _, k := range l.at {
		cells = append(cells, strings.TrimSpace(texts[k]))
	}
	text := strings.Join(cells, " ")
	line, column := s.Place(l.at[0])
	wrong := l.at[0]
	var alive []reading
	for _, r := range l.readings {
		now := make([]instant, len(cells))
		ok := true
		for i := range cells {
			if now[i], ok = parseTime(r.forms[i], cells[i]); !ok {
				wrong = l.at[i]
				break
			}
		}
		if !ok {
			continue
		}
		if r.last != nil {
			order := slices.CompareFunc(now, r.last, instant.compare)
			r.falls = r.falls && order < 0
			if r.rises && order <= 0 {
				r.rises = false
				verb := "is before"
				if order == 0 {
					verb = "repeats"
				}
				r.fault = fmt.Sprintf("%s:%d:%d: %s: %s %s %s on line %d", s.Name, line, column,
					strings.Join(l.names, ", "), input.Shown(text), verb, input.Shown(l.last), l.line)
			}
		}
		r.last = now
		alive = append(alive, r)
	}
	if alive == nil {
		found, example := strings.TrimSpace(texts[wrong]), ""
		if l.last != "" {
			example = fmt.Sprintf(" in the form of those above, such as %s on line %d", input.Shown(l.last),
				l.line)
		}
		return s.Errorf(wrong, "%s: %s is no date or time%s (expected a line that is a round; remove "+
			"it, or leave it out with --na %s --missing skip; --ignore %s leaves out the column)",
			s.Names[wrong], input.Shown(found), example, input.Quoted(found), input.Quoted(s.Names[wrong]))
	}
	if l.readings = alive; l.first == "" {
		l.first = text
	}
	l.last, l.line = text, line
	return nil
}

// checkOrder returns an error unless the time rises, or falls and is to be reversed.
func (l *timeline) checkOrder(s *input.Sheet, reverse bool, note func(string, ...any)) error {
	names := strings.Join(l.names, ", ")
	anyReading := func(what func(r reading) bool) bool { return slices.ContainsFunc(l.readings, what) }
	rises := anyReading(func(r reading) bool { return r.rises })
	falls := anyReading(func(r reading) bool { return r.falls })
	if err := checkDirection(reverse, rises, falls); err != nil {
		for _, r := range l.readings {
			if r.fault != "" {
				return fmt.Errorf("%s; %w", r.fault, err)
			}
		}
		return fmt.Errorf("%s: %s: %w", s.Name, names, err)
	}
	note("%s: the time, from %s to %s", names, input.Shown(l.first), input.Shown(l.last))
	return nil
}

// checkDirection returns an error unless the time rises, or falls and is to be reversed.
func checkDirection(reverse, rises, falls bool) error {
	switch {
	case rises && falls, rises != reverse && (rises || falls): // a single line does both
		return nil
	case rises:
		return errors.New("--reverse: the time rises")
	case falls:
		return errors.New("the time falls throughout (expected that it rises; --reverse reverses the " +
			"lines, and with --time none they are rounds in their order)")
	}
	return errors.New("expected that the time rises; --time A,B names several columns that are the " +
		"time together, and with --time none the lines are rounds in their order")
}

// checkTime leaves out a column of numbers if it is the time, and returns an error if it may be.
func (c Columns) checkTime(s *input.Sheet, out *sheetNumbers, i int) error {
	name, v, place := out.names[i], out.column(i), out.extremes[i].first
	if c.NoTime || c.Time != nil {
		if name == input.NoName {
			out.addNote("%s is left out: the first column has no name", name)
			out.dropColumn(i)
		}
		return nil
	}
	stepsByOne, rises, falls := true, true, true
	for t := 1; t < len(v); t++ {
		stepsByOne = stepsByOne && math.Abs(v[t]-v[t-1]) == 1
		rises, falls = rises && v[t] > v[t-1], falls && v[t] < v[t-1]
	}
	stepsByOne = stepsByOne && (rises || falls)
	dateForm, namedAsPart := calendarOf(v), consistsOf(name, partWords)
	if dateForm == "" && (namedAsPart || name == input.NoName) && !rises && len(v) > 3 {
		dateForm = calendarOf(v[:len(v)/2]) // a second table may follow, as when two files were joined
	}
	isIndex := name == input.NoName || consistsOf(name, indexWords) && stepsByOne
	refuse := func(format string, args ...any) error {
		return fmt.Errorf("%s:%d:%d: %s: %w", s.Name, place.line, place.column, name,
			fmt.Errorf(format, args...))
	}
	numbers := fmt.Sprintf("%s, %s, …", plainDecimal(v[0]), plainDecimal(v[min(1, len(v)-1)]))
	flags := fmt.Sprintf("--time %s says that it is the time, --ignore %s leaves it out, and --time "+
		"none says that it is a number like the others", input.Quoted(name), input.Quoted(name))
	switch {
	// A number of the line, or a part of the date that rises or falls throughout, or is a date.
	case isIndex, namedAsPart && (rises || falls || dateForm != ""):
		// An index that rises may be reversed, so only dates and an index that falls say the direction,
		// where no column of the time does.
		if out.time == nil && (dateForm != "" || namedAsPart || isIndex && falls) {
			if err := checkDirection(c.Reverse, rises, falls); err != nil {
				return refuse("%s: %w", numbers, err)
			}
		}
		why := "the time or the number of the line"
		if name == input.NoName {
			why = "the first column has no name"
		}
		out.addNote("%s is left out: %s, from %s to %s", name, why, plainDecimal(v[0]),
			plainDecimal(v[len(v)-1]))
		out.dropColumn(i)
	// A part of the date that begins again, such as the day of the month: a feature, if anything.
	case namedAsPart && !c.features:
		return refuse("%s may be the time, which does not rise (%s)", numbers, flags)
	// Dates as numbers under any name.
	case dateForm != "" && (rises || falls):
		return refuse("%s may be dates as numbers, %s (%s)", numbers, dateForm, flags)
	// Numbers of the lines under any name.
	case stepsByOne && len(v) >= 10:
		return refuse("%s count the lines (%s)", numbers, flags)
	}
	return nil
}

// plainDecimal prints a number without an exponent.
func plainDecimal(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }

// calendarOf returns the form of numbers that may all be dates, and "" of others.
func calendarOf(v []float64) string {
	every := func(is func(x float64) bool) bool {
		return len(v) > 1 && !slices.ContainsFunc(v, func(x float64) bool { return !is(x) })
	}
	whole := every(func(x float64) bool { return x == math.Trunc(x) })
	within := func(low, high float64) bool {
		return every(func(x float64) bool { return low <= x && x <= high })
	}
	// steps reports whether all distances of neighbours are between these.
	steps := func(low, high float64) bool {
		for t := 1; t < len(v); t++ {
			if d := math.Abs(v[t] - v[t-1]); d < low || d > high {
				return false
			}
		}
		return true
	}
	isLayout := func(layout string) func(float64) bool {
		return func(x float64) bool {
			_, err := time.Parse(layout, plainDecimal(x))
			return err == nil
		}
	}
	long := len(v) > 2
	switch {
	case whole && within(18000101, 22001231) && every(isLayout("20060102")):
		return "year, month and day"
	case whole && within(180001, 220012) && every(isLayout("200601")) && steps(0, 100):
		return "year and month"
	case whole && long && within(1800, 2200) && steps(1, 1):
		return "years"
	case !whole && len(v) >= 10 && within(1800, 2200) && steps(0, 1.01):
		return "years and their parts"
	case long && within(20000, 60000) && steps(0, 31) && (whole || steps(0, 1.5)):
		return "days since 1900"
	case long && whole && within(3e8, 5e9), whole && within(3e11, 5e12), whole && within(3e14, 5e15),
		whole && within(3e17, 5e18):
		return "seconds since 1970, or parts of them"
	}
	return ""
}
