//go:build unix

// Command mutants measures what the tests notice: it puts defects, one at a time, into a copy of
// the tree, and runs tests until one fails. scripts/mutants.sh builds and runs it in the directory
// of the module.
//
//	mutants [-package P] [-sample N] [-seed S] [-workers N] [-near] [-resume FILE] [-timeout D]
//	mutants -rule [-survivors] [-budget D] [-advisory] [the flags above]
//	mutants -rule -list
//
// The defects are those of defects.txt, which were written by hand. With -rule they are made from
// the production code and the scripts of the page: operators, off by one, dropped negations and
// statements, swapped arguments, doubled numbers (operators.go, script.go). A sample of them is
// determined by the seed, and hardly changes with code elsewhere (draw.go). Defects that do not
// compile, and those that equivalent.txt lists with a reason, are counted and passed over.
//
// All defects are compiled once, together (schemata.go), and each test is run once without a
// defect, for itself, to see which defects it reaches and how long it takes (lab.go). A trial runs
// only tests that reach the defect: quick ones first, of its package and then of those that depend
// on it, and slow ones once all defects have met the quick (trial.go). A test that fails without a
// defect is left out, and named. A listed change that does not compile is refused as a defect.
//
// With -resume, a defect by rule that FILE says survived is tried again with -survivors only.
//
// Exit codes: 0 enough of the defects are killed, which is 97 % of the list and 90 % by rule; 1
// less, unless -advisory; 2 bad usage, a defect that is not in the tree or does not
// compile; 130 interrupted.
package main

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"text/tabwriter"
	"time"
)

// enough is the share of the defects of the list that has to be killed, and enoughByRule of
// those by rule.
const enough, enoughByRule = 0.97, 0.90

// memory is how many bytes a process that is started here may have.
const memory = 8 << 30

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	// a defect may well ask for all memory
	syscall.Setrlimit(syscall.RLIMIT_DATA, &syscall.Rlimit{Cur: memory, Max: memory})
	share, wanted, err := run(ctx, os.Args[1:])
	switch {
	case ctx.Err() != nil:
		fmt.Fprintln(os.Stderr, "mutants: interrupted")
		os.Exit(130)
	case errors.Is(err, flag.ErrHelp):
	case err != nil:
		fmt.Fprintf(os.Stderr, "mutants: %v\n", err)
		os.Exit(2)
	case share < wanted:
		fmt.Fprintf(os.Stderr, "mutants: %.1f %% are killed, expected at least %.0f %%\n", 100*share,
			100*wanted)
		os.Exit(1)
	}
}

// options are the flags.
type options struct {
	pkg     string
	sample  int
	seed    uint64
	workers int
	near    bool
	resume  string
	timeout time.Duration

	rule, list, survivors, advisory bool
	budget                          time.Duration
}

func parseFlags(args []string) (o options, err error) {
	flags := flag.NewFlagSet("mutants", flag.ContinueOnError)
	flags.StringVar(&o.pkg, "package", "", "only the defects of this `package`, such as convex/vec")
	flags.IntVar(&o.sample, "sample", 0, "only so many defects, drawn by the seed; 0: all")
	flags.Uint64Var(&o.seed, "seed", 1, "the seed of the sample")
	flags.IntVar(&o.workers, "workers", 1,
		"so many defects at the same time")
	flags.BoolVar(&o.near, "near", false,
		"only the tests of the defective package itself, shortened, and the script of a verb")
	flags.StringVar(&o.resume, "resume", "",
		"the `file` that outcomes are added to; what it says is killed is not tried again")
	flags.DurationVar(&o.timeout, "timeout", 10*time.Minute, "of a test without a defect")
	flags.BoolVar(&o.rule, "rule", false, "defects made by rule, in place of those of the list")
	flags.BoolVar(&o.list, "list", false, "print the defects, and try none")
	flags.BoolVar(&o.survivors, "survivors", false, "try again what -resume says survived")
	flags.BoolVar(&o.advisory, "advisory", false, "exit with 0 however many survive")
	flags.DurationVar(&o.budget, "budget", 0, "start no trial after this time; 0: no end")
	if err := flags.Parse(args); err != nil {
		return o, err
	}
	if flags.NArg() > 0 || o.workers < 1 || o.sample < 0 || o.budget < 0 ||
		o.survivors && (!o.rule || o.resume == "") {
		return o, errors.New("bad usage; see -help")
	}
	return o, nil
}

