package cli

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/kong"

	"ocobench/algorithms"
	"ocobench/cmd/bench/completion"
	"ocobench/harness/experiment"
	"ocobench/harness/external"
	"ocobench/internal/golden"
	"ocobench/problems"
)

var update = flag.Bool("update", false, "rewrite docs/reference.md, README.md and testdata")

var catalog = experiment.Catalog{Algorithms: algorithms.All, Problems: problems.All}

// allVerbs returns the verbs of the grammar, each with the arguments that select it.
func allVerbs() []*kong.Node {
	var c command
	return c.newParser(io.Discard, io.Discard, func(int) {}).Model.Leaves(true)
}

// TestReference writes docs/reference.md from the grammar of the command line and from the
// registries, and compares it with the file.
func TestReference(t *testing.T) {
	t.Setenv("COLUMNS", "80")
	var help, stderr bytes.Buffer
	if code := Main([]string{"--help"}, &help, &stderr, catalog); code != exitDone || stderr.Len() > 0 {
		t.Fatalf("--help: got exit code %d, want 0, and nothing on stderr: %s", code, &stderr)
	}
	before, _, found := strings.Cut(help.String(), "Flags:\n") // the verbs follow
	if !found {
		t.Fatalf("--help: got no flags, want them:\n%s", &help)
	}
	uses := make(map[string]int)
	for _, n := range allVerbs() {
		for _, item := range itemsOf(n) {
			uses[item.row]++
		}
	}
	group := make(map[string]int) // of flagGroups, by the row of a flag; the first one has all others
	for k, g := range flagGroups {
		for _, n := range allVerbs() {
			for _, item := range itemsOf(n) {
				if n.FullPath() == "bench "+g.of && slices.Contains(g.flags, item.flag) {
					group[item.row] = k
				}
			}
		}
	}
	shared := make([]string, len(flagGroups)) // the lines of each group
	for _, row := range slices.Sorted(maps.Keys(uses)) {
		if uses[row] > 1 {
			shared[group[row]] += row
		}
	}
	text := `# The command line

` + "`bench VERB --help`" + ` explains a verb, with examples and all its flags. Here each verb has its flags and a
link to the document that is about it. [Algorithms](#algorithms) and [problems](#problems) are at the end;
` + "`bench list NAME`" + ` has the definition, the parameters and the reference of each.

` + "```text\n" + trimLines(before) + "\n```\n\n" + verbIndex() + "\n## Flags of several verbs\n"
	for k, g := range flagGroups {
		text += "\n" + g.title + "\n\n" + shared[k]
	}
	for _, n := range allVerbs() {
		text += verbSection(n, uses, group)
	}
	text += "\n## Algorithms\n\n" + registryList(catalog.Algorithms,
		func(a algorithms.Algorithm) (string, string, string) {
			return a.Name, a.Doc, a.Reference
		}) + "\n## Problems\n\n" + registryList(catalog.Problems,
		func(p problems.Problem) (string, string, string) {
			return p.Name, p.Doc, p.Reference
		})
	golden.File(t, "../../../../docs/reference.md", text, *update)
}

// verbIndex returns a list of the verbs by their groups, with links to their sections.
func verbIndex() (text string) {
	for _, g := range verbGroups {
		var links []string
		for _, n := range allVerbs() {
			group := n.ClosestGroup()
			if group != nil && group.Key == g.Key {
				path := strings.TrimPrefix(n.FullPath(), "bench ")
				links = append(links, fmt.Sprintf("[%s](#bench-%s)", path, strings.ReplaceAll(path, " ", "-")))
			}
		}
		text += "- " + g.Title + " " + strings.Join(links, ", ") + "\n"
	}
	return text
}

// importGuide is the place that explains all verbs of bench import.
const importGuide = "data.md#from-a-csv-file"

