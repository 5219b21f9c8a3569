package recorded

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"ocobench/internal/input"
)

// This file checks the time of the lines, in two ways.
//
// Columns of the time, which the user named or which have dates or the name of a time, are a
// [timeline]. A text may be a date in several forms: the timeline keeps a [reading] for each choice
// of one form for each column, drops those that a line does not fit, and at the end wants one under
// which the time rises (or falls, with --reverse).
//
// Any other column of numbers may be the time, too. [Columns.checkTime] looks at each when all
// lines are read: it is left out if its name says what it is, and refused if it looks like the time
// under another name.

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

// parseCells reads the cells of a line. unread is the index of the first cell that does not have
// its form, or −1.
func (r *reading) parseCells(cells []string) (now []instant, unread int) {
	now = make([]instant, len(cells))
	for i, cell := range cells {
		ok := false
		if now[i], ok = parseTime(r.forms[i], cell); !ok {
			return nil, i
		}
	}
	return now, -1
}

// addTime adds the time of the next line. At the first line at which the time does not rise, fault
// says how it is related to the line before; else it is empty.
func (r *reading) addTime(now []instant) (fault string) {
	if r.last != nil {
		order := slices.CompareFunc(now, r.last, instant.compare)
		r.falls = r.falls && order < 0
		switch {
		case r.rises && order < 0:
			fault = "is before"
		case r.rises && order == 0:
			fault = "repeats"
		}
		r.rises = r.rises && order > 0
	}
	r.last = now
	return fault
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
	unread := 0 // by the last reading that the line does not fit
	var fitting []reading
	for _, r := range l.readings {
		now, bad := r.parseCells(cells)
		if bad >= 0 {
			unread = bad
			continue
		}
		if fault := r.addTime(now); fault != "" {
			r.fault = fmt.Sprintf("%s:%d:%d: %s: %s %s %s on line %d", s.Name, line, column,
				strings.Join(l.names, ", "), input.Shown(text), fault, input.Shown(l.last), l.line)
		}
		fitting = append(fitting, r)
	}
	if fitting == nil {
		return l.noTime(s, l.at[unread], cells[unread])
	}
	if l.readings = fitting; l.first == "" {
		l.first = text
	}
	l.last, l.line = text, line
	return nil
}

// noTime returns the error of a cell of column k that is no time.
func (l *timeline) noTime(s *input.Sheet, k int, cell string) error {
	example := ""
	if l.last != "" {
		example = fmt.Sprintf(" in the form of those above, such as %s on line %d", input.Shown(l.last),
			l.line)
	}
	return s.Errorf(k, "%s: %s is no date or time%s (expected a line that is a round; remove "+
		"it, or leave it out with --na %s --missing skip; --ignore %s leaves out the column)",
		s.Names[k], input.Shown(cell), example, input.Quoted(cell), input.Quoted(s.Names[k]))
}

// checkOrder returns an error unless the time rises, or falls and is to be reversed.
func (l *timeline) checkOrder(s *input.Sheet, reverse bool, note func(string, ...any)) error {
	names := strings.Join(l.names, ", ")
	rises, falls, fault := false, false, ""
	for _, r := range l.readings {
		rises, falls, fault = rises || r.rises, falls || r.falls, cmp.Or(fault, r.fault)
	}
	err := checkDirection(reverse, rises, falls)
	switch {
	case err != nil && fault != "":
		return fmt.Errorf("%s; %w", fault, err)
	case err != nil:
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

// trend says how the numbers of a column change from line to line.
type trend struct {
	rises, falls bool   // from each line to the next
	counts       bool   // rises by 1 from each line to the next, or falls by 1
	dateForm     string // the form of dates that the numbers may be ([calendarOf]), or empty
}

// trendOf returns the trend of numbers.
func trendOf(v []float64) trend {
	rises, falls, steps := true, true, true
	for t := 1; t < len(v); t++ {
		rises, falls = rises && v[t] > v[t-1], falls && v[t] < v[t-1]
		steps = steps && math.Abs(v[t]-v[t-1]) == 1
	}
	return trend{rises, falls, steps && (rises || falls), calendarOf(v)}
}

// checkTime leaves out a column of numbers if it is the time, and returns an error if it may be.
func (c Columns) checkTime(s *input.Sheet, out *sheetNumbers, i int) error {
	name, v, place := out.names[i], out.column(i), out.extremes[i].first
	unnamed := name == input.NoName
	if c.NoTime || c.Time != nil {
		if unnamed {
			out.addNote("%s is left out: the first column has no name", name)
			out.dropColumn(i)
		}
		return nil
	}
	trend, isPart := trendOf(v), consistsOf(name, partWords) // isPart: of a date, such as month
	if trend.dateForm == "" && (isPart || unnamed) && !trend.rises && len(v) > 3 {
		// A second table may follow, as when two files were joined.
		trend.dateForm = calendarOf(v[:len(v)/2])
	}
	isIndex := unnamed || consistsOf(name, indexWords) && trend.counts
	isTime := isPart && (trend.rises || trend.falls || trend.dateForm != "")
	refuse := func(format string, args ...any) error {
		numbers := fmt.Sprintf("%s, %s, …", plainDecimal(v[0]), plainDecimal(v[min(1, len(v)-1)]))
		return fmt.Errorf("%s:%d:%d: %s: %s"+format,
			append([]any{s.Name, place.line, place.column, name, numbers}, args...)...)
	}
	if !isIndex && !isTime {
		if why := trend.suspicionOfTime(isPart && !c.features, len(v)); why != "" {
			return refuse(" %s (--time %s says that it is the time, --ignore %s leaves it out, and --time "+
				"none says that it is a number like the others)", why, input.Quoted(name), input.Quoted(name))
		}
		return nil
	}
	// An index that rises may be reversed, so only dates and an index that falls say the direction,
	// where no column of the time does.
	if out.time == nil && (trend.dateForm != "" || isPart || isIndex && trend.falls) {
		if err := checkDirection(c.Reverse, trend.rises, trend.falls); err != nil {
			return refuse(": %w", err)
		}
	}
	why := "the time or the number of the line"
	if unnamed {
		why = "the first column has no name"
	}
	out.addNote("%s is left out: %s, from %s to %s", name, why, plainDecimal(v[0]),
		plainDecimal(v[len(v)-1]))
	out.dropColumn(i)
	return nil
}

// suspicionOfTime says why a column of so many numbers may be the time, or is empty. mayBePart says
// that its name is that of a part of a date, such as the day of the month, and that it is no
// feature.
func (t trend) suspicionOfTime(mayBePart bool, lines int) string {
	switch {
	case mayBePart: // it begins again
		return "may be the time, which does not rise"
	case t.dateForm != "" && (t.rises || t.falls): // under any name
		return "may be dates as numbers, " + t.dateForm
	case t.counts && lines >= 10:
		return "count the lines"
	}
	return ""
}
