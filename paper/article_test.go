package paper_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"ocobench/paper"
	"ocobench/paper/claims"
	"ocobench/report"
)

// articleText returns the text of the article without its preamble and comments.
func articleText(t *testing.T) string {
	t.Helper()
	data, err := os.ReadFile("article/article.tex")
	if err != nil {
		t.Fatal(err)
	}
	text := regexp.MustCompile(`(?m)(^|[^\\])%.*$`).ReplaceAllString(string(data), "$1")
	_, body, ok := strings.Cut(text, `\begin{document}`)
	if !ok {
		t.Fatal("got no document in the article, want one")
	}
	return body
}

func TestFilesThatTheArticleNamesAreWritten(t *testing.T) {
	dir := t.TempDir()
	d := &paper.Document{Kind: claims.Kind, Quick: true,
		Entries: []paper.Entry{{Number: 1, Name: "sets-nested", Verdict: claims.Open}}}
	if err := paper.WriteArticle(dir, nil, d); err != nil {
		t.Fatal(err)
	}
	there := func(name string) {
		if info, err := os.Stat(filepath.Join(dir, name)); err != nil || info.Size() == 0 {
			t.Errorf("%s: got no file, or an empty one (%v), want it written", name, err)
		}
	}
	index, err := os.ReadFile(filepath.Join(dir, "index.md"))
	if err != nil {
		t.Fatal(err)
	}
	if first, _, _ := strings.Cut(string(index), "\n"); !strings.HasPrefix(first, "# ") {
		t.Errorf("got an index that begins with %q, want its title", first)
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
		t.Errorf("got %d files named and %d included, want at least 7 and 3", len(named), len(included))
	}
}

func TestClaimsThatTheArticleReliesOnExist(t *testing.T) {
	known := make(map[string]bool)
	for _, c := range claims.All() {
		known[report.Letters(c.Name)] = true
	}
	uses := regexp.MustCompile(`\\ocorely\{(\w*)\}\{([a-z ]*)\}`).FindAllStringSubmatch(articleText(t), -1)
	if len(uses) == 0 {
		t.Fatal("got no claim that the article relies on, want some")
	}
	for _, use := range uses {
		if !known[use[1]] {
			t.Errorf("got claim %s in the article, want one that exists", use[1])
		}
		if !slices.Contains(claims.Kind.Verdicts, use[2]) {
			t.Errorf("got verdict %q in the article, want one that exists", use[2])
		}
	}
}