// guides are the places in docs that explain verbs. The help of any other verb is in the reference.
var guides = map[string]string{
	"attack": "attacks.md", "check": "regression.md", "claims": "claims.md", "compare": "comparing.md",
	"conform":  "protocol.md#is-it-right-bench-conform",
	"diagnose": "experiments.md#what-the-theory-says-of-a-problem", "export": "reading.md",
	"figure": "article.md#figures", "fit": "comparing.md#growth-exponents-of-your-own-curves",
	"hindsight":      "experiments.md#one-game-and-the-best-fixed-actions",
	"import budgets": importGuide, "import experts": importGuide, "import job-scheduling": importGuide,
	"import logistic": importGuide, "import portfolio": importGuide, "import regression": importGuide,
	"paper": "article.md#the-article-about-penalised-ftrl",
	"play":  "experiments.md#one-game-and-the-best-fixed-actions", "report": "report.md",
	"run": "experiments.md#running-it", "score": "experiments.md#actions-of-another-program",
	"serve": "environment.md", "slurm": "cluster.md#slurm", "status": "cluster.md#how-far-it-is",
	"store gc": "scaling.md#keeping-a-store", "store ls": "scaling.md#keeping-a-store",
	"store pack": "scaling.md#packs", "store rm": "scaling.md#keeping-a-store",
	"store show": "scaling.md#keeping-a-store", "table": "article.md#one-table",
	"tune":   "comparing.md#tuning",
	"verify": "architecture.md#the-identity-of-a-cell",
}

// flagGroups are the flags that several verbs have together. The first group has all others that
// are described once.
var flagGroups = []flagGroup{
	{title: "Of several verbs:"},
	{"Of verbs that play an experiment:", "experiments", "run", []string{"metric", "seed", "replicates",
		"horizon", "out", "bounds", "font", "formats", "baseline"}},
	{"Of verbs that compute cells:", "computing", "run", []string{"workers", "cell-timeout", "isolate"}},
	{"Of verbs that start programs of others:", "programs", "run",
		[]string{"external", "externals", "actions", "external-timeout"}},
	{"Of verbs that print a table:", "tables", "table",
		[]string{"format", "out", "caption", "label", "no-notes"}},
	{"Of verbs that read CSV files:", "CSV files", "fit", []string{"file", "columns", "decimal",
		"ignore", "missing", "missing-code", "na", "separator"}},
	{"Of verbs that import:", "imports", "import portfolio", []string{"time", "reverse", "out"}},
}

// A flagGroup is a group of flags that verbs have together, one of which is named in of.
type flagGroup struct {
	title, name, of string
	flags           []string
}

// A grammarItem is an argument or a flag of a verb: its name, with the form of its value, and its
// line in a list.
type grammarItem struct{ flag, name, row string }

// itemsOf returns the arguments and the flags of a verb.
func itemsOf(n *kong.Node) (all []grammarItem) {
	for _, a := range n.Positional {
		all = append(all, grammarItem{a.Name, a.Summary(), listItem(a.Summary(), a.Help)})
	}
	for _, f := range n.Flags {
		if f.Name == "help" {
			continue
		}
		name := "--" + f.Name
		if !f.IsBool() && !f.IsCounter() {
			name += "=" + f.FormatPlaceHolder()
		}
		all = append(all, grammarItem{f.Name, name, listItem(name, f.Help)})
	}
	return all
}

// verbSection returns the section of a verb: what it does, where it is explained, its arguments and
// its own flags, and the names of the flags that are described once for several verbs.
func verbSection(n *kong.Node, uses, group map[string]int) string {
	own, named, members := "", []string(nil), make([][]string, len(flagGroups))
	for _, item := range itemsOf(n) {
		switch k := group[item.row]; {
		case uses[item.row] < 2:
			own += item.row
		case k == 0:
			named = append(named, "`"+item.name+"`")
		default:
			members[k] = append(members[k], "`"+item.name+"`")
		}
	}
	for k, g := range flagGroups {
		if len(members[k]) > 0 && len(members[k]) == len(g.flags) {
			named = append(named, "the flags of "+g.name)
		} else {
			named = append(named, members[k]...)
		}
	}
	path := strings.TrimPrefix(n.FullPath(), "bench ")
	text := fmt.Sprintf("\n## %s\n\n%s", n.FullPath(), n.Help)
	if guide := guides[path]; guide != "" {
		name, _, _ := strings.Cut(guide, "#")
		text += fmt.Sprintf(" [%s](%s)", name, guide)
	} else if n.Detail != "" {
		text += "\n\n```text\n" + trimLines(n.Detail) + "\n```"
	}
	text += "\n"
	if own != "" {
		text += "\n" + own
	}
	if len(named) > 0 {
		text += "\nAlso " + strings.Join(named, ", ") + ".\n"
	}
	return text
}

