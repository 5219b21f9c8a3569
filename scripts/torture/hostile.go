//go:build linux

package main

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"time"
	"unicode"
	"unicode/utf8"
)

// What an input may cost at most.
const (
	maxMemory   = 512 << 10 // KB of resident memory
	timeLimit   = 10 * time.Second
	maxChars    = 2000 // characters of a refusal
	refusedCode = 2    // the exit code of a refusal
)

// An input is a command line in a directory with a store, and a file that it reads.
type input struct {
	name string
	args []string // the command line, in which FILE stands for the file
	file string   // the name of the file
	text string   // the content of the file
}

// tokens are values that [mutate] puts in the place of others: numbers at the ends of their ranges,
// YAML, paths, control characters, and long texts.
var tokens = []string{
	"", " ", "0", "-0", "-1", "1", "1e3", "1e308", "-1e308", "1e309", "1e-320", "0.1", "NaN", "-Inf",
	"Infinity", "0x1p-1074", "0x10", "1_000", "007",
	"9223372036854775807", "9223372036854775808", "-9223372036854775808", "18446744073709551615",
	"18446744073709551616", "1000000", "999999999999",
	"null", "~", "true", "no", "all", "[]", "{}", "[[]]", "[null]", "{\"a\":1}", "&a [*a]", "*a", "&a",
	"!!binary aGk=", "!!float 1", "<<: *a", "---\n", "...\n", "? a", "|", ">", "'", "\"", "\\", "`",
	":", ",", "=", "/", "..", "../../../etc/passwd", "/dev/zero", "/dev/stdin", "/proc/self/mem",
	"~/x", "%s%n%v", "$(id)", "<script>", "\\input{x}", "#", "-", "--", "--help", "@",
	"\x00", "\x1b[31m", "\x07", "\x7f", "\x9b", "\r", "\r\n", "\t", "\v", "\xff\xfe", "\xef\xbb\xbf",
	"\xc0\xaf", "\u202e", "\u2028", "é", "γ", "💥", "ﬀ", "\ufffd",
	strings.Repeat("a", 3000), strings.Repeat("[", 3000), strings.Repeat("{a: ", 300),
	strings.Repeat("9", 400), strings.Repeat("\n", 3000), strings.Repeat("é,", 2000),
	"0." + strings.Repeat("3", 400),
}

// token matches a number or a word, which [mutate] replaces.
var token = regexp.MustCompile(`-?[0-9.]+|[\pL_][\pL0-9_-]*`)

// mutate changes a good text in one or two ways.
func mutate(r *rand.Rand, text string) string {
	for range 1 + r.IntN(2) {
		at := r.IntN(len(text) + 1)
		end := min(len(text), at+r.IntN(20))
		lines := strings.SplitAfter(text, "\n")
		k := r.IntN(len(lines))
		switch r.IntN(12) {
		case 0: // cut short
			text = text[:at]
		case 1: // some characters less
			text = text[:at] + text[end:]
		case 2: // some characters twice
			text = text[:end] + text[at:]
		case 3: // a token more
			text = text[:at] + tokens[r.IntN(len(tokens))] + text[at:]
		case 4: // a flipped bit
			if at < len(text) {
				b := []byte(text)
				b[at] ^= 1 << r.IntN(8)
				text = string(b)
			}
		case 5: // a line at another place too
			text = strings.Join(slices.Insert(lines, k, lines[r.IntN(len(lines))]), "")
		case 6: // a line less
			text = strings.Join(slices.Delete(lines, k, k+1), "")
		case 7: // a line 300 times more
			text = strings.Join(slices.Insert(lines, k, slices.Repeat(lines[k:k+1], 300)...), "")
		case 8: // other ends of lines
			text = strings.ReplaceAll(text, "\n", []string{"\r\n", "\r", " ", "\n\n", "\x00"}[r.IntN(5)])
		default: // a number or a word is another
			if all := token.FindAllStringIndex(text, -1); len(all) > 0 {
				p := all[r.IntN(len(all))]
				text = text[:p[0]] + tokens[r.IntN(len(tokens))] + text[p[1]:]
			}
		}
	}
	return text
}