// choose returns the defects that the flags ask for, and the places of those that do not compile.
func (o options) choose(ctx context.Context) ([]defect, map[int]bool, error) {
	pkg := ""
	if o.pkg != "" {
		pkg = filepath.ToSlash(filepath.Clean(o.pkg))
	}
	s, err := readSource(ctx, ".")
	if err != nil {
		return nil, nil, err
	}
	if o.rule {
		d, err := s.draw(ctx, pkg, o.sample, o.seed)
		if err == nil && len(d.defects) == 0 {
			err = fmt.Errorf("no defect is in package %s", o.pkg)
		}
		fmt.Printf("%d defects by rule; of those drawn %d do not compile, %d are equivalent, "+
			"%d are left\n", len(s.defects), d.broken, d.equivalent, len(d.defects))
		return d.defects, nil, err
	}
	defects, err := load(".")
	if err != nil {
		return nil, nil, err
	}
	if o.pkg != "" {
		defects = slices.DeleteFunc(defects, func(d defect) bool { return d.pkg() != pkg })
	}
	if o.sample > 0 {
		defects = sample(defects, o.sample, o.seed)
	}
	if len(defects) == 0 {
		return nil, nil, fmt.Errorf("no defect is in package %s", o.pkg)
	}
	bad := make(map[int]bool)
	for i, d := range defects {
		ok, err := s.compiles(ctx, d)
		if err != nil {
			return nil, nil, err
		}
		bad[i] = !ok
	}
	return defects, bad, nil
}

// run tries the defects, prints what became of them, and returns the share that is killed and the
// share that is wanted.
func run(ctx context.Context, args []string) (share, wanted float64, err error) {
	o, err := parseFlags(args)
	if err != nil {
		return 0, 0, err
	}
	begun := time.Now()
	defects, bad, err := o.choose(ctx)
	if err != nil {
		return 0, 0, err
	}
	if o.list {
		for _, d := range defects {
			fmt.Printf("%s:%d: %s\n- %s\n+ %s\n\n", d.file, d.line, d.wrong, d.old, d.new)
		}
		return 1, 0, nil
	}
	known, err := earlier(o.resume, o.rule && !o.survivors, o.near)
	if err != nil {
		return 0, 0, err
	}
	dir, err := os.MkdirTemp("", "mutants-")
	if err != nil {
		return 0, 0, err
	}
	defer os.RemoveAll(dir)
	l, err := newLab(ctx, dir, o, defects, bad)
	if err != nil {
		return 0, 0, err
	}
	defer os.RemoveAll(l.temp)
	verdicts, err := o.tryAll(ctx, l, defects, known)
	if err != nil {
		return 0, 0, err
	}
	var cpu time.Duration
	for _, v := range verdicts {
		if _, ok := known[v.ID]; !ok {
			cpu += v.CPU
		}
	}
	share = report(defects, verdicts)
	fmt.Printf("\n%.0f s of clock; of CPU %.0f s for builds, %.0f s for tests without a defect, and "+
		"%.0f s for those with one\n", time.Since(begun).Seconds(),
		time.Duration(l.building.Load()).Seconds(), time.Duration(l.recording.Load()).Seconds(),
		cpu.Seconds())
	for i, v := range verdicts {
		if v.Outcome == broken {
			err = errors.Join(err, fmt.Errorf("%s:%d: %s does not compile:\n%s", defects[i].from(),
				defects[i].line, defects[i], v.output))
		}
	}
	switch {
	case o.advisory:
	case o.rule:
		wanted = enoughByRule
	default:
		wanted = enough
	}
	return share, wanted, err
}

// tryAll tries the defects: all of them with tests that are near or quick, and what survives
// these with the others, those first whose trial is cheap. Outcomes that are known are not tried
// again, and once the budget is spent, none is tried: its verdict has no outcome.
func (o options) tryAll(ctx context.Context, l *lab, defects []defect,
	known map[string]verdict) ([]verdict, error) {
	verdicts := make([]verdict, len(defects))
	for i, d := range defects {
		verdicts[i] = known[d.id()]
	}
	begun := time.Now()
	var some []int
	for i, v := range verdicts {
		if v.Outcome == "" {
			some = append(some, i)
		}
	}
	err := o.pass(ctx, l, defects, verdicts, begun, some)
	if err != nil || o.near {
		return verdicts, err
	}
	some = nil
	cost := make([]time.Duration, len(defects))
	for i, v := range verdicts {
		if v.Outcome != survived || !v.Quick {
			continue
		}
		some = append(some, i)
		b := &bench{lab: l}
		for g, err := range b.groups(ctx, defects[i], i+1, true) {
			if err != nil {
				return nil, err
			}
			cost[i] += g.cpu
		}
	}
	slices.SortStableFunc(some, func(i, j int) int { return cmp.Compare(cost[i], cost[j]) })
	return verdicts, o.pass(ctx, l, defects, verdicts, begun, some)
}

