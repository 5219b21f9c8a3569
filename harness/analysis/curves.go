package analysis

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"ocobench/internal/input"
	"ocobench/stats"
)

// This file reads curves of other programs from CSV files, for bench fit. The header names the
// columns, and every line is a point. After the last line, all replicates of a curve must have the
// same t.

// NamedCurve holds a curve of a file and its name.
type NamedCurve struct {
	Name string
	stats.Curve
}

// ReadCurves reads the curves of a CSV file. The texts in the columns at the positions series
// together name a curve. If series is nil, the column called series names it. Without that column
// the file has one curve, with the given name. A column replicate is read where there is one. Any
// other column than these and t and value is an error, unless its position is in ignored. Curves
// and replicates are in the order of the file, points in the order of t.
func ReadCurves(s *input.Sheet, name string, series, ignored []int) ([]NamedCurve, error) {
	columns, err := columnsOf(s, series, ignored)
	if err != nil {
		return nil, err
	}
	r := curveReader{
		sheet: s, columns: columns, defaultName: name,
		byName: make(map[string]*curvePoints), replicates: make(map[[2]string]*replicatePoints),
	}
	for err == nil {
		err = r.readLine()
	}
	if err != io.EOF {
		return nil, err
	}
	if err := r.checkMissingCodes(); err != nil {
		return nil, err
	}
	var curves []NamedCurve
	for _, c := range r.curves {
		if err := c.sortAndCheck(); err != nil {
			return nil, fmt.Errorf("%s:%w", s.Name, err)
		}
		curves = append(curves, NamedCurve{c.name, c.curve()})
	}
	return curves, nil
}

// curveReader accumulates the curves of a file.
type curveReader struct {
	sheet       *input.Sheet
	columns     curveColumns
	defaultName string // of a curve that the file does not name
	curves      []*curvePoints
	byName      map[string]*curvePoints
	replicates  map[[2]string]*replicatePoints // by the name of the curve and its own
}

// readLine reads the next line. It returns io.EOF after the last.
func (r *curveReader) readLine() error {
	s, columns := r.sheet, r.columns
	cells, err := s.Next()
	if err != nil {
		return err
	}
	if lacks, err := s.Lacks(cells, columns.t, columns.value); lacks || err != nil {
		return err // nil skips a line that lacks a number, where the user allows that
	}
	names, err := s.Texts(cells, columns.series)
	if err != nil {
		return err
	}
	key := strings.Join(names, "\x00")
	curve := r.byName[key]
	if curve == nil {
		curve = &curvePoints{name: strings.Join(names, ", ")}
		if len(names) == 0 {
			curve.name = r.defaultName
		}
		r.byName[key], r.curves = curve, append(r.curves, curve)
	}
	replicateName := "1"
	if columns.replicate >= 0 {
		if names, err = s.Texts(cells, []int{columns.replicate}); err != nil {
			return err
		}
		replicateName = names[0]
	}
	points := r.replicates[[2]string{key, replicateName}]
	if points == nil {
		if len(r.replicates) == maxReplicates {
			return s.Errorf(0, "there are more than %d replicates, of all series together", maxReplicates)
		}
		points = &replicatePoints{name: replicateName}
		r.replicates[[2]string{key, replicateName}] = points
		curve.replicates = append(curve.replicates, points)
	}
	var point filePoint
	if point.t, err = s.Number(cells, columns.t, ""); err != nil {
		return err
	}
	if point.value, err = s.Number(cells, columns.value, ""); err != nil {
		return err
	}
	_, point.valueColumn = s.Place(columns.value.At)
	point.line, point.column = s.Place(columns.t.At)
	points.points = append(points.points, point)
	return nil
}

// checkMissingCodes returns an error if a negative value, such as −999, looks like a code for
// missing ones. Large positive values are no codes, since curves may grow.
func (r *curveReader) checkMissingCodes() error {
	var values []float64
	var places []filePoint
	for _, c := range r.curves {
		for _, replicate := range c.replicates {
			for _, p := range replicate.points {
				values, places = append(values, p.value), append(places, p)
			}
		}
	}
	if values == nil {
		return fmt.Errorf("%s: all lines lack a number, and none is left", r.sheet.Name)
	}
	code, text, ok := r.sheet.Code(values)
	if !ok || code >= 0 {
		return nil
	}
	p := places[slices.Index(values, code)]
	return fmt.Errorf("%s:%d:%d: value: %s", r.sheet.Name, p.line, p.valueColumn,
		input.CodeRemedy(text))
}

