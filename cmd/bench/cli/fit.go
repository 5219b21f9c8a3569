package cli

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"ocobench/harness"
	"ocobench/harness/analysis"
	"ocobench/internal/input"
	"ocobench/report"
	"ocobench/stats"
)

type fitCmd struct {
	File       path     `arg:"" help:"The CSV file, with a header." placeholder:"FILE.csv"`
	Series     []string `help:"The columns that together name a series. Default: series." placeholder:"NAMES"`
	Ignore     []string `help:"Columns that are not read." placeholder:"NAMES"`
	Design     string   `help:"along-t: a replicate is one run, measured at several t. across-T: each point of a replicate is the end of a run with horizon t. Default ${default}." enum:"along-t,across-T" default:"along-t" placeholder:"along-t|across-T"`
	Window     positive `help:"The length of the window in decades of t. Default 2." placeholder:"DECADES"`
	From       positive `help:"The beginning of the window, instead of --window." placeholder:"T"`
	To         positive `help:"The end of the window. Default: the last t." placeholder:"T"`
	Confidence fraction `help:"The confidence of the intervals; default ${default}." default:"0.95" placeholder:"P"`
	JSON       bool     `help:"Print JSON."`
	Figure     picture  `help:"Draw the curves and the fits." placeholder:"FILE.pdf|.svg|.png"`
}

// Help implements the verb's help.
func (*fitCmd) Help() string {
	return `bench fit estimates the exponent p of mean ~ t^p for each series of a CSV file,
with an interval that resamples whole replicates:

    series,replicate,t,value
    regret,1,10,4.1
    regret,1,100,12.9
    regret,2,10,3.7

    bench fit curves.csv --figure curves.pdf
    bench fit results.csv --series experiment,algorithm,problem,horizon,metric

Columns and lines may be in any order. A file without the column series has one
series, named after the file. A file without the column replicate has one
replicate, and its exponents have no interval. All replicates of a series need
the same t.

An exponent is the slope of the line through log mean over log t, at the points in
the window. Its interval covers the slope that the true mean has in this window:
in 95 % of samples, nearly, where the replicates are independent and no few of them
carry the mean, and less often otherwise. That is the rate among samples whose mean
is positive throughout the window; the others have no exponent. The interval does
not cover the exponent in the limit of large t, nor that of a single replicate, and
the verdict names the shape in the window. docs/calibration.md has measured rates.

--json has the exponent, its drift (the exponent over the second half of the window
less that over the first) and the exponent of the increments of the mean (q of
a + b·t^q), each with its interval. A number that does not exist is null. An end of
an interval that the replicates do not bound is "Infinity" or "-Infinity".

` + sheetLimits + `
There are at most 100000 replicates, of all series together.`
}

// Run implements the verb.
func (c *fitCmd) Run(e *env) error {
	switch {
	case c.Window > 0 && c.From > 0:
		return errors.New("--window and --from both say where the window begins; give one of them")
	case c.To > 0 && c.From > c.To:
		return fmt.Errorf("--from: %v is after --to, which is %v", c.From, c.To)
	}
	g := stats.Growth{
		Design: stats.Design(c.Design), Window: stats.Window{From: float64(c.From), To: float64(c.To)},
		Decades: float64(c.Window), Confidence: float64(c.Confidence),
	}
	curves, err := c.read()
	if err != nil {
		return err
	}
	var fits []report.Fitted
	for _, s := range curves {
		f, err := analysis.SeriesOf(s.curve(), g)
		if err != nil {
			return fmt.Errorf("%s: %s: %w", input.Shown(string(c.File)), s.name, err)
		}
		fits = append(fits, report.Fitted{Name: s.name, Series: f})
	}
	if c.Figure.file != "" {
		if err := c.Figure.draw(report.FitsFigure(fits), ""); err != nil {
			return err
		}
	}
	if c.JSON {
		return json.NewEncoder(e.stdout).Encode(fitAnswers(fits))
	}
	for _, f := range fits {
		for _, w := range f.Fit.Warnings {
			fmt.Fprintf(e.stderr, "bench: warning: %s: %v\n", f.Name, w)
		}
	}
	return e.show(report.Fits(fmt.Sprintf("Growth exponents, %s", input.Shown(string(c.File))), fits, harness.Provenance()), 0)
}

type fitAnswer struct {
	Series     string            `json:"series"`
	Exponent   analysis.Number   `json:"exponent"`
	Lower      analysis.Number   `json:"lower"`
	Upper      analysis.Number   `json:"upper"`
	Drift      analysis.Estimate `json:"drift"`
	Increments analysis.Estimate `json:"increments"`
	Confidence float64           `json:"confidence"`
	Window     fitWindow         `json:"window"`
	Replicates int               `json:"replicates"`
	Verdict    stats.Verdict     `json:"verdict"`
	Warnings   []string          `json:"warnings"`
}

type fitWindow struct {
	From   float64 `json:"from"`
	To     float64 `json:"to"`
	Points int     `json:"points"`
}