// pass tries some of the defects, as many at the same time as there are workers. It prints each
// outcome and adds it to the file to resume from, in their order, so that what is there after an
// interrupt is not what was decided soonest.
func (o options) pass(ctx context.Context, l *lab, defects []defect, verdicts []verdict,
	begun time.Time, some []int) error {
	errs, done := make([]error, len(some)), make([]bool, len(some))
	next := make(chan int)
	var wg sync.WaitGroup
	var mu sync.Mutex
	noted := 0
	end := func(k int, v verdict, err error) {
		mu.Lock()
		defer mu.Unlock()
		verdicts[some[k]], errs[k], done[k] = v, err, true
		for ; noted < len(done) && done[noted] && errs[noted] == nil; noted++ {
			errs[noted] = note(o.resume, verdicts[some[noted]])
			verdicts[some[noted]].print(defects[some[noted]])
		}
	}
	for w := range o.workers {
		b := &bench{l, o.near, fmt.Sprint(l.root, w)}
		wg.Go(func() {
			for k := range next {
				i := some[k]
				v, err := b.try(ctx, defects[i], i+1, verdicts[i])
				end(k, v, errors.Join(err, ctx.Err()))
			}
		})
	}
	for k := range some {
		if ctx.Err() != nil || o.budget > 0 && time.Since(begun) >= o.budget {
			break
		}
		next <- k
	}
	close(next)
	wg.Wait()
	return errors.Join(append(errs, ctx.Err())...)
}

// print prints what became of a defect.
func (v verdict) print(d defect) {
	fmt.Printf("%s: %s", v.Outcome, d)
	switch {
	case v.Quick:
		fmt.Print(" the quick tests")
	case v.Unrun:
		fmt.Print(" (no test reaches it)")
	case v.Outcome != survived:
		fmt.Printf(" (%s %s)", v.Package, strings.Join(v.Tests, " "))
	}
	fmt.Printf(", %.0f s\n", v.Clock.Seconds())
}

// earlier reads the outcomes of earlier runs, the last of each defect, but for those that do not
// compile, and for survivors unless they are asked for or still have to meet the slow tests. What
// survived the nearest tests says something only of these: it is read with near only.
func earlier(file string, survivors, near bool) (map[string]verdict, error) {
	known := make(map[string]verdict)
	f, err := os.Open(file)
	if file == "" || errors.Is(err, os.ErrNotExist) {
		return known, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var v verdict
		if err := json.Unmarshal(lines.Bytes(), &v); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		if v.Near && v.Outcome == survived && !near {
			continue
		}
		delete(known, v.ID)
		if v.Outcome == killed || v.Outcome == late ||
			v.Outcome == survived && (survivors || v.Quick) {
			known[v.ID] = v
		}
	}
	return known, nil
}

// note adds an outcome to the file, if there is one.
func note(file string, v verdict) error {
	if file == "" {
		return nil
	}
	line, err := json.Marshal(v)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
	if err != nil {
		return err
	}
	_, err = f.Write(append(line, '\n'))
	return errors.Join(err, f.Close())
}

// report prints a table by package, and by rule, and the survivors, and returns the share killed.
func report(defects []defect, verdicts []verdict) float64 {
	tabulate("package", defects, verdicts, defect.pkg)
	if defects[0].made != nil {
		tabulate("rule", defects, verdicts, func(d defect) string { return d.rule })
	}
	counts := make(map[outcome]int)
	for _, v := range verdicts {
		counts[v.Outcome]++
	}
	for _, o := range []outcome{late, broken, survived} {
		for i, v := range verdicts {
			if v.Outcome == o {
				fmt.Printf("%s: %s\n", o, defects[i].full())
			}
		}
	}
	found := counts[killed] + counts[late]
	tried := found + counts[survived]
	share := float64(found) / float64(max(1, tried))
	fmt.Printf("\n%.1f %% of %d defects are killed\n", 100*share, tried)
	if n := counts[""]; n > 0 {
		fmt.Printf("%d are not tried, since the time was over\n", n)
	}
	return share
}

// tabulate prints how many defects are killed by what they have in common.
func tabulate(title string, defects []defect, verdicts []verdict, of func(defect) string) {
	type row struct{ all, killed, own, late, survived int }
	rows := make(map[string]*row)
	const every = "all"
	for i, v := range verdicts {
		for _, name := range []string{of(defects[i]), every} {
			if rows[name] == nil {
				rows[name] = new(row)
			}
			r := rows[name]
			switch v.Outcome {
			case late:
				r.late++
				fallthrough
			case killed:
				r.all++
				r.killed++
				if v.Package == defects[i].pkg() {
					r.own++
				}
			case survived:
				r.all++
				r.survived++
			}
		}
	}
	names := slices.Sorted(maps.Keys(rows))
	names = append(slices.DeleteFunc(names, func(s string) bool { return s == every }), every)
	fmt.Println()
	table := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(table, "%s\tdefects\tkilled\tby own tests\ttimed out\tsurvived\t\n", title)
	for _, name := range names {
		r := rows[name]
		fmt.Fprintf(table, "%s\t%d\t%d\t%d\t%d\t%d\t\n", name, r.all, r.killed, r.own, r.late, r.survived)
	}
	table.Flush()
}
