package analysis

import (
	"bytes"
	"encoding/json"
	"math"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"ocobench/algorithms"
	"ocobench/harness/experiment"
	"ocobench/harness/game"
	"ocobench/harness/run"
	"ocobench/stats"
)

// analyse returns the analysis of results without a catalog.
func analyse(t *testing.T, r *run.Results) *Analysis {
	t.Helper()
	a, err := NewUnfitted(experiment.Catalog{}, r).Fit(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// low and high have the regrets s·t/10 and s·t/2 with s of the replicate: every
// number of their analysis is known.
func TestAnalysisHasThePlantedNumbers(t *testing.T) {
	r := plantedResults(t, "horizon: 1000\nreplicates: 12\nalgorithms: [{use: high}, {use: low}]")
	a := analyse(t, r)
	s := meanOfValues(streamSlopes(r))
	for name, rate := range map[string]float64{"high": 0.5, "low": 0.1} {
		t.Run(name, func(t *testing.T) {
			p := a.Pair(name, "steep")
			if p == nil || p.Played != 12 || len(p.Unmet) != 0 {
				t.Fatalf("got pair %+v, want one that is played 12 times", p)
			}
			regret := p.Series[algorithms.RegretXMin]
			if regret.State != Measured || regret.Replicates != 12 || regret.Across != nil {
				t.Errorf("got regret %s over %d replicates, want it measured over 12", regret.State,
					regret.Replicates)
			}
			for _, at := range []float64{1, 10, 100, 1000} {
				e, ok := regret.Mean.At(at)
				if want := rate * s * at; !ok || !isNear(e.Value, want, 1e-9*want) ||
					!(float64(e.Lower) < want && want < float64(e.Upper)) {
					t.Errorf("the regret at %v is %v, want %v", at, e, want)
				}
			}
			if _, ok := regret.Mean.At(999.5); ok {
				t.Error("got a value between the checkpoints, want none")
			}
			f := regret.Fit
			if !isNear(f.Exponent.Value, 1, 1e-9) || f.Shape != stats.Power || f.Design != stats.AlongT ||
				f.From != 10 || f.To != 1000 || f.Replicates != 12 || math.Abs(f.At(500)-rate*s*500) > 1e-6 {
				t.Errorf("got fit %+v, want a line of slope %v·s from 10 to 1000", f, rate)
			}
			for k, v := range regret.Slopes.Value {
				if !isNear(v, 1, 1e-9) {
					t.Errorf("the local exponent at %v is %v, want 1", regret.Slopes.T[k], v)
				}
			}
			// Nobody violates x ≤ ½, nothing is claimed, and X^E is not known.
			if v := p.Series[algorithms.SoftViolation]; v.State != Measured || v.Mean.Last().Value != 0 ||
				v.Fit.Shape != stats.NonPositive {
				t.Errorf("got soft violation %+v, want it measured, 0", v)
			}
			if v := p.Series[algorithms.RegretXE]; v.State != Missing || v.Fit != nil || v.Replicates != 0 {
				t.Errorf("got regret %+v against an unknown set, want it missing", v)
			}
			if p.Regret.Metric != algorithms.RegretXMin || p.Violation.Metric != algorithms.SoftViolation ||
				p.Regret.Claim != nil || p.Violation.Claim != nil || p.ClaimVerdict != "" {
				t.Errorf("got judgements %+v, %+v, want regret and soft violation without claims",
					p.Regret, p.Violation)
			}
			if v := p.Series["loss"]; v.Fit != nil {
				t.Error("got a fit of the loss, want none")
			}
		})
	}
	best := make(map[string]float64)
	for _, b := range a.Problems[0].Best {
		best[b.Set] = float64(b.Action[0])
	}
	if want := map[string]float64{"xmin": -1, "xhat": -1, "xmax": -1}; !reflect.DeepEqual(best, want) {
		t.Errorf("the best fixed actions are %v, want %v", best, want)
	}
	c := a.Comparisons
	if len(c.Rows) != len(c.Metrics) || c.Rows[0].Metric != algorithms.RegretXHat ||
		!isNear(c.Against("high").Rows[0].Difference.Value, -400*s, 1e-6) ||
		a.Experiment.Baseline != "high" {
		t.Errorf("got comparisons %+v, want one of each metric, against high, the regret "+
			"first, with the difference %v", c, -400*s)
	}
}

// An algorithm that needs the horizon is fitted across horizons, and its mean is shown along the
// last one. For an anytime algorithm, the final means of shorter games lie on the curve of the
// longest.
func TestLearnersThatKnowTheHorizonAreFittedAcrossHorizons(t *testing.T) {
	const horizons = "horizon: [10, 20, 40, 80]\nreplicates: 3\nwindow: 1\n"
	a := analyse(t, plantedResults(t, horizons+"algorithms: [{use: told}]"))
	anytime := analyse(t, plantedResults(t, horizons+"algorithms: [{use: low}]")).Pair("low",
		"steep").Series
	for name, s := range anytime {
		if s.State != Measured {
			continue
		}
		for _, h := range s.Across.T {
			if of, ok := s.Mean.At(h); ok {
				if at, _ := s.Across.At(h); !isNear(at.Value, float64(of.Value), 1e-12) {
					t.Errorf("%s: got end %v after %v rounds, want %v of its curve", name, at, h, of)
				}
			}
		}
	}
	if s := anytime[algorithms.RegretXMin]; s.Fit.Design != stats.AlongT ||
		!slices.Equal(s.Across.T, []float64{10, 20, 40, 80}) {
		t.Errorf("got fit %s and horizons %v, want one along t, and 10, 20, 40, 80", s.Fit.Design,
			s.Across.T)
	}
	s := a.Pair("told", "steep").Series[algorithms.RegretXMin]
	if s.Fit.Design != stats.AcrossT || !slices.Equal(s.Across.T, []float64{10, 20, 40, 80}) ||
		s.Fit.From != 10 || s.Mean.T[0] != 1 || s.Mean.Last() != s.Across.Last() {
		t.Errorf("got fit %s from %v, on %v, the mean from %v, want one across horizons from 10, the "+
			"mean from 1", s.Fit.Design, s.Fit.From, s.Across, s.Mean.T[0])
	}
	if len(a.Comparisons.Rows) > 0 {
		t.Error("got comparisons of one algorithm, want none")
	}
}

// A replicate without a game is left out of the numbers that need the game.
func TestMissingReplicatesAreInNoNumber(t *testing.T) {
	const text = "horizon: [10, 20, 40]\nreplicates: 4\nwindow: 1\nalgorithms: [{use: low}, {use: " +
		"told}]"
	a := analyse(t, plantedResults(t, text, "low on steep, horizon 40, replicate 2",
		"told on steep, horizon 20, replicate 3"))
	low, told := a.Pair("low", "steep"), a.Pair("told", "steep")
	if low.Played != 3 || told.Played != 3 || a.Missing != 2 {
		t.Errorf("%d and %d replicates are played and %d cells missing, want 3, 3 and 2", low.Played,
			told.Played, a.Missing)
	}
	if s := low.Series[algorithms.RegretXMin]; s.Replicates != 3 || s.Fit.Replicates != 3 {
		t.Errorf("low: the mean is of %d replicates and the fit of %d, want 3", s.Replicates,
			s.Fit.Replicates)
	}
	if s := told.Series[algorithms.RegretXMin]; s.Replicates != 4 || s.Fit.Replicates != 3 {
		t.Errorf("told: the mean is of %d replicates and the fit of %d, want 4 and 3", s.Replicates,
			s.Fit.Replicates)
	}
}

// Rounding errors of an experiment are shown as 0. A curve from a file is taken as it is.
func TestRoundingErrorsAreZeroInExperiments(t *testing.T) {
	c := stats.Curve{T: []float64{1, 10, 100, 1000},
		Y: [][]float64{{1e-12, 1e-11, 1e-10, 1e-9}, {2e-12, 2e-11, 2e-10, 2e-9}}}
	s, err := SeriesOf(c, stats.Growth{Decades: 3, Confidence: 0.95})
	if err != nil || s.State != Measured || !isNear(s.Fit.Exponent.Value, 1, 1e-9) {
		t.Fatalf("got error %v, series %+v, want one of exponent 1", err, s)
	}
	still := stats.Curve{T: c.T, Y: [][]float64{make([]float64, 4), make([]float64, 4)}}
	if s, err = SeriesOf(still, stats.Growth{Decades: 3, Confidence: 0.95}); err != nil {
		t.Fatal(err)
	}
	s.Finals, s.Runs = finalValues(still, []int{1, 3}, 3), runsOf(still, []int{1, 3})
	s.setNoGrowth()
	if s.Finals[0] != 0 || s.Finals[1].Defined() || s.Finals[2] != 0 ||
		slices.Max(slices.Concat(s.Runs.Value...)) != 0 {
		t.Errorf("rounding errors: got final values %v and replicates %v, want 0", s.Finals, s.Runs.Value)
	}
	if s.State != Rounding || s.Fit.Shape != stats.Bounded || s.Fit.Exponent != (Estimate{}) ||
		s.Mean.Last() != (Estimate{}) || s.Slopes != nil {
		t.Errorf("rounding errors: got %+v, want a bounded series of 0", s)
	}
}

// An analysis comes back from its JSON as it was, and docs/analysis.md names
// every member.
func TestAnalysisRoundTripsAsJSON(t *testing.T) {
	a := analyse(t, plantedResults(t, "horizon: [10, 20, 40]\nreplicates: 3\nwindow: 1\nalgorithms: "+
		"[{use: low}, {use: told}, {use: root}]"))
	data, err := json.Marshal(a)
	if err != nil {
		t.Fatal(err)
	}
	var back Analysis
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(&back); err != nil {
		t.Fatal(err)
	}
	again, err := json.Marshal(&back)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(again, data) {
		t.Errorf("it comes back as\n%s\nwant\n%s", again, data)
	}
	checkDocumented(t, a)
}

// checkDocumented holds docs/analysis.md to name every member of an analysis, but for
// parameters.
func checkDocumented(t *testing.T, a *Analysis) {
	t.Helper()
	data, err := json.Marshal(a)
	if err != nil {
		t.Fatal(err)
	}
	data = regexp.MustCompile(`"params":{[^}]*}`).ReplaceAll(data, []byte(`"params":{}`))
	doc, err := os.ReadFile("../../docs/analysis.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range regexp.MustCompile(`"([a-z_]+)":`).FindAllStringSubmatch(string(data), -1) {
		if _, metric := game.MetricNamed(algorithms.Metric(m[1])); !metric &&
			!strings.Contains(string(doc), "`"+m[1]+"`") {
			t.Errorf("docs/analysis.md: got no %s, want it named", m[1])
		}
	}
	if !strings.Contains(string(doc), "`"+Schema+"`") {
		t.Errorf("docs/analysis.md: got no schema %s, want it named", Schema)
	}
}

// A Number survives JSON, also NaN and the infinities, which JSON lacks.
func TestNumberSurvivesJSON(t *testing.T) {
	for text, v := range map[string]float64{
		"null": math.NaN(), `"Infinity"`: math.Inf(1), `"-Infinity"`: math.Inf(-1), "0.1": 0.1,
		"1e+300": 1e300, "-2": -2,
	} {
		t.Run(text, func(t *testing.T) {
			data, err := json.Marshal(Number(v))
			if err != nil || string(data) != text {
				t.Errorf("%v is written as %s, %v; want %s", v, data, err, text)
			}
			var back Number
			if err := json.Unmarshal([]byte(text), &back); err != nil ||
				math.Float64bits(float64(back)) != math.Float64bits(v) && back.Defined() {
				t.Errorf("got %v, error %v, want %v", back, err, v)
			}
		})
	}
	for _, text := range []string{`"NaN"`, `"1"`, "true", "[]"} {
		var n Number
		if err := json.Unmarshal([]byte(text), &n); err == nil {
			t.Errorf("%s: got %v, want an error", text, n)
		}
	}
}

// No list of an analysis is null in JSON, whatever is missing.
func TestNoListIsNullInJSON(t *testing.T) {
	var visit func(path string, v reflect.Value)
	visit = func(path string, v reflect.Value) {
		switch v.Kind() {
		case reflect.Pointer:
			if !v.IsNil() {
				visit(path, v.Elem())
			}
		case reflect.Map:
			for _, key := range v.MapKeys() {
				visit(path+"."+key.String(), v.MapIndex(key))
			}
		case reflect.Slice:
			for i := range v.Len() {
				visit(path+"[]", v.Index(i))
			}
		case reflect.Struct:
			for i := range v.NumField() {
				f, of := v.Type().Field(i), v.Field(i)
				if !f.IsExported() {
					continue
				}
				if of.Kind() == reflect.Slice && of.IsNil() &&
					!strings.Contains(f.Tag.Get("json"), "omitempty") {
					t.Errorf("%s.%s: got null, want a list", path, f.Name)
				}
				visit(path+"."+f.Name, of)
			}
		}
	}
	one := analyse(t, plantedResults(t, "horizon: 1\nreplicates: 1\nalgorithms: [{use: low}]"))
	lossy := analyse(t, plantedResults(t,
		"horizon: [10, 20]\nreplicates: 2\nalgorithms: [{use: low}, "+
			"{use: told}]", "hindsight on steep, horizon 20, replicate 1",
		"low on steep, horizon 20, replicate 1", "low on steep, horizon 20, replicate 2"))
	both, err := lossy.Joined(&Analysis{})
	if err != nil {
		t.Fatal(err)
	}
	unplayed := Describe(&run.Results{})
	for name, a := range map[string]*Analysis{"one": one, "lossy": lossy, "both": both} {
		visit(name, reflect.ValueOf(a))
	}
	if unplayed.Pairs == nil || unplayed.Unmet == nil || unplayed.Computed == nil {
		t.Error("an analysis of nothing: got a list that is null, want empty ones")
	}
}