func fitAnswers(fits []report.Fitted) []fitAnswer {
	var out []fitAnswer
	for _, s := range fits {
		f := s.Fit
		out = append(out, fitAnswer{
			s.Name, f.Exponent.Value, f.Exponent.Lower, f.Exponent.Upper, f.Drift, f.Increments, f.Confidence,
			fitWindow{f.From, f.To, f.Points}, f.Replicates, f.Shape, f.Warnings,
		})
	}
	return out
}

// maxReplicates is the largest number of replicates of a file.
const maxReplicates = 100_000

// series are the points of one series of the file, by replicate.
type series struct {
	name       string
	replicates []*replicate
}

type replicate struct {
	name   string
	points []point
}

// point is a line of the file.
type point struct {
	t, value     float64
	line, column int // of t
}

// curve returns the points in order of t, the same for all replicates.
func (s *series) curve() (c stats.Curve) {
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

// curveColumns are the positions of the columns that are read. The position of an
// absent column is -1.
type curveColumns struct {
	series    []int
	replicate int
	t, value  column
}

func (c *fitCmd) columns(s *sheet) (k curveColumns, err error) {
	ignored, err := s.find("--ignore", c.Ignore)
	if err != nil {
		return k, err
	}
	at := func(name string) int {
		if k := slices.Index(s.names, name); !slices.Contains(ignored, k) {
			return k
		}
		return -1
	}
	if k.series, err = s.find("--series", c.Series); err != nil {
		return k, err
	}
	if own := at("series"); c.Series == nil && own >= 0 {
		k.series = []int{own}
	}
	k.replicate = at("replicate")
	k.t = column{at("t"), "a number > 0", func(v float64) bool { return v > 0 }}
	k.value = column{at("value"), "a number within ±1e300", func(v float64) bool { return math.Abs(v) <= 1e300 }}
	for i, name := range []string{"t", "value"} {
		if []column{k.t, k.value}[i].at < 0 {
			return k, s.errorf(0, "there is no column %q (expected t and value, and series and replicate if there are several)", name)
		}
	}
	for _, other := range s.rest(slices.Concat(ignored, k.series, []int{k.replicate, k.t.at, k.value.at})...) {
		return k, s.errorf(other, "the column %q is unknown (expected series, replicate, t and value); name it in --series or in --ignore", s.names[other])
	}
	return k, nil
}

// read reads the file. Series and replicates are in the order of the file, and
// points in the order of t.
func (c *fitCmd) read() (all []*series, err error) {
	s, err := openSheet(string(c.File), "point")
	if err != nil {
		return nil, err
	}
	defer s.file.Close()
	k, err := c.columns(s)
	if err != nil {
		return nil, err
	}
	named := make(map[string]*series)
	repeated := make(map[[2]string]*replicate)
	for {
		cells, err := s.next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, err
		}
		names, err := s.texts(cells, k.series)
		if err != nil {
			return nil, err
		}
		key := strings.Join(names, "\x00")
		one := named[key]
		if one == nil {
			one = &series{name: strings.Join(names, ", ")}
			if len(names) == 0 {
				one.name = input.Shown(strings.TrimSuffix(filepath.Base(string(c.File)), filepath.Ext(string(c.File))))
			}
			named[key], all = one, append(all, one)
		}
		which := "1"
		if k.replicate >= 0 {
			if names, err = s.texts(cells, []int{k.replicate}); err != nil {
				return nil, err
			}
			which = names[0]
		}
		r := repeated[[2]string{key, which}]
		if r == nil {
			if len(repeated) == maxReplicates {
				return nil, s.errorf(0, "there are more than %d replicates, of all series together", maxReplicates)
			}
			r = &replicate{name: which}
			repeated[[2]string{key, which}], one.replicates = r, append(one.replicates, r)
		}
		var p point
		if p.t, err = s.number(cells, k.t, ""); err != nil {
			return nil, err
		}
		if p.value, err = s.number(cells, k.value, ""); err != nil {
			return nil, err
		}
		p.line, p.column = s.in.FieldPos(k.t.at)
		r.points = append(r.points, p)
	}
	for _, one := range all {
		if err := one.check(); err != nil {
			return nil, fmt.Errorf("%s:%w", s.name, err)
		}
	}
	return all, nil
}

// check sorts the points, and returns an error unless all replicates have the same
// t.
func (s *series) check() error {
	refuse := func(p point, format string, args ...any) error {
		return fmt.Errorf("%d:%d: series %s: %w", p.line, p.column, s.name, fmt.Errorf(format, args...))
	}
	first := s.replicates[0]
	for _, r := range s.replicates {
		slices.SortStableFunc(r.points, func(a, b point) int { return cmp.Compare(a.t, b.t) })
		for i, p := range r.points {
			if i > 0 && p.t == r.points[i-1].t {
				return refuse(p, "replicate %s has t = %v on line %d already (expected each t once)", r.name, p.t, r.points[i-1].line)
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
			return refuse(has.points[i], "replicate %s has t = %v and replicate %s does not (expected the same t in every replicate)", has.name, has.points[i].t, lacks.name)
		}
	}
	if len(first.points) < 2 {
		return refuse(first.points[0], "there is only one t (expected at least 2, and 3 for an exponent)")
	}
	return nil
}
