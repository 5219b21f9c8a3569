package recorded

import (
	"testing"
)

func TestDatesAreRecognised(t *testing.T) {
	for text, want := range map[string]bool{
		"1991-07-01": true, "01.07.1991": true, "1.7.91": true, "07/31/1991": true, "31/07/1991": true,
		"1991-07-01 09:30": true, "1991-07-01T09:30:00Z": true, "2020-01-02 15:04:05.123": true,
		"2020-01-02 00:00:00-05:00": true, "2-Jan-1991": true, "Jan 2, 1991": true, "Aug 1 2004": true, "1991-07": true,
		"09:30": true, " 1991-07-01 ": true, "Jan 1991": true, "2020Q1": true, "Q4 2020": true, "2020-W05": true,
		"18.00.00": true,
		"1991.5":   false, "1991": false, "0.01": false, "mon": false, "d-001": false, "": false,
		"1991-13-01": false, "1,5": false, "NaN": false, "1.628,75": false, "1%": false,
	} {
		if got := isDate(text); got != want {
			t.Errorf("%q is a date: %v, want %v", text, got, want)
		}
	}
}

// Numbers that may all be dates, and numbers of other kinds next to them.
func TestNumbersThatAreDatesAreRecognised(t *testing.T) {
	count := func(n int, first, step float64) (v []float64) {
		for i := range n {
			v = append(v, first+step*float64(i))
		}
		return v
	}
	for name, c := range map[string]struct {
		v    []float64
		want string
	}{
		"days":                        {[]float64{19910630, 19910701}, "year, month and day"},
		"days that repeat":            {[]float64{19910701, 19910701}, "year, month and day"},
		"days without the 13th month": {[]float64{19910701, 19911301}, ""},
		"one day":                     {[]float64{19910701}, ""},
		"months":                      {[]float64{201911, 201912, 202001}, "year and month"},
		"months and a 13th":           {[]float64{201911, 201912, 201913}, ""},
		"months a century apart":      {[]float64{190012, 200001}, ""},
		"years":                       {count(3, 2018, 1), "years"},
		"falling years":               {count(3, 2020, -1), "years"},
		"prices near 2000":            {[]float64{1985, 1990, 1995, 2003}, ""},
		"parts of years":              {count(40, 1991.5, 1.0/12), "years and their parts"},
		"prices within 1800 and 2200": {[]float64{1900.5, 1920, 1890, 1888, 1900, 1901, 1910, 1915, 1920, 1930}, ""},
		"days of spreadsheets":        {[]float64{43832, 43833, 43836}, "days since 1900"},
		"their hours":                 {count(5, 43832, 0.25), "days since 1900"},
		"prices above 20000":          {[]float64{38021.5, 38100.2, 38050.1}, ""},
		"seconds":                     {count(3, 1577923200, 60), "seconds since 1970, or parts of them"},
		"milliseconds":                {count(2, 1577923200000, 60000), "seconds since 1970, or parts of them"},
		"small numbers":               {count(3, 100, 1), ""},
	} {
		t.Run(name, func(t *testing.T) {
			if got := calendarOf(c.v); got != c.want {
				t.Errorf("%v has the form %q, want %q", c.v, got, c.want)
			}
		})
	}
}

// Names of columns of the time, and of features that have a word of it.
func TestNamesOfTheTimeAreRecognised(t *testing.T) {
	for name, want := range map[string]bool{
		"Date": true, "Datum": true, "Open time": true, "observation_date": true, "Date/Time": true,
		"YEAR": true, "unix": true,
		"time_in_hospital": false, "year_built": false, "T": false, "t": false, "month": false, "AA": false,
		"": false,
	} {
		if got := isTimeName(name); got != want {
			t.Errorf("%q is the time: %v, want %v", name, got, want)
		}
	}
}

// The time rises, or falls and is reversed; a single line does both.
func TestTimeRisesOrFallsAndIsReversed(t *testing.T) {
	for _, c := range []struct {
		name                  string
		reverse, rises, falls bool
		sound                 bool
	}{
		{"rises", false, true, false, true}, {"falls", false, false, true, false},
		{"rises, reversed", true, true, false, false}, {"falls, reversed", true, false, true, true},
		{"one line", false, true, true, true}, {"neither", false, false, false, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			if err := checkDirection(c.reverse, c.rises, c.falls); (err == nil) != c.sound {
				t.Errorf("the error is %v, want one: %v", err, !c.sound)
			}
		})
	}
}
