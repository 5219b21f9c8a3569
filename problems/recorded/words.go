package recorded

import (
	"slices"
	"strings"
	"unicode"
)

// This file recognises names of columns that are the time or count the lines, and names of lines of
// totals, by the words that they consist of.

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