// listItem returns a line of a list in Markdown.
func listItem(name, doc string) string {
	return fmt.Sprintf("- `%s`: %s\n", name, escapeMarkdown(doc))
}

// escapeMarkdown returns a text in which Markdown finds no signs of its own.
var escapeMarkdown = strings.NewReplacer("*", `\*`, "_", `\_`, "<", `\<`).Replace

// trimLines returns a text without blanks at the ends of lines and of the whole.
func trimLines(text string) string {
	var lines []string
	for line := range strings.Lines(text) {
		lines = append(lines, strings.TrimRight(line, " \n"))
	}
	return strings.TrimSpace(strings.Join(lines, "\n"))
}

// registryList returns the list of a registry in Markdown: name, first part of the description,
// authors and year.
func registryList[E any](all []E, of func(E) (name, doc, reference string)) (text string) {
	for _, e := range all {
		name, doc, reference := of(e)
		doc, _, _ = strings.Cut(doc, ": ") // bench list NAME has the rest
		if authors := authorsAndYear(reference); authors != "" {
			doc += " (" + authors + ")"
		}
		text += listItem(name, doc)
	}
	return text
}

// authorsAndYear returns the first authors of a reference, and the year of its first paper: what
// comes before the title, which has several words.
func authorsAndYear(reference string) string {
	reference, _, _ = strings.Cut(reference, ";")
	var authors []string
	for author := range strings.SplitSeq(reference, ", ") {
		if strings.Contains(author, " ") {
			break
		}
		authors = append(authors, author)
	}
	if len(authors) > 2 {
		authors = []string{authors[0], "et al."}
	}
	if year := regexp.MustCompile(`\b(19|20)\d\d\b`).FindString(reference); year != "" && authors != nil {
		authors = append(authors, year)
	}
	return strings.ReplaceAll(strings.Join(authors, ", "), ", et al.", " et al.")
}

// TestReadme compares the names that README.md lists with the registries.
func TestReadme(t *testing.T) {
	const begin, end = "<!-- bench list: begin -->\n", "<!-- bench list: end -->\n"
	file, err := os.ReadFile("../../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	before, rest, opened := strings.Cut(string(file), begin)
	_, after, closed := strings.Cut(rest, end)
	if !opened || !closed {
		t.Fatalf("README.md: got no list between %q and %q, want it", begin, end)
	}
	var names [2][]string
	for _, a := range catalog.Algorithms {
		names[0] = append(names[0], "`"+a.Name+"`")
	}
	for _, p := range catalog.Problems {
		names[1] = append(names[1], "`"+p.Name+"`")
	}
	list := fmt.Sprintf("- **%d algorithms**: %s\n- **%d problems**: %s\n", len(names[0]),
		strings.Join(names[0], ", "), len(names[1]), strings.Join(names[1], ", "))
	text := before + begin + list + end + after
	golden.File(t, "../../../../README.md", text, *update)
}

// TestEveryVerbIsRunByAScript checks that some script runs each verb.
func TestEveryVerbIsRunByAScript(t *testing.T) {
	files, err := filepath.Glob("../testdata/script/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("got no scripts (%v), want some", err)
	}
	var all []byte
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, text...)
	}
	for _, n := range allVerbs() {
		path := strings.Join(strings.Fields(n.Path()), " ")
		if !n.Hidden && !bytes.Contains(all, []byte(" bench "+path)) {
			t.Errorf("got no script that runs bench %s, want cmd/bench/testdata/script/%s.txtar", path,
				n.Name)
		}
	}
}

