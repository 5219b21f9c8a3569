package paper

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"ocobench/paper/claims"
	"ocobench/report"
)

// source is the text of the article without its preamble and comments.
func source(t *testing.T) string {
	data, err := article.ReadFile("article/article.tex")
	if err != nil {
		t.Fatal(err)
	}
	text := regexp.MustCompile(`(?m)(^|[^\\])%.*$`).ReplaceAllString(string(data), "$1")
	_, body, ok := strings.Cut(text, `\begin{document}`)
	if !ok {
		t.Fatal("the article has no document")
	}
	return body
}

// TestArticleNumbers finds numbers that are typed into the article. Definitions have
// some, in mathematics; results come from the generated commands.
func TestArticleNumbers(t *testing.T) {
	text := source(t)
	text, _, _ = strings.Cut(text, `\begin{thebibliography}`)
	for _, allowed := range []string{
		`(?s)\\\[.*?\\\]`, `(?s)\\begin\{align\*\}.*?\\end\{align\*\}`, `\$[^$]*\$`, // mathematics
		`\\(includegraphics|parbox|itemsep|hangindent)[^{\s]*(\{[^}]*\})?`, // sizes and files
		`Theorem~\d|Figure~\d`, `on amd64 and arm64`, // names
	} {
		text = regexp.MustCompile(allowed).ReplaceAllString(text, "")
	}
	for _, number := range regexp.MustCompile(`.{0,30}\d+.{0,30}`).FindAllString(text, -1) {
		t.Errorf("a number is typed: %q", number)
	}
}

// Whatever the index of an article names is there, and whatever its text includes of itself.
func TestArticleIsWhole(t *testing.T) {
	dir := t.TempDir()
	var verdicts []claims.Verdict
	for _, c := range claims.All() {
		v := claims.Verdict{Claim: c, State: claims.Open}
		for range c.Checks {
			v.Findings = append(v.Findings, claims.Finding{Outcome: claims.Undecided, Text: "it is not known"})
		}
		verdicts = append(verdicts, v)
	}
	if err := WriteArticle(dir, nil, verdicts, true); err != nil {
		t.Fatal(err)
	}
	there := func(name string) {
		if info, err := os.Stat(filepath.Join(dir, name)); err != nil || info.Size() == 0 {
			t.Errorf("%s is not there, or empty: %v", name, err)
		}
	}
	index, err := os.ReadFile(filepath.Join(dir, "index.md"))
	if err != nil {
		t.Fatal(err)
	}
	if first, _, _ := strings.Cut(string(index), "\n"); !strings.HasPrefix(first, "# ") {
		t.Errorf("the index begins with %q, and not with its title", first)
	}
	named := regexp.MustCompile(`\[(.+?)\]\((.+?)\)`).FindAllStringSubmatch(string(index), -1)
	for _, link := range named {
		if link[1] != "index.html" { // bench paper writes it beside
			there(link[2])
		}
	}
	text, err := os.ReadFile(filepath.Join(dir, "article.tex"))
	if err != nil {
		t.Fatal(err)
	}
	included := regexp.MustCompile(`\\input\{([^/}]+)\}`).FindAllStringSubmatch(string(text), -1)
	for _, file := range included {
		there(strings.TrimSuffix(file[1], ".tex") + ".tex")
	}
	if len(named) < 7 || len(included) < 3 {
		t.Errorf("the index names %d files, and the article includes %d", len(named), len(included))
	}
}

// TestArticleRelies finds words of the article that rely on a claim which there is not.
func TestArticleRelies(t *testing.T) {
	known := make(map[string]bool)
	for _, c := range claims.All() {
		known[report.Letters(c.Name)] = true
	}
	uses := regexp.MustCompile(`\\ocorely\{(\w*)\}\{([a-z ]*)\}`).FindAllStringSubmatch(source(t), -1)
	if len(uses) == 0 {
		t.Fatal("the article relies on nothing")
	}
	for _, use := range uses {
		if !known[use[1]] {
			t.Errorf("the article relies on a claim %s, which there is not", use[1])
		}
		switch claims.State(use[2]) {
		case claims.Holds, claims.HoldsIf, claims.Fails, claims.Open:
		default:
			t.Errorf("the article relies on the verdict %q, which there is not", use[2])
		}
	}
}