// The good inputs that mutants come from. They are short.
var (
	yamls = []string{
		"name: a\nhorizon: 20\nreplicates: 2\nproblems: [{use: iid, dim: 2}]\nalgorithms: [{use: ogd}]\n",
		"name: b\ndescription: two\nhorizon: [5, 9]\nreplicates: 1\nseed: 7\nwindow: 1.5\nconfidence: " +
			"0.9\nassumptions: ignore\nproblems:\n  - use: decaying-frequency\n    c: [0.5, 1]\n  - use: " +
			"fixed\nalgorithms:\n  - use: penalised-ftrl\n    gamma: 25\n    label: \"Penalised\"\n  - " +
			"{use: primal-dual, step: 5}\n",
	}
	problemSpecs = []string{"iid:dim=2,constraints=3", "fixed", "decaying-frequency:c=0.75",
		"perturbed", "online-qp:dim=3", "trace:file=FILE", "periodic"}
	algorithmSpecs = []string{"ogd", "penalised-ftrl:gamma=25,kappa=2", "primal-dual:step=5",
		"ogd:x0=[0.5,0.1],step=0.1", "yu-neely:doubling=true"}
	curves = "series,replicate,t,value\n" + strings.Join(func() (rows []string) {
		for k := range 3 {
			for t := 1; t <= 64; t *= 2 {
				rows = append(rows, fmt.Sprintf("regret,%d,%d,%d.%d\n", k+1, t, t/2+k+1, t%7))
			}
		}
		return rows
	}(), "")
	returns  = "day,cash,grain,metal\na,0.01,-0.02,0.03\nb,0.01,0.01,-0.01\nc,0.01,0.02,0.01\n"
	workload = "slot,jobs,north,east\na,277,10.6,25.1\nb,228,9.0,23.5\nc,200,8,21\n"
	samples  = "sample,y,a,b\na,0.38,0.35,-0.07\nb,0.96,0.45,0.39\nc,0.1,0.2,0.3\n"
)

// makeMutant makes input number i: one of twelve kinds, with a mutated file or SPEC.
func makeMutant(r *rand.Rand, i int) input {
	yaml, csv := mutate(r, yamls[r.IntN(len(yamls))]), mutate(r, curves)
	problem, algorithm := problemSpecs[r.IntN(len(problemSpecs))],
		algorithmSpecs[r.IntN(len(algorithmSpecs))]
	pair := func() []string {
		p, a := problem, algorithm
		if r.IntN(2) == 0 {
			p = mutate(r, p)
		} else {
			a = mutate(r, a)
		}
		return []string{"--problem=" + p, "--algorithm=" + a}
	}
	switch i % 12 {
	case 0, 1:
		return input{"an experiment, run", []string{"run", "FILE", "--out=out", "--store=store"},
			"m.yaml", yaml}
	case 2:
		return input{"an experiment, run --explain",
			[]string{"run", "FILE", "--explain", "--store=store"}, "m.yaml", yaml}
	case 3:
		return input{"an experiment, tune", []string{"tune", "FILE", "--store=store"}, "m.yaml", yaml}
	case 4:
		return input{"SPECs, play", append([]string{"play", "--horizon=9"}, pair()...), "r.jsonl",
			repeatRounds(traceRounds, 9)}
	case 5:
		return input{"SPECs, hindsight", append([]string{"hindsight", "--horizon=9", "--json"},
			pair()...), "r.jsonl", repeatRounds(traceRounds, 9)}
	case 6:
		return input{"SPECs, diagnose", append([]string{"diagnose", "--horizon=40", "--replicates=2"},
			pair()...), "r.jsonl", repeatRounds(traceRounds, 40)}
	case 7, 8:
		return input{"rounds, " + algorithm,
			[]string{"play", "--algorithm=" + algorithm, "--ignore-assumptions", "--problem=trace:file=FILE",
				"--horizon=3"}, "r.jsonl", mutate(r, repeatRounds(traceRounds, 3))}
	case 9:
		return input{"curves, fit", []string{"fit", "FILE"}, "c.csv", csv}
	case 10:
		return input{"a table, import", [][]string{
			{"import", "portfolio", "FILE"},
			{"import", "portfolio", "FILE", "--risk=grain"},
		}[r.IntN(2)], "c.csv", mutate(r, returns)}
	}
	if r.IntN(2) == 0 {
		return input{"a table, import", []string{"import", "regression", "FILE", "--label=y"}, "c.csv",
			mutate(r, samples)}
	}
	return input{"a table, import", []string{
		"import", "job-scheduling", "FILE", "--demand=jobs", "--prices=north",
	}, "c.csv", mutate(r, workload)}
}

