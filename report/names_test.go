package report

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"ocobench/harness/experiment"
	"ocobench/report/tex"
)

func TestNamesHaveTheirParameters(t *testing.T) {
	for _, c := range []struct {
		entry         experiment.Entry
		name, unicode string
	}{
		{experiment.Entry{Spec: "penalised-ftrl:gamma=25", FullName: "Penalised FTRL"},
			`Penalised FTRL, $\gamma = 25$`, "Penalised FTRL, γ = 25"},
		{experiment.Entry{Spec: "primal-dual", FullName: "Primal-dual"}, "Primal-dual", "Primal-dual"},
		{experiment.Entry{Spec: "primal-dual:step=0.1", FullName: "Primal-dual"}, "Primal-dual, step 0.1",
			"Primal-dual, step 0.1"},
		{experiment.Entry{Spec: "penalised-ftrl:penalty=per-round", FullName: "Penalised FTRL"},
			"Penalised FTRL, per-round", "Penalised FTRL, per-round"},
		{experiment.Entry{Spec: "penalised-ftrl:gamma=25", Label: "a_1 & 50 %"}, `a\_1 \& 50 \%`,
			"a_1 & 50 %"},
		// not in the registry
		{experiment.Entry{Spec: "of-another:c=1", Name: "of-another"}, "of-another, $c = 1$",
			"of-another, c = 1"},
		{experiment.Entry{Spec: "fixed:dim=3,kind=quadratic", FullName: "Fixed constraints"},
			"Fixed constraints, $n = 3$, quadratic", "Fixed constraints, n = 3, quadratic"},
		{experiment.Entry{Spec: "ftrl:eta=2 @ v_1", FullName: "FTRL", Source: "v_1"},
			`FTRL, $\eta = 2$ @ v\_1`, "FTRL, η = 2 @ v_1"},
		{experiment.Entry{Spec: "ogd", Label: "OGD^2 γ|"}, `OGD\textasciicircum{}2 γ\textbar{}`,
			"OGD^2 γ|"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := Name(c.entry); got != c.name || tex.Unicode(got) != c.unicode {
				t.Errorf("%s: %s, in Unicode %s, want %s and %s", c.entry.LabelOrSpec(), got,
					tex.Unicode(got), c.name, c.unicode)
			}
		})
	}
}

// Entries that differ in one parameter are a sweep, also with the label of a sweep, and not with
// labels of their own.
func TestEntriesThatDifferInOneParameterAreASweep(t *testing.T) {
	entries := func(labels ...string) (all []experiment.Entry) {
		for k, label := range labels {
			all = append(all, experiment.Entry{Name: "trace", Spec: fmt.Sprintf("trace:c=%d", k), Label: label,
				Params: json.RawMessage(fmt.Sprintf(`{"c":%d}`, k))})
		}
		return all
	}
	for _, x := range []struct {
		labels []string
		stem   string // "" where there is no sweep
	}{
		{[]string{"", ""}, "trace"},
		{[]string{"Mine, c = 0", "Mine, c = 1"}, "Mine"},
		{[]string{"First", "Second"}, ""},
		{[]string{"", "Second"}, ""},
	} {
		sweeps, rest := sweepsOf(entries(x.labels...))
		switch {
		case x.stem == "" && (len(sweeps) > 0 || len(rest) != 2):
			t.Errorf("%q: got a sweep, want none", x.labels)
		case x.stem != "" && (len(sweeps) != 1 || len(rest) > 0 ||
			entryWithout(sweeps[0].columns[0], "c").LabelOrSpec() != x.stem):
			t.Errorf("%q: %d sweeps, want one of %s", x.labels, len(sweeps), x.stem)
		}
	}
}

// The names of the figures and macros of problems are names of files and of TeX everywhere, no two
// are equal, and they do not depend on the order of the problems.
func TestNamesOfProblemsDiffer(t *testing.T) {
	long := strings.Repeat("x", 120)
	for _, c := range []struct {
		name  string
		files []string
	}{
		{"a blank and a sign", []string{"a b.jsonl", "a+b.jsonl", "a-b.jsonl"}},
		{"upper and lower case", []string{"Data.jsonl", "data.jsonl", "DATA.JSONL"}},
		{"letters outside ASCII", []string{"ä.jsonl", "ö.jsonl", "数据.jsonl", "資料.jsonl", "Σ", "σ"}},
		{"one composed letter and two characters", []string{"\u00e9", "e\u0301", "e"}},
		{"folders", []string{"d/a", "d-a", "d|a", `d\a`, "d a", "da", "../a", "./a", "/a"}},
		{"longer than a file name", []string{long + "a", long + "b", long, long + "/" + long}},
		{"a letter that is cut", []string{strings.Repeat("x", 83) + "é", strings.Repeat("x", 83) + "è"}},
		{"names with a meaning", []string{"con", "nul", ".", "..", ".hidden", "-rf", "~", "$HOME", ""}},
		{"a name that another gets", []string{"a b", "a+b", "a-b-2", "a-b-3"}},
		{"digits and words", []string{"1", "One", "one", "-1", "Minus one", "1.", "OnePoint"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var problems []experiment.Entry
			for _, f := range c.files {
				params, err := json.Marshal(map[string]string{"file": f})
				if err != nil {
					t.Fatal(err)
				}
				problems = append(problems, experiment.Entry{Spec: "trace:file=" + f, Name: "trace",
					Params: params})
			}
			files, parts := problemFiles(problems), macroParts(problems)
			used := make(map[string]string)
			for _, p := range problems {
				file, part := files[p.Spec], parts[p.Spec]
				if len(file) > 200 || !regexp.MustCompile(`^problem-[a-z0-9.-]+$`).MatchString(file) {
					t.Errorf("%q has the file %q, want letters, digits, dots and dashes", p.Spec, file)
				}
				for _, name := range []string{"file " + strings.ToLower(file), "macro " + part} {
					if other, ok := used[name]; ok {
						t.Errorf("got %s for %q and for %q, want two names", name, other, p.Spec)
					}
					used[name] = p.Spec
				}
			}
			slices.Reverse(problems)
			if !maps.Equal(problemFiles(problems), files) || !maps.Equal(macroParts(problems), parts) {
				t.Errorf("in the other order the names are %q and %q, want %q and %q",
					problemFiles(problems), macroParts(problems), files, parts)
			}
		})
	}
}
