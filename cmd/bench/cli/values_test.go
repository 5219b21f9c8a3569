package cli

import (
	"bytes"
	"io"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"ocobench/harness/store"
	"ocobench/internal/race"

	"github.com/alecthomas/kong"
)

// good are command lines that need nothing more, a line for each verb that has flags with values;
// of the files they name, testdata/session.txtar has those that they read.
var good = `run a.yaml
tune d.yaml
table a
figure a --out f.pdf
report a --out p.html
slurm b.yaml --dry-run
status a
play --problem iid --horizon 2 --algorithm ogd
hindsight --problem iid --horizon 2
diagnose --problem iid --horizon 2
score acts.jsonl --problem iid
compare --experiment a
fit curves.csv
check --experiment a.yaml --baseline ref.json --update
attack --algorithm guo --horizon 6 --budget 12 --dim 1
conform ogd --law act
store ls
store show KEY
store rm a
store gc
store pack
export --out x.csv
verify
claims
import portfolio losses.csv --ignore c
import job-scheduling losses.csv --demand a --ignore c
import regression losses.csv --label a --ignore c
import logistic losses.csv --label c
import experts losses.csv --ignore c
import budgets losses.csv --cost a --use b --budget 1 --ignore c
`

// bad are values that a flag of a type does not take.
var bad = map[reflect.Type][]string{
	reflect.TypeFor[count]():          {"", "0", "-1", "1.5", "x", "1e400"},
	reflect.TypeFor[natural]():        {"", "-1", "1.5", "x"},
	reflect.TypeFor[*count]():         {"0", "x"},
	reflect.TypeFor[[]count]():        {"0", "1,0", "x"},
	reflect.TypeFor[seed]():           {"", "-1", "x", "18446744073709551616"},
	reflect.TypeFor[*seed]():          {"", "-1", "x", "18446744073709551616"},
	reflect.TypeFor[horizons]():       {"", "0", "x", "8,x", "8,4", "8,8", "8,"},
	reflect.TypeFor[shard]():          {"", "0/2", "3/2", "1", "1/0", "x/2", "1/x", "1/2/2", "env/2"},
	reflect.TypeFor[positive]():       {"", "0", "-1", "x", "inf", "nan"},
	reflect.TypeFor[*positive]():      {"0", "-1", "x"},
	reflect.TypeFor[*finite]():        {"", "x", "inf", "nan"},
	reflect.TypeFor[[]finite]():       {"x", "1,nan", "inf"},
	reflect.TypeFor[fraction]():       {"", "0", "1", "-1", "x"},
	reflect.TypeFor[duration]():       {"", "0s", "-1s", "5", "x"},
	reflect.TypeFor[memory]():         {"", "0", "2GB", "G", "x2G", "2G,"},
	reflect.TypeFor[[]sbatchOption](): {"", "--", "account=x", "--wrap=x", "--account=a\nb", "--mem=\r"},
	reflect.TypeFor[use]():            {"", "nonesuch", "iid:", "iid:nonesuch=1", "ogd:step=x"},
	reflect.TypeFor[[]use]():          {"", "nonesuch", "ogd:", "ogd:nonesuch=1"},
	reflect.TypeFor[uses]():           {"", "nonesuch", "nonesuch,ogd", "ogd,nonesuch", "ogd:"},
	reflect.TypeFor[picture]():        {"", "x", "x.gif", "a.yaml/x.png"},
	reflect.TypeFor[path]():           {"", "a.yaml/x", "a.yaml/x.html", "a.yaml/x.csv"},
	reflect.TypeFor[[]path]():         {"", "a.yaml/x.yaml"},
	reflect.TypeFor[columnRanges]():   {"", "0", "x", "2-1", "1-", "1,,2", "1-99"},
	reflect.TypeFor[*separator]():     {"", "ab", "\""},
	reflect.TypeFor[decimal]():        {"", "x", ".,"},
	reflect.TypeFor[missingCodes]():   {"", "x", "1,", "nan"},
	reflect.TypeFor[float64]():        {"", "-1", "x", "nan"},
	reflect.TypeFor[string]():         {"nonesuch"},
	reflect.TypeFor[[]string]():       {"nonesuch"},
	reflect.TypeFor[[]externalFlag](): {"", "x", "=x", "ogd=x"},
	reflect.TypeFor[[]actionsFlag]():  {"", "x", "=x", "x=nonesuch.jsonl", "ogd=acts.jsonl"},
}

// free are flags of any text, that of a folder that need not be one, and that of an axis, which an
// analysis decides on.
var free = []string{"partition", "caption", "label", "na", "name", "positive",
	"slurm --out", "figure --x"}

// format matches the placeholders of files whose ending says what they are.
var format = regexp.MustCompile(`\.yaml$|\.html$|\|\.`)

// without have no flag with a value, or take long.
var without = []string{"list", "new", "paper", "serve", "completion"}

