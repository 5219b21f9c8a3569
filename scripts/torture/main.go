//go:build linux

// Command torture kills, starves and misfeeds bench, and counts the trials after which a number is
// missing or wrong, or in which bench did not end as it should. scripts/torture.sh builds what it
// needs and runs it.
//
//	torture [-quick] [-seed S] -dir DIR [KIND ...]   a table; exit code 1 if a trial failed
//	torture play STORE WORKERS EXPERIMENT.yaml       plays an experiment, prints digests of its cells
//	torture disk …                                   tries a file system that is full or read-only
//
// The kinds start play and disk as processes. The seed chooses moments, places and inputs, but not
// how far a process has come at a moment.
package main

import (
	"context"
	"flag"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"text/tabwriter"
	"time"
)

// A kind is a kind of torture, such as kill -9.
type kind struct {
	name    string
	what    string // what is tried, for the table
	torture func(*rack) error
}

// kinds lists all kinds of torture, in the order in which they run.
var kinds = []kind{
	{"kills", "kill -9 of process groups", kills},
	{"damage", "damaged files", damage},
	{"hostile", "hostile inputs", hostile},
	{"files", "archives, strays, packs, orphans, memory", files},
	{"disks", "full and read-only disks", disks},
	{"signals", "signals and closed pipes", signals},
	{"learners", "learners that misbehave", learners},
	{"sharing", "processes that share a store", sharing},
	{"bits", "processors, workers and threads", bits},
}

func main() {
	code, err := runAll(os.Args[1:])
	if err != nil {
		fmt.Fprintf(os.Stderr, "torture: %v\n", err)
	}
	os.Exit(code)
}

// runAll runs play or disk if that is the first of args. Otherwise it runs the kinds that args
// name, or all, and prints the table. The code is 1 if a trial failed, 2 for wrong arguments, 130
// after an interrupt.
func runAll(args []string) (code int, err error) {
	children := map[string]func([]string) error{"play": playCells, "disk": tortureDisk}
	if len(args) > 0 && children[args[0]] != nil {
		if err := children[args[0]](args[1:]); err != nil {
			return 1, err
		}
		return 0, nil
	}
	flags := flag.NewFlagSet("torture", flag.ContinueOnError)
	quick := flags.Bool("quick", false, "fewer of each kind")
	seed := flags.Uint64("seed", 1, "the seed of all that is chosen")
	dir := flags.String("dir", "", "directory of the programs that torture.sh built, for temporary "+
		"files too")
	if err := flags.Parse(args); err != nil {
		return 2, nil
	}
	if *dir, err = filepath.Abs(*dir); err != nil {
		return 2, err
	}
	for _, name := range flags.Args() {
		if !slices.ContainsFunc(kinds, func(k kind) bool { return k.name == name }) {
			return 2, fmt.Errorf("unknown kind %q", name)
		}
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	fmt.Printf("seed %d\n\n", *seed)
	table := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	defer table.Flush()
	fmt.Fprintln(table, "kind\twhat\ttried\tfailed\tseconds\t")
	for _, k := range kinds {
		if flags.NArg() > 0 && !slices.Contains(flags.Args(), k.name) {
			continue
		}
		r := &rack{ctx: ctx, kind: k.name, dir: filepath.Join(*dir, k.name), programs: *dir,
			quick: *quick, seed: *seed}
		begun := time.Now()
		err := os.Mkdir(r.dir, 0o777)
		if err == nil {
			err = k.torture(r)
		}
		r.clean()
		if ctx.Err() != nil {
			return 130, fmt.Errorf("interrupted")
		}
		if err != nil {
			return 1, fmt.Errorf("%s: %w", k.name, err)
		}
		if r.failed > 0 {
			code = 1
		}
		what := k.what
		if len(r.notes) > 0 {
			what += " (" + strings.Join(r.notes, ", ") + ")"
		}
		fmt.Fprintf(table, "%s\t%s\t%d\t%d\t%.0f\t\n", k.name, what, r.tried, r.failed,
			time.Since(begun).Seconds())
	}
	return code, nil
}

// A rack runs the trials of one kind of torture and counts them.
type rack struct {
	ctx      context.Context
	kind     string
	dir      string // for temporary files
	programs string // where torture, bench and bad are; bad is bench with learners that misbehave
	quick    bool
	seed     uint64
	notes    []string // what the table adds to the kind

	mu            sync.Mutex
	tried, failed int
}

// trials returns the number of trials: usual, or quick with -quick.
func (r *rack) trials(usual, quick int) int {
	if r.quick {
		return quick
	}
	return usual
}

// runTrials does n trials, one at a time on each processor. A trial that returns an error has
// failed. It has a directory and a source of random numbers of its own.
func (r *rack) runTrials(n int, name func(i int) string, do func(t *trial, i int) error) {
	at := make(chan int)
	var wg sync.WaitGroup
	for range runtime.NumCPU() {
		wg.Go(func() {
			for i := range at {
				t := r.newTrial(name(i))
				r.count(t.name, do(t, i))
				t.end()
			}
		})
	}
	for i := range n {
		if r.ctx.Err() != nil {
			break
		}
		at <- i
	}
	close(at)
	wg.Wait()
}

// count counts a trial, and prints its error if it failed.
func (r *rack) count(name string, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.tried++
	if err != nil && r.ctx.Err() == nil {
		r.failed++
		fmt.Fprintf(os.Stderr, "failed: %s: %s: %.3000s\n", r.kind, name, err)
	}
}

// newTrial makes a trial, and its directory. It panics if it cannot.
func (r *rack) newTrial(name string) *trial {
	h := fnv.New64a()
	fmt.Fprint(h, r.kind, " ", name)
	dir, err := os.MkdirTemp(r.dir, "")
	if err == nil {
		err = os.Mkdir(filepath.Join(dir, "tmp"), 0o777)
	}
	if err != nil {
		panic(err) // such as a full disk, after which no trial says anything
	}
	return &trial{r, name, dir, rand.New(rand.NewPCG(r.seed, h.Sum64()))}
}

// clean kills the processes of trials that are left, and removes their files.
func (r *rack) clean() {
	for _, pid := range processesBelow(r.dir) {
		syscall.Kill(pid, syscall.SIGKILL)
	}
	remove(r.dir)
}

// remove removes a directory, whatever its permissions.
func remove(dir string) {
	filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if d != nil && d.IsDir() {
			os.Chmod(path, 0o777)
		}
		return nil
	})
	os.RemoveAll(dir)
}