// commandLines are good command lines, whose words are replaced one by one.
var commandLines = [][]string{
	{"list", "ogd", "--json"},
	{"run", "e.yaml", "--store=store", "--out=out", "--workers=1", "--shard=1/1", "--seed=1",
		"--replicates=1", "--horizon=20", "--cell-timeout=9s"},
	{"tune", "e.yaml", "--store=store", "--replicates=1", "--metric=regret_xhat", "--out=t.yaml"},
	{"play", "--algorithm=ogd", "--problem=iid", "--horizon=3", "--seed=1", "--replicate=1"},
	{"hindsight", "--problem=iid", "--horizon=9", "--window=2", "--burn-in=3", "--seed=1"},
	{"diagnose", "--problem=iid", "--horizon=20", "--replicates=2", "--gamma=25", "--epsilon=0.1",
		"--figure=f.svg"},
	{"fit", "c.csv", "--series=series", "--ignore=x", "--design=along-t", "--window=1", "--from=1",
		"--to=64", "--confidence=0.9", "--figure=f.svg"},
	{"compare", "--store=store", "--experiment=tiny", "--baseline=ogd", "--metric=violation_soft",
		"--benchstat=b.txt"},
	{"report", "tiny", "--store=store", "--out=x.html", "--beside=store"},
	{"export", "--store=store", "--out=x.csv"},
	{"verify", "--store=store", "--experiment=tiny", "--sample=1", "--workers=1"},
	{"check", "--experiment=e.yaml", "--baseline=e.yaml", "--seed=1", "--workers=1"},
	{"import", "portfolio", "p.csv", "--out=o.jsonl"},
}

// wrongValues are values of words of command lines that no table of tokens has.
var wrongValues = []string{
	"", "-", "--", "x\x1b[31my", "\xff\xfe", "\u202eabc", "-1", "0", "1.5", "1e99", "NaN", "1/0",
	"2/1", "0/0", "a,b,,c", strings.Repeat("z", 5000), strings.Repeat("9,", 2000), "/dev/null/x",
	"/dev/zero", "nowhere/at/all", "..", "$HOME", "é", "%!d(string=x)", "loop", "pipe", "folder",
	"999999999999999999999",
}

// makeInputs returns mutants of good files and SPECs, and of good command lines.
func makeInputs(r *rack) (all []input) {
	for i := range r.trials(600, 60) {
		all = append(all, makeMutant(rand.New(rand.NewPCG(r.seed, uint64(i))), i))
	}
	table := rand.New(rand.NewPCG(r.seed, 1<<32))
	for _, line := range commandLines {
		for k := range line {
			for range r.trials(3, 1) {
				value := wrongValues[table.IntN(len(wrongValues))]
				args := slices.Clone(line)
				if flag, _, ok := strings.Cut(args[k], "="); ok {
					args[k] = flag + "=" + value
				} else {
					args[k] = value
				}
				all = append(all, input{name: "a command line", args: args})
			}
		}
		all = append(all,
			input{name: "an unknown flag", args: append(slices.Clone(line),
				"--"+tokens[table.IntN(len(tokens))])},
			input{name: "a flag twice", args: append(slices.Clone(line), line[len(line)-1])},
			input{name: "an argument more", args: append(slices.Clone(line), "more")},
			input{name: "a flag without a value", args: append(slices.Clone(line), "--store")})
	}
	for _, in := range all { // the system has no arguments with NUL, or of 128 KiB
		for k, arg := range in.args {
			in.args[k] = strings.ReplaceAll(arg[:min(len(arg), 100_000)], "\x00", "\x01")
		}
	}
	return all
}

// hostile feeds every verb with input that is wrong, or nearly. What is refused is
// refused in a few words, in little memory and time, and the store stays as it is.
func hostile(r *rack) error {
	base, err := r.runUndisturbedExpecting(0, "bench", tiny)
	if err != nil {
		return err
	}
	all := makeInputs(r)
	interruptedGames, refusals := 0, 0
	r.runTrials(len(all), func(i int) string {
		return fmt.Sprintf("%d: %s: %.300q, file %.500q", i, all[i].name, all[i].args, all[i].text)
	}, func(t *trial, i int) error {
		in := all[i]
		if err := in.prepare(t, base); err != nil {
			return err
		}
		args := slices.Clone(in.args)
		for k := range args {
			args[k] = strings.ReplaceAll(args[k], "FILE", in.file)
		}
		p := t.command("bench", args...)
		interrupted, err := p.runBounded(timeLimit / 2)
		if err != nil {
			return err
		}
		t.mu.Lock()
		if interrupted {
			interruptedGames++
		} else if p.code() == refusedCode {
			refusals++
		}
		t.mu.Unlock()
		if err := p.checkBehaviour(interrupted); err != nil {
			return err
		}
		return errors.Join(in.checkStore(t, base, p.code()), t.checkOrphans())
	})
	r.notes = append(r.notes, fmt.Sprintf("%d refused", refusals))
	if interruptedGames > 0 {
		r.notes = append(r.notes, fmt.Sprintf("%d long games interrupted", interruptedGames))
	}
	return nil
}

