package recorded

import (
	"cmp"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"ocobench/internal/input"
)

// This file recognises dates and times: texts by the forms that they may have, and numbers by their
// range and by their distances. A form is a layout of package time, such as 2006-1-2, or one of
// numberForm and periodForm. A text may have several, as 2/3/2020 has: day or month first.

// dateLayouts lists the forms of dates.
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
