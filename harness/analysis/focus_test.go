package analysis

import (
	"slices"
	"strings"
	"testing"

	"ocobench/algorithms"
	"ocobench/harness/experiment"
	"ocobench/harness/game"
	"ocobench/harness/run"
)

// analysisWithRegrets returns an analysis in which some pairs lack some regrets. A pair is written
// "problem algorithm", and before the colon are the sets that are empty for it, and the word own
// where the problem declares a comparator.
func analysisWithRegrets(metrics []string, pairs ...string) *Analysis {
	a := &Analysis{Experiment: Experiment{Metrics: metrics}}
	for _, m := range game.Metrics {
		a.Metrics = append(a.Metrics, Metric{Name: m.Name, Title: m.Title, Set: m.Set})
	}
	for _, text := range pairs {
		empty, of, _ := strings.Cut(text, ":")
		problem, algorithm, _ := strings.Cut(of, " ")
		if !slices.ContainsFunc(a.Problems, func(p Problem) bool { return p.Spec == problem }) {
			a.Problems = append(a.Problems, Problem{Entry: experiment.Entry{Spec: problem}})
		}
		p := Pair{Problem: problem, Algorithm: algorithm, Series: map[algorithms.Metric]*Series{}}
		for _, m := range a.Metrics {
			s := &Series{State: Measured}
			switch {
			case m.Name == algorithms.RegretXE, m.Name == algorithms.RegretDynamic,
				m.Name == algorithms.RegretDeclared && !strings.Contains(empty, "own"):
				s.State = Missing
			case m.Set != "" && strings.Contains(empty, m.Set):
				s.State = Empty
			}
			p.Series[m.Name] = s
		}
		a.Pairs = append(a.Pairs, p)
	}
	return a
}

