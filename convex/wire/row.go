package wire

import (
	"strconv"

	"ocobench/internal/input"
)

// This file reads rows. A row is a list of numbers that stands for a whole round: the functions of
// the round are written once, with names where the numbers differ from round to round, and every
// list is read by them. Functions of a row are read as all others are, so that they have the same
// bits as those that are written out.

// Row says how the numbers of a list are called: a name is one number, or a vector of several.
type Row struct {
	names   []string
	lengths []int // 0 for a number
}

// Row reads the names of a row:
//
//	["name",["name",n],…]
//
// which are a number, a vector of n numbers, and so on.
func (r *Reader) Row() (row Row) {
	known := make(map[string]bool)
	r.Array("row", func(int) {
		at, name, length := r.At, "", 0
		if r.next('[') {
			name = r.rowName("row")
			if r.Err == nil && !r.next(',') {
				r.expected("row", "a comma and the length of the vector "+strconv.Quote(name))
			}
			length = r.Integer("the length in row", 1, MaxDim, "")
			if r.Err == nil && !r.next(']') {
				r.expected("row", "the end ] of a name and its length")
			}
		} else {
			name = r.rowName("row")
		}
		if known[name] {
			r.Fault(at, "row: the name %q comes twice; keep one", input.Clip(name, 40))
		}
		known[name] = true
		row.names, row.lengths = append(row.names, name), append(row.lengths, length)
	})
	return row
}

func (r *Reader) rowName(what string) string {
	r.space()
	name, ok := r.string()
	if !ok {
		r.expected(what, "a name in quotes")
	}
	return name
}

// Name gives the numbers of a list their names, which functions then use up to
// [Reader.ForgetVectors]. It records a fault unless there are as many as the row has.
func (r *Reader) Name(row Row, numbers []float64) {
	count := 0
	for _, length := range row.lengths {
		count += max(length, 1)
	}
	if count != len(numbers) {
		r.Fault(0, `the list has length %d, expected %d, as "row" of the first line has it`, len(numbers),
			count)
		return
	}
	r.numbers = make(map[string]float64)
	if r.vectors == nil {
		r.vectors = make(map[string][]float64)
	}
	for k, name := range row.names {
		if length := row.lengths[k]; length > 0 {
			r.vectors[name], numbers = numbers[:length], numbers[length:]
		} else {
			r.numbers[name], numbers = numbers[0], numbers[1:]
		}
	}
}

// rowNumber reads a number of the row by its name, or {"of":"name","times":c,"plus":d}, which is
// c·name + d.
func (r *Reader) rowNumber(what string) float64 {
	at, times, plus := r.At, 1.0, 0.0
	name, ok := r.string()
	if !ok {
		given := r.Object(what, numberKeys, func(key string) {
			switch key {
			case "of":
				at, name = r.At, r.rowName("of in "+what)
			case "times":
				times = r.Number("times in " + what)
			case "plus":
				plus = r.Number("plus in " + what)
			}
		})
		r.Require(what, given, numberKeys, "of")
	}
	v, ok := r.numbers[name]
	if !ok {
		r.Fault(at, `%s: there is no number %q; "row" has to name it`, what, input.Clip(name, 40))
	}
	if v = float64(times*v) + plus; v-v != 0 {
		r.Fault(at, "%s is %v, expected a finite number", what, v)
	}
	if v == 0 { // −0 is 0
		return 0
	}
	return v
}
