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

// This file reads curves of other programs from CSV files, for bench fit: the header says
// which columns there are, every line is a point, and at the end each curve is checked to
// have the same t in all replicates.

// NamedCurve holds a curve of a file and its name.
type NamedCurve struct {
	Name string
	stats.Curve
}

// ReadCurves reads the curves of a CSV file. The columns series together name a curve. If
// series is nil, the column called series names it. Without that column the file has one
// curve, with the given name. A column replicate is read where there is one. Columns that
// are neither these nor t and value, and are not ignored, are an error. Curves and
// replicates are in the order of the file, points in the order of t; all replicates of a
// curve have the same t.
func ReadCurves(s *input.Sheet, name string, series, ignored []int) ([]NamedCurve, error) {
	k, err := columnsOf(s, series, ignored)
	if err != nil {
		return nil, err
	}
	r := curveReader{
		sheet: s, columns: k, defaultName: name,
		byName: make(map[string]*curvePoints), replicates: make(map[[2]string]*replicate),
	}
	for err == nil {
		err = r.readLine()
	}
	if err != io.EOF {
		return nil, err
	}
	if err := r.checkCodes(); err != nil {
		return nil, err
	}
	var curves []NamedCurve
	for _, one := range r.curves {
		if err := one.sortAndCheck(); err != nil {
			return nil, fmt.Errorf("%s:%w", s.Name, err)
		}
		curves = append(curves, NamedCurve{one.name, one.curve()})
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
	replicates  map[[2]string]*replicate // by the name of the curve and its own
}

// readLine reads the next line. It returns io.EOF after the last.
func (r *curveReader) readLine() error {
	s, k := r.sheet, r.columns
	cells, err := s.Next()
	if err != nil {
		return err
	}
	if skip, err := s.Lacks(cells, k.t, k.value); skip || err != nil {
		return err
	}
	names, err := s.Texts(cells, k.series)
	if err != nil {
		return err
	}
	key := strings.Join(names, "\x00")
	one := r.byName[key]
	if one == nil {
		one = &curvePoints{name: strings.Join(names, ", ")}
		if len(names) == 0 {
			one.name = r.defaultName
		}
		r.byName[key], r.curves = one, append(r.curves, one)
	}
	which := "1"
	if k.replicate >= 0 {
		if names, err = s.Texts(cells, []int{k.replicate}); err != nil {
			return err
		}
		which = names[0]
	}
	run := r.replicates[[2]string{key, which}]
	if run == nil {
		if len(r.replicates) == maxReplicates {
			return s.Errorf(0, "there are more than %d replicates, of all series together", maxReplicates)
		}
		run = &replicate{name: which}
		r.replicates[[2]string{key, which}], one.replicates = run, append(one.replicates, run)
	}
	var p filePoint
	if p.t, err = s.Number(cells, k.t, ""); err != nil {
		return err
	}
	if p.value, err = s.Number(cells, k.value, ""); err != nil {
		return err
	}
	_, p.valueColumn = s.Place(k.value.At)
	p.line, p.column = s.Place(k.t.At)
	run.points = append(run.points, p)
	return nil
}

// checkCodes returns an error if a negative value looks like a code for missing ones. Values of
// curves that grow may be large.
func (r *curveReader) checkCodes() error {
	var values []float64
	var places []filePoint
	for _, one := range r.curves {
		for _, run := range one.replicates {
			for _, p := range run.points {
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

// curvePoints holds the points of one curve of the file, by replicate.
type curvePoints struct {
	name       string
	replicates []*replicate
}

// replicate holds the points of one replicate of a curve.
type replicate struct {
	name   string
	points []filePoint
}

// filePoint holds a line of the file.
type filePoint struct {
	t, value     float64
	line, column int // of t
	valueColumn  int
}

// curve returns the points in order of t, the same for all replicates.
func (s *curvePoints) curve() (c stats.Curve) {
	for _, p := range s.replicates[0].points {
		c.T = append(c.T, p.t)
	}
	for _, r := range s.replicates {
		var y []float64
		for _, p := range r.points {
			y = append(y, p.value)
		}
		c.Y = append(c.Y, y)
	}
	return c
}

// curveColumns holds the positions of the columns that are read. The position of an absent column
// is -1.
type curveColumns struct {
	series    []int
	replicate int
	t, value  input.Column
}

// columnsOf finds the columns of a file of curves by their names, apart from those that are
// ignored.
func columnsOf(s *input.Sheet, series, ignored []int) (k curveColumns, err error) {
	at := func(name string) int {
		if k, ok := s.At(name); ok && !slices.Contains(ignored, k) {
			return k
		}
		return -1
	}
	k.series = series
	if own := at("series"); series == nil && own >= 0 {
		k.series = []int{own}
	}
	k.replicate = at("replicate")
	k.t = input.Column{
		At: at("t"), Expected: "a number > 0", Valid: func(v float64) bool { return v > 0 },
	}
	k.value = input.Column{
		At: at("value"), Expected: "a number within ±1e300",
		Valid: func(v float64) bool { return math.Abs(v) <= 1e300 },
	}
	for i, name := range []string{"t", "value"} {
		if []input.Column{k.t, k.value}[i].At < 0 {
			return k, s.Errorf(0, "there is no column %q (expected t and value, and series and replicate "+
				"if there are several)", name)
		}
	}
	known := slices.Concat(ignored, k.series, []int{k.replicate, k.t.At, k.value.At})
	for _, other := range s.Rest(known...) {
		return k, s.Errorf(other, "the column %q is unknown (expected series, replicate, t and value); "+
			"name it in --series or in --ignore", s.Names[other])
	}
	return k, nil
}

// sortAndCheck sorts the points, and returns an error unless all replicates have the same
// t.
func (s *curvePoints) sortAndCheck() error {
	refuse := func(p filePoint, format string, args ...any) error {
		return fmt.Errorf("%d:%d: series %s: %w", p.line, p.column, s.name, fmt.Errorf(format, args...))
	}
	first := s.replicates[0]
	for _, r := range s.replicates {
		slices.SortStableFunc(r.points, func(a, b filePoint) int { return cmp.Compare(a.t, b.t) })
		for i, p := range r.points {
			if i > 0 && p.t == r.points[i-1].t {
				return refuse(p, "replicate %s has t = %v on line %d already (expected each t once)",
					r.name, p.t, r.points[i-1].line)
			}
		}
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