// The views are about the wanted regret, or about one that more pairs have, and the notes say
// where and why.
func TestFocusIsTheWantedOrTheMostMeasuredRegret(t *testing.T) {
	for _, x := range []struct {
		metrics, pairs []string
		regrets        []algorithms.Metric // of the problems in order
		most           algorithms.Metric
		violation      algorithms.Metric
		notes          string
	}{
		{nil, []string{":p a", ":q a"}, []algorithms.Metric{"regret_xhat", "regret_xhat"},
			"regret_xhat", "violation_soft", ""},
		{nil, []string{"xhat xmin:p a", "xhat xmin:p b"}, []algorithms.Metric{"regret_xmax"},
			"regret_xmax", "violation_soft", "Regret is vs Xmax, since X̂max is empty."},
		{nil, []string{"xhat xmin:p a", ":q a", ":r a"},
			[]algorithms.Metric{"regret_xmax", "regret_xhat", "regret_xhat"}, "regret_xhat",
			"violation_soft", "Regret is vs Xmax on p, where X̂max is empty."},
		{nil, []string{"xhat xmin:p a", "xhat:q a", ":r a"},
			[]algorithms.Metric{"regret_xmax", "regret_xmax", "regret_xhat"}, "regret_xmax",
			"violation_soft", "Regret is vs Xmax on p; q, where X̂max is empty."},
		// for one algorithm only: nobody is to vanish
		{nil, []string{"xhat:p a", ":p b"}, []algorithms.Metric{"regret_xmax"}, "regret_xmax",
			"violation_soft", "Regret is vs Xmax, since X̂max is empty."},
		{nil, []string{"xhat xmin xmax:p a"}, []algorithms.Metric{"regret_xhat"}, "regret_xhat",
			"violation_soft", "There is no regret, since X̂max is empty, as all other sets are."},
		// a declared comparator stands in for certified ones where there are none
		{nil, []string{"xhat xmin xmax own:p a"}, []algorithms.Metric{"regret_declared"},
			"regret_declared", "violation_soft", "Regret is vs declared, since X̂max is empty."},
		{nil, []string{"xhat own:p a"}, []algorithms.Metric{"regret_xmax"}, "regret_xmax",
			"violation_soft", "Regret is vs Xmax, since X̂max is empty."},
		{[]string{"violation_hard", "regret_declared"}, []string{"own:p a"},
			[]algorithms.Metric{"regret_declared"}, "regret_declared", "violation_hard", ""},
		{nil, []string{"xhat xmax:p a"}, []algorithms.Metric{"regret_xmin"}, "regret_xmin",
			"violation_soft", "Regret is vs Xmin, since X̂max is empty."},
		{[]string{"path_length", "regret_dynamic"}, []string{":p a"},
			[]algorithms.Metric{"regret_xhat"}, "regret_xhat", "violation_soft", ""},
		{[]string{"violation_hard", "regret_xmin", "violation_max"}, []string{":p a", "xmin:q a"},
			[]algorithms.Metric{"regret_xmin", "regret_xhat"}, "regret_xmin", "violation_hard",
			"Regret is vs X̂max on q, where Xmin is empty."},
		{[]string{"violation_hard", "regret_xe"}, []string{":p a"},
			[]algorithms.Metric{"regret_xhat"}, "regret_xhat", "violation_hard",
			"Regret is vs X̂max, since XE is not known."},
		{[]string{"violation_hard", "regret_dynamic"}, []string{":p a", ":q a"},
			[]algorithms.Metric{"regret_xhat", "regret_xhat"}, "regret_xhat", "violation_hard",
			"Regret is vs X̂max on every problem, since the dynamic regret does not exist."},
	} {
		f := analysisWithRegrets(x.metrics, x.pairs...).findFocus()
		var regrets []algorithms.Metric
		for _, v := range f.Views {
			regrets = append(regrets, v.Regret)
			if v.Violation != x.violation || f.On(v.Problem) != v || !f.Has(v.Regret) {
				t.Errorf("%v: %v: got view %+v, want violation %s, and known by its problem", x.metrics,
					x.pairs, v, x.violation)
			}
		}
		if notes := strings.Join(f.Notes, " "); !slices.Equal(regrets, x.regrets) ||
			f.Regret != x.most || f.Violation != x.violation || notes != x.notes {
			t.Errorf("%v: %v: got regrets %v, most of them %s, with %s and notes %q; want %v, %s, %s, %q",
				x.metrics, x.pairs, regrets, f.Regret, f.Violation, notes, x.regrets, x.most, x.violation,
				x.notes)
		}
	}
	f := analysisWithRegrets(nil, "xhat:1 a", "xhat:2 a", "xhat:3 a", "xhat:4 a", "xhat:5 a",
		"xhat:6 a",
		"xhat:7 a", ":8 a").findFocus()
	if f.Notes[0] != "Regret is vs Xmax on 1; 2; 3; 4; 5 and 2 more, where X̂max is empty." {
		t.Errorf("got note %q, want five problems and a count", f.Notes[0])
	}
}

// What is shown of regrets is what the views are about, beside those that were asked for; and none
// where only other metrics were.
func TestFocusFollowsRequestedMetrics(t *testing.T) {
	for _, x := range []struct {
		metrics []string
		pair    string
		want    []algorithms.Metric
	}{
		{nil, ":p a", []algorithms.Metric{"regret_xhat"}},
		{nil, "xhat xmin:p a", []algorithms.Metric{"regret_xmax"}},
		{[]string{"violation_hard", "regret_xmin"}, "xmin:p a",
			[]algorithms.Metric{"regret_xmin", "regret_xhat"}},
		{[]string{"violation_hard"}, ":p a", nil},
	} {
		a := analysisWithRegrets(x.metrics, x.pair)
		for i, m := range game.Metrics {
			a.Metrics[i].Shown = m.Shown
			if x.metrics != nil {
				a.Metrics[i].Shown = slices.Contains(x.metrics, string(m.Name))
			}
		}
		a.showFocus(a.findFocus(), new(run.Results))
		var shown []algorithms.Metric
		for _, m := range a.Metrics {
			if m.Shown && slices.Contains(algorithms.Regrets, m.Name) {
				shown = append(shown, m.Name)
			}
		}
		if !slices.Equal(shown, x.want) {
			t.Errorf("%v of %s: the regrets %v are shown, want %v", x.metrics, x.pair, shown, x.want)
		}
	}
}