// prepare makes the directory of a trial: a store, files of all kinds, and that of the input.
func (in *input) prepare(t *trial, base *undisturbed) error {
	if err := os.CopyFS(t.path("."), os.DirFS(base.dir)); err != nil {
		return err
	}
	err := errors.Join(t.write("c.csv", curves), t.write("p.csv", returns),
		os.Mkdir(t.path("folder"), 0o777), os.Symlink("loop", t.path("loop")),
		syscall.Mkfifo(t.path("pipe"), 0o666))
	if in.file != "" {
		err = errors.Join(err, t.write(in.file, in.text))
	}
	return err
}

// checkStore returns an error unless the store has what it had before, and no more if the input was
// refused.
func (in *input) checkStore(t *trial, base *undisturbed, code int) error {
	after, err := readTree(t.path("store"))
	if err != nil {
		return err
	}
	for name := range after {
		if _, had := base.store[name]; !had && code != refusedCode {
			delete(after, name)
		}
	}
	if in.changesRecord() && code != refusedCode { // an experiment of the same name
		after["experiments/tiny.json"] = base.store["experiments/tiny.json"]
	}
	return base.store.diff(after)
}

// changesRecord reports whether the input may run the experiment of the store with other flags.
func (in *input) changesRecord() bool { return slices.Contains(in.args, "e.yaml") }

// runBounded runs the process, and interrupts what takes long: a long game is no fault,
// if it can be interrupted.
func (p *process) runBounded(limit time.Duration) (interrupted bool, err error) {
	if err := p.start(); err != nil {
		return false, err
	}
	// A pipe without a writer keeps its reader waiting.
	if f, err := os.OpenFile(filepath.Join(p.Dir, "pipe"), os.O_WRONLY|syscall.O_NONBLOCK,
		0); err == nil {
		f.Close()
	}
	if interrupted = !p.waitFor(limit); interrupted {
		p.signalGroup(syscall.SIGINT)
	}
	return interrupted, p.wait(timeLimit)
}

// checkBehaviour returns an error for a panic, an exit code that the verb does not have, a refusal
// without a message or with a long one, too much memory, and output that is no text.
func (p *process) checkBehaviour(interrupted bool) error {
	code, said := p.code(), p.err.Bytes()
	switch {
	case bytes.Contains(said, []byte("goroutine ")) ||
		code == 3 && bytes.Contains(said, []byte("panic: ")):
		return fmt.Errorf("it panicked: %.500s", said)
	case !slices.Contains(p.allowedCodes(interrupted), code):
		return fmt.Errorf("exit code %d: %.500s", code, said)
	case code == refusedCode && !bytes.HasPrefix(said, []byte("bench: ")) &&
		!bytes.Contains(said, []byte("\nbench: ")):
		return fmt.Errorf("no message: %.500q", said)
	case code == refusedCode && utf8.RuneCount(said) > maxChars:
		return fmt.Errorf("a message of %d characters: %.200q…", utf8.RuneCount(said), said)
	}
	if rss := p.ProcessState.SysUsage().(*syscall.Rusage).Maxrss; rss > maxMemory {
		return fmt.Errorf("exit code %d after %d MB: %.200s", code, rss>>10, said)
	}
	return errors.Join(checkPrintable(said), checkPrintable(p.out.Bytes()))
}

// allowedCodes returns the exit codes that the process may have: 1 says what check and verify find.
func (p *process) allowedCodes(interrupted bool) []int {
	switch verb := p.Args[1]; {
	case interrupted:
		return []int{130}
	case verb == "check" || verb == "verify":
		return []int{0, 1, refusedCode, 3}
	}
	return []int{0, refusedCode, 3}
}

// checkPrintable returns an error for output that is no text: not UTF-8, or with characters that
// control the terminal.
func checkPrintable(out []byte) error {
	for i, c := range string(out) {
		invalid := c == utf8.RuneError && !strings.HasPrefix(string(out[i:min(len(out), i+3)]), "\ufffd")
		if invalid || unicode.IsControl(c) && c != '\n' && c != '\t' || c == '\u202e' {
			return fmt.Errorf("it prints %+q: %.300q", c, out[max(0, i-100):min(len(out), i+20)])
		}
	}
	return nil
}
