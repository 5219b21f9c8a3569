package report

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"ocobench/algorithms"
	"ocobench/harness/experiment"
	"ocobench/harness/experiment/spec"
	"ocobench/internal/tool"
	"ocobench/problems"
	"ocobench/report/tex"
)

// TestDefinitionsAreFormulasThatNameEveryParameter: a reader can write the experimental section of
// an article from bench list NAME.
func TestDefinitionsAreFormulasThatNameEveryParameter(t *testing.T) {
	for _, a := range algorithms.All {
		t.Run(a.Name, func(t *testing.T) {
			checkDefinition(t, a.Definition, spec.Describe(a.Params), "_{t+1} = ", "x_1")
		})
	}
	for _, p := range problems.All {
		t.Run(p.Name, func(t *testing.T) {
			checkDefinition(t, p.Definition, spec.Describe(p.Params), "f_t", "g_", "D")
		})
	}
}

// checkDefinition checks the sentences of a definition, which have to contain the symbols.
func checkDefinition(t *testing.T, sentences []string, params []spec.Param, symbols ...string) {
	t.Helper()
	whole := strings.Join(sentences, "\n")
	for _, s := range sentences {
		if strings.Count(s, "$")%2 != 0 {
			t.Errorf("%s: got a dollar sign alone, want pairs", s)
		}
		source := tex.OfText(s)
		if err := tex.Check(source); err != nil {
			t.Errorf("%s: %v", s, err)
		}
		if missing := tex.Missing(source); len(missing) > 0 {
			t.Errorf("%s: got characters %q that LaTeX lacks, want none", s, missing)
		}
	}
	for _, symbol := range symbols {
		if !strings.Contains(whole, symbol) {
			t.Errorf("got no explanation of %s in the definition, want one:\n%s", symbol, whole)
		}
	}
	for _, p := range params {
		word := regexp.MustCompile(`(^|[^\pL-])` + regexp.QuoteMeta(p.Name) + `($|[^\pL-])`)
		if !word.MatchString(whole) {
			t.Errorf("got no parameter %s in the definition, want it named:\n%s", p.Name, whole)
		}
	}
}

// TestDefinitionsCompile: the paragraphs of bench list all --format latex are LaTeX that sets every
// character.
func TestDefinitionsCompile(t *testing.T) {
	latex := tool.LaTeX(t)
	all, err := List(experiment.Catalog{Algorithms: algorithms.All, Problems: problems.All})
	if err != nil {
		t.Fatal(err)
	}
	var doc bytes.Buffer
	doc.WriteString("\\documentclass{article}\n\\usepackage[T1]{fontenc}\n\\usepackage{lmodern}\n" +
		"\\usepackage{amsmath,amssymb}\n\\begin{document}\n")
	if err := all.WriteLaTeX(&doc); err != nil {
		t.Fatal(err)
	}
	doc.WriteString("\\end{document}\n")
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "all.tex"), doc.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(latex, "-interaction=nonstopmode", "-halt-on-error", "all.tex")
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil || bytes.Contains(out, []byte("Missing character")) {
		t.Errorf("pdflatex: %v\n%s", err, out)
	}
}