// maxReplicates limits the replicates of a file.
const maxReplicates = 100_000

// curvePoints holds the points of one curve of the file.
type curvePoints struct {
	name       string
	replicates []*replicatePoints
}

// replicatePoints holds the points of one replicate of a curve.
type replicatePoints struct {
	name   string
	points []filePoint
}

// filePoint holds a line of the file.
type filePoint struct {
	t, value     float64
	line, column int // of t
	valueColumn  int
}

// curve returns the points as a curve, once sortAndCheck has found that all replicates have the
// same t in the same order.
func (c *curvePoints) curve() (out stats.Curve) {
	for _, p := range c.replicates[0].points {
		out.T = append(out.T, p.t)
	}
	for _, r := range c.replicates {
		var y []float64
		for _, p := range r.points {
			y = append(y, p.value)
		}
		out.Y = append(out.Y, y)
	}
	return out
}

// curveColumns holds the positions of the columns that are read. The position of an absent column
// is -1.
type curveColumns struct {
	series    []int
	replicate int
	t, value  input.Column
}

// columnsOf returns the columns of a file of curves. Columns in series and ignored are given by
// position; the others are found by their names, and it is an error if one is left over.
func columnsOf(s *input.Sheet, series, ignored []int) (columns curveColumns, err error) {
	positionOf := func(name string) int {
		if position, ok := s.At(name); ok && !slices.Contains(ignored, position) {
			return position
		}
		return -1
	}
	columns.series = series
	if position := positionOf("series"); series == nil && position >= 0 {
		columns.series = []int{position}
	}
	columns.replicate = positionOf("replicate")
	columns.t = input.Column{
		At: positionOf("t"), Expected: "a number > 0", Valid: func(v float64) bool { return v > 0 },
	}
	columns.value = input.Column{
		At: positionOf("value"), Expected: "a number within ±1e300",
		Valid: func(v float64) bool { return math.Abs(v) <= 1e300 },
	}
	for _, required := range []struct {
		name   string
		column input.Column
	}{{"t", columns.t}, {"value", columns.value}} {
		if required.column.At < 0 {
			return columns, s.Errorf(0, "there is no column %q (expected t and value, and series and "+
				"replicate if there are several)", required.name)
		}
	}
	known := slices.Concat(ignored, columns.series,
		[]int{columns.replicate, columns.t.At, columns.value.At})
	if unknown := s.Rest(known...); len(unknown) > 0 {
		return columns, s.Errorf(unknown[0], "the column %q is unknown (expected series, replicate, t "+
			"and value); name it in --series or in --ignore", s.Names[unknown[0]])
	}
	return columns, nil
}

// sortAndCheck sorts the points by t, and returns an error unless every replicate has each t once,
// and all have the same, two at least.
func (c *curvePoints) sortAndCheck() error {
	refuse := func(p filePoint, format string, args ...any) error {
		return fmt.Errorf("%d:%d: series %s: %w", p.line, p.column, c.name, fmt.Errorf(format, args...))
	}
	first := c.replicates[0]
	for _, r := range c.replicates {
		slices.SortStableFunc(r.points, func(a, b filePoint) int { return cmp.Compare(a.t, b.t) })
		for i, p := range r.points {
			if i > 0 && p.t == r.points[i-1].t {
				return refuse(p, "replicate %s has t = %v on line %d already (expected each t once)",
					r.name, p.t, r.points[i-1].line)
			}
		}
		// Where the sorted t first differ, the replicate with the smaller t has one that the other lacks.
		for i := range max(len(r.points), len(first.points)) {
			has, lacks := r, first
			switch {
			case i == len(r.points), i < len(first.points) && first.points[i].t < r.points[i].t:
				has, lacks = first, r
			case i < len(first.points) && first.points[i].t == r.points[i].t:
				continue
			}
			return refuse(has.points[i], "replicate %s has t = %v and replicate %s does not "+
				"(expected the same t in every replicate)", has.name, has.points[i].t, lacks.name)
		}
	}
	if len(first.points) < 2 {
		return refuse(first.points[0], "there is only one t (expected at least 2, and 3 for an exponent)")
	}
	return nil
}
