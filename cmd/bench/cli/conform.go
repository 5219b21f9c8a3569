package cli

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"ocobench/algorithms"
	"ocobench/algorithms/algtest"
	"ocobench/harness"
	"ocobench/harness/host"
	"ocobench/harness/spec"
	"ocobench/internal/input"
	"ocobench/problems"
	"ocobench/problems/probtest"
	"ocobench/report/table"
)

type conformCmd struct {
	Specs []use    `arg:"" optional:"" name:"spec" help:"Algorithms and problems. Default: those of --external." completes:"@algorithm,@problem"`
	Law   []string `help:"A law to check, and no other. May be repeated." placeholder:"NAME" sep:"none"`
	JSON  bool     `help:"Print JSON."`
	externalFlags
}

// externals leaves it to the laws to tell what a program does another way the second
// time.
func (c *conformCmd) externals() *externalFlags {
	c.forgetful = true
	return &c.externalFlags
}

// Help implements the verb's help.
func (*conformCmd) Help() string {
	return fmt.Sprintf(`bench conform plays small games with an algorithm, or several hundred rounds of a
problem, and checks the laws that every one keeps:

    bench conform --external mine='python3 mine.py'
    bench conform mine:step=2 --law deterministic --external mine='python3 mine.py'
    bench conform ogd iid:dim=3

A line tells of each law whether it holds, is broken, or does not apply, and why.
A law that is broken has the game and the round, and what to do. Algorithms may
refuse games, those on a ball for instance, but not every game of a law.

The laws of algorithms: %s.
The laws of problems: %s.

Exit codes: 0 all laws hold that apply; 1 one is broken; 2 bad input; 3 one is
broken because another program failed; 130 interrupted.`,
		strings.Join(append(names(algtest.Laws, func(l algtest.Law) string { return l.Name }), messages), ", "),
		strings.Join(names(probtest.Laws, func(l probtest.Law) string { return l.Name }), ", "))
}

func names[L any](laws []L, name func(L) string) (all []string) {
	for _, l := range laws {
		all = append(all, name(l))
	}
	return all
}

// law is a law of an entry.
type law struct {
	name, doc, remedy string
	test              func() (skip string, err error)
}

// subject is an entry that is held to its laws.
type subject struct {
	kind, spec string
	laws       []law
}

// The verdicts.
const (
	holds   = "holds"
	broken  = "broken"
	skipped = "not applicable"
)

// verdict is that of a law.
type verdict struct {
	Law     string `json:"law"`
	Doc     string `json:"doc"`
	Verdict string `json:"verdict"`
	Reason  string `json:"reason,omitempty"`
	Remedy  string `json:"remedy,omitempty"`

	failed bool // the program of the entry
}

// conformity is what is printed of a subject.
type conformity struct {
	Kind string    `json:"kind"`
	Spec string    `json:"spec"`
	Laws []verdict `json:"laws"`
}

// Run implements the verb.
func (c *conformCmd) Run(e *env) error {
	subjects, err := c.subjects(e)
	if err != nil {
		return err
	}
	var all []conformity
	var faults []string
	failed := false
	lines := bufio.NewWriter(e.stdout)
	for _, s := range subjects {
		end := e.stage("%s %s: %s", s.kind, s.spec, plural(len(s.laws), "law"))
		defer end()
		done := conformity{s.kind, s.spec, []verdict{}}
		count := map[string]int{}
		if !c.JSON {
			fmt.Fprintf(lines, "%s %s\n", s.kind, s.spec)
		}
		for _, l := range s.laws {
			v := l.verdict()
			if e.ctx.Err() != nil {
				return errInterrupted
			}
			done.Laws = append(done.Laws, v)
			count[v.Verdict]++
			if v.Verdict == broken {
				faults = append(faults, fmt.Sprintf("%s (%s)", l.name, s.spec))
				failed = failed || v.failed
			}
			if !c.JSON {
				v.print(&table.Folded{W: lines, Width: e.width(math.MaxInt)})
				if err := lines.Flush(); err != nil { // each when it is known
					return err
				}
			}
		}
		end()
		if !c.JSON {
			hint := ""
			if count[broken] > 1 {
				hint = "; begin with the first one, which may break others"
			}
			fmt.Fprintf(lines, "  %d hold, %d broken, %d not applicable%s\n\n", count[holds], count[broken], count[skipped], hint)
		}
		all = append(all, done)
	}
	err = lines.Flush()
	if c.JSON {
		out := json.NewEncoder(e.stdout)
		out.SetIndent("", "  ")
		out.SetEscapeHTML(false)
		err = out.Encode(struct {
			Entries    []conformity `json:"entries"`
			Provenance any          `json:"provenance"`
		}{all, harness.Provenance()})
	}
	if err != nil || len(faults) == 0 {
		return err
	}
	err = fmt.Errorf("%s broken: %s", plural(len(faults), "law"), strings.Join(faults, ", "))
	if failed {
		return &failedError{err}
	}
	return &regressionError{err}
}