// TestFlagsCompleteTheirNames completes a word in place of every flag and argument with a tag
// completes. Each flag or argument that is a SPEC has the tag.
func TestFlagsCompleteTheirNames(t *testing.T) {
	specs, tagged := 0, 0
	for _, n := range allVerbs() {
		values := n.Positional
		for _, f := range n.Flags {
			values = append(values, f.Value)
		}
		for _, v := range values {
			tag := v.Tag.Get("completes")
			switch v.Target.Type() {
			case reflect.TypeFor[use](), reflect.TypeFor[[]use](), reflect.TypeFor[uses]():
				if specs++; tag != "@algorithm" && tag != "@problem" && tag != "@algorithm,@problem" {
					t.Errorf("%s: %s is a SPEC: got completion %q, want algorithms or problems", n.FullPath(),
						v.Summary(), tag)
				}
			}
			if tag == "" || tag == "@stored" {
				continue
			}
			tagged++
			for _, kind := range strings.Split(tag, ",") {
				names := completion.Names(catalog, "results", kind)
				if len(names) == 0 || len(names) == 1 && names[0].Word != kind ||
					strings.HasPrefix(names[0].Word, "@") {
					t.Errorf("%s: %s: got no names of %q, want some", n.FullPath(), v.Summary(), kind)
				}
				for _, c := range []completion.Candidate{names[0], names[len(names)-1]} {
					line := append(strings.Fields(n.Path()), c.Word[:(len(c.Word)+1)/2])
					if v.Flag != nil {
						line = slices.Insert(line, len(line)-1, "--"+v.Name)
					}
					checkCompletes(t, c, line...)
				}
			}
		}
	}
	if specs < 10 || tagged < 20 {
		t.Errorf("got %d SPECs and %d flags with names, want at least 10 and 20", specs, tagged)
	}
}

// checkCompletes checks that a candidate is among those that complete a command line, and that all
// of them are without blanks and begin with what is typed.
func checkCompletes(t *testing.T, want completion.Candidate, line ...string) {
	t.Helper()
	var out bytes.Buffer
	Main(append([]string{completeVerb}, line...), &out, io.Discard, catalog)
	found := false
	for said := range strings.Lines(out.String()) {
		word, doc, _ := strings.Cut(strings.TrimSuffix(said, "\n"), "\t")
		found = found || word == want.Word && doc == want.Doc
		if !strings.HasPrefix(word, line[len(line)-1]) || strings.ContainsAny(word, " \t") {
			t.Errorf("%q: got %q, want a word that begins so, without spaces", line, word)
		}
	}
	if !found {
		t.Errorf("%q is not completed by %q", line, want)
	}
}

// TestCommandWordsRestoreTheFlags: the command words of flags set them in another process, lists
// element by element; flags that are zero have no words.
func TestCommandWordsRestoreTheFlags(t *testing.T) {
	flags := struct {
		Name  string
		Whole bool
		Count int
		Bare  int
		Pairs []string
		List  horizons
		Seed  *seed
		None  *seed
	}{Name: "a b", Whole: true, Count: 3, Pairs: []string{"x=1", "y=2"}, List: horizons{10, 20},
		Seed: new(seed)}
	want := []string{"--name=a b", "--whole", "--count=3", "--pairs=x=1", "--pairs=y=2",
		"--list=10,20", "--seed=0"}
	if got := commandWords(&flags); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestExternalTimeoutIsThatOfTheLibrary: the default of --external-timeout is the time that package
// external gives programs.
func TestExternalTimeoutIsThatOfTheLibrary(t *testing.T) {
	var c command
	if _, err := c.newParser(io.Discard, io.Discard, func(int) {}).Parse([]string{"run", "tiny"}); err != nil {
		t.Fatal(err)
	}
	if got := c.Run.ExternalTimeout.Duration; got != external.Timeout {
		t.Errorf("--external-timeout: got %v, want %v of the library", got, external.Timeout)
	}
}