// A value that a flag or an argument does not take is refused, by name, before anything is
// written: nothing on standard output and no file.
func TestBadValuesAreRefusedBeforeAnythingIsWritten(t *testing.T) {
	if race.Enabled && testing.Short() {
		t.Skip("one thing after another")
	}
	dir, _ := startSession(t)
	t.Chdir(dir)
	run := func(args ...string) (code int, out, said string) {
		var stdout, stderr bytes.Buffer
		code = Main(args, &stdout, &stderr, catalog)
		return code, stdout.String(), stderr.String()
	}
	for _, part := range []string{"1/2", "2/2"} {
		if code, _, said := run("run", "a.yaml", "--shard", part); code != exitDone {
			t.Fatal(said)
		}
	}
	_, acts, _ := run("play", "--problem", "iid", "--horizon", "2", "--algorithm", "ogd")
	if err := os.WriteFile("acts.jsonl", []byte(acts), 0o666); err != nil {
		t.Fatal(err)
	}
	cells, err := filepath.Glob("results/cells/*/*.cell")
	if err != nil || len(cells) == 0 {
		t.Fatal(err)
	}
	key := strings.TrimSuffix(filepath.Base(cells[0]), ".cell")
	before := filesBelow(t, ".")
	refused := func(flag, value string, args []string) {
		t.Helper()
		code, out, said := run(args...)
		named := strings.Contains(said, "--"+flag) || value != "" && strings.Contains(said, value) ||
			strings.Contains(value, ",") && strings.Contains(said, "nonesuch")
		if code != exitBadInput || out != "" || !strings.HasPrefix(said, "bench: ") || !named {
			t.Errorf("bench %q: got exit code %d, stdout %q, stderr %q, want 2, nothing, and the flag or "+
				"value", args, code, out, said)
		}
		if now := filesBelow(t, "."); !maps.Equal(before, now) {
			t.Errorf("bench %q: got the files %q, want %q as before", args, slices.Sorted(maps.Keys(now)),
				slices.Sorted(maps.Keys(before)))
			before = now
		}
	}
	for _, n := range allVerbs() {
		verb := strings.Join(strings.Fields(n.Path()), " ")
		var args []string
		for line := range strings.Lines(good) {
			if strings.HasPrefix(strings.TrimSpace(line)+" ", verb+" ") {
				args = strings.Fields(strings.Replace(line, "KEY", key, 1))
			}
		}
		checked := slices.DeleteFunc(slices.Clone(n.Flags), func(f *kong.Flag) bool {
			return f.IsBool() || f.Name == "help" || slices.Contains(free, f.Name) ||
				slices.Contains(free, verb+" --"+f.Name)
		})
		if args == nil {
			if len(checked) > 0 && !n.Hidden && !slices.Contains(without, verb) {
				t.Errorf("got no line for %s, want one", verb)
			}
			continue
		}
		for _, f := range checked {
			values := bad[f.Target.Type()]
			if values == nil {
				t.Errorf("%s --%s: got no bad values of type %v, want some", verb, f.Name, f.Target.Type())
			}
			for _, v := range values {
				refused(f.Name, v, slices.Concat(args, []string{"--" + f.Name + "=" + v}))
			}
			if format.MatchString(f.PlaceHolder) {
				refused(f.Name, "x.nonesuch", slices.Concat(args, []string{"--" + f.Name + "=x.nonesuch"}))
			}
			refused(f.Name, "", slices.Concat(args, []string{"--" + f.Name}))
			refused(f.Name, "", slices.Concat(args, []string{"--" + f.Name, "--debug"}))
		}
	}
}

// What removes something, and packs, does nothing while a run writes to the store, or another
// process packs it.
func TestReservedStoreIsNotChanged(t *testing.T) {
	dir, _ := startSession(t)
	t.Chdir(dir)
	bench := func(line string) (code int) {
		return Main(strings.Fields(line), io.Discard, io.Discard, catalog)
	}
	if code := bench("run c.yaml --shard 1/2"); code != exitDone {
		t.Fatal(code)
	}
	s, err := store.Open("results")
	if err != nil {
		t.Fatal(err)
	}
	leave, err := s.Reserve()
	if err != nil {
		t.Skip(err)
	}
	before := filesBelow(t, ".")
	for _, line := range []string{"store rm c --yes", "store gc --yes", "store rm c --yes --unlocked",
		"store pack"} {
		if code := bench(line); code != exitBadInput || !maps.Equal(before, filesBelow(t, ".")) {
			t.Errorf("bench %s: got exit code %d or other files, want 2 and the same", line, code)
		}
	}
	for _, line := range []string{"store rm c", "store gc", "store ls"} {
		if code := bench(line); code != exitDone {
			t.Errorf("bench %s: exit code %d", line, code)
		}
	}
	leave()
	if code := bench("store rm c --yes"); code != exitDone || maps.Equal(before, filesBelow(t, ".")) {
		t.Errorf("once it is free: got exit code %d, want 0 and fewer files", code)
	}
}