// subjects are the entries to check, with the laws to check.
func (c *conformCmd) subjects(e *env) (all []subject, err error) {
	uses := c.Specs
	if len(uses) == 0 {
		for i, x := range c.External {
			if slices.ContainsFunc(c.External[:i], func(y externalFlag) bool { return y.name == x.name }) {
				continue // a learner and a problem of one name
			}
			uses = append(uses, use{spec.Use{Name: x.name, Pos: spec.Pos{File: x.name}}, x.name})
		}
	}
	if len(uses) == 0 {
		return nil, errors.New("nothing to check: name algorithms or problems, or give --external NAME=COMMAND")
	}
	for _, u := range uses {
		more, err := e.subjects(u)
		if err != nil {
			return nil, err
		}
		all = append(all, more...)
	}
	if len(c.Law) == 0 {
		return all, nil
	}
	var known []string
	for i, s := range all {
		known = append(known, names(s.laws, func(l law) string { return l.name })...)
		all[i].laws = slices.DeleteFunc(s.laws, func(l law) bool { return !slices.Contains(c.Law, l.name) })
	}
	slices.Sort(known)
	known = slices.Compact(known)
	for _, name := range c.Law {
		if !slices.Contains(known, name) {
			return nil, fmt.Errorf("--law: %w", spec.Unknown("law", name, known, spec.Pos{}))
		}
	}
	return slices.DeleteFunc(all, func(s subject) bool { return len(s.laws) == 0 }), nil
}

// subjects resolves a SPEC: an algorithm and a problem may share a name, and
// parameters may be swept.
func (e *env) subjects(u use) (all []subject, err error) {
	catalog := e.catalog
	_, algorithm := algorithms.Lookup(catalog.Algorithms, u.Name)
	problem := slices.ContainsFunc(catalog.Problems, func(p problems.Problem) bool { return p.Name == u.Name })
	if !algorithm && !problem {
		known := append(names(catalog.Algorithms, func(a algorithms.Algorithm) string { return a.Name }),
			names(catalog.Problems, func(p problems.Problem) string { return p.Name })...)
		return nil, spec.Unknown("name", u.Name, known, spec.Pos{})
	}
	if algorithm {
		contenders, err := catalog.Contenders(u.Use)
		if err != nil {
			return nil, err
		}
		for _, c := range contenders {
			a := c.Algorithm
			a.Params = c.Params
			s := subject{"algorithm", c.Spec, nil}
			for _, l := range algtest.Laws {
				s.laws = append(s.laws, law{l.Name, l.Doc, l.Remedy, func() (string, error) { return l.Test(a) }})
			}
			s.laws = append(s.laws, law{messages, "the order of the members of a message, and members that the protocol does not know, change nothing",
				"Read members by their names, and ignore all others.", func() (string, error) { return e.messages(a) }})
			all = append(all, s)
		}
	}
	if problem {
		arenas, err := catalog.Arenas(u.Use)
		if err != nil {
			return nil, err
		}
		for _, arena := range arenas {
			var crash *host.CrashError // which breaks laws
			switch stream, err := arena.Stream(1, 1); {
			case err == nil:
				harness.Close(stream)
			case !errors.As(err, &crash):
				return nil, err
			}
			p := arena.Problem
			p.Params = arena.Params
			s := subject{"problem", arena.Spec, nil}
			for _, l := range probtest.Laws {
				s.laws = append(s.laws, law{l.Name, l.Doc, l.Remedy, func() (string, error) { return l.Test(p) }})
			}
			all = append(all, s)
		}
	}
	return all, nil
}

// messages is the law of the protocol, which only programs can break.
const messages = "messages"

func (e *env) messages(a algorithms.Algorithm) (skip string, err error) {
	for k, x := range e.external.External {
		if _, problem := e.programs[k].Problem(); x.name == a.Name && !problem {
			reordered := e.programs[k].Reordered()
			reordered.Params = a.Params
			if a.Feedback == algorithms.TwoPoint {
				if reordered, err = reordered.WithTwoPoint(); err != nil {
					return "", err
				}
			}
			return "", algtest.Equal(a, reordered)
		}
	}
	return "it is told no messages", nil
}

func (l law) verdict() verdict {
	skip, err := l.test()
	switch {
	case skip != "":
		return verdict{Law: l.name, Doc: l.doc, Verdict: skipped, Reason: skip}
	case err != nil:
		v := verdict{Law: l.name, Doc: l.doc, Verdict: broken, Reason: input.Message(err.Error()), Remedy: l.remedy}
		var learner *algorithms.FailedError
		var stream *problems.FailedError
		if v.failed = errors.As(err, &learner) || errors.As(err, &stream); v.failed {
			v.Remedy = "The program failed before the law could be told. What it cannot play is to be refused by the error −32602 of initialize."
		}
		return v
	}
	return verdict{Law: l.name, Doc: l.doc, Verdict: holds}
}

// print prints a line, and for a law that is broken what is wrong.
func (v verdict) print(w *table.Folded) {
	line := v.Doc
	if v.Verdict == skipped {
		line = v.Reason
	}
	w.Item(33, fmt.Sprintf("  %-14s  %-13s", v.Verdict, v.Law), line)
	if v.Verdict == broken {
		for text := range strings.SplitSeq(v.Reason+"\n"+v.Remedy, "\n") {
			if strings.HasPrefix(text, " ") { // what the program said
				fmt.Fprintf(w.W, "      %s\n", text)
			} else {
				w.Item(6, "", text)
			}
		}
	}
}
