// Package externaltest is a program that plays by the protocol of docs/protocol.md, for
// tests: learners that play well, problems that reveal what built-in ones do, and others
// that misbehave, each in its own way.
package externaltest

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"time"

	"ocobench/convex"
	"ocobench/convex/vec"
	"ocobench/convex/wire"
	"ocobench/harness/harnesstest/misbehave"
)

// Child describes a mode of the program: it plays projected gradient descent, or reveals the rounds
// of a built-in problem, except where it misbehaves.
type Child struct {
	Mode  string // the argument of the program
	Fails string // the reason that its game fails with, a regular expression; "" if it does not
	Of    string // the SPEC of the built-in problem that a problem reveals; "" for iid
	// intercept is called before a call of a game is answered. It answers itself, or
	// returns false.
	intercept func(c *call) bool
}

// call holds a call that a child is to answer.
type call struct {
	id     int64
	method string
	t      int    // the round of a tell or a reveal, else the last round; 0 for initialize
	result []byte // what a good child answers
	out    io.Writer
}

// respond answers a call with a result, and reports that the call is answered.
func (c *call) respond(id any, result string) bool {
	data, _ := json.Marshal(id)
	fmt.Fprintf(c.out, `{"jsonrpc":"2.0","id":%s,"result":%s}`+"\n", data, result)
	return true
}

// inRound intercepts the calls of one round with do, and no others.
func inRound(round int, do func(c *call) bool) func(*call) bool {
	return func(c *call) bool { return c.t == round && do(c) }
}

// answersInRound3 answers the calls of round 3 with a result.
func answersInRound3(result string) func(*call) bool {
	return inRound(3, func(c *call) bool { return c.respond(c.id, result) })
}

// hang tells the test that it was called, and never returns.
func hang() {
	misbehave.Announce()
	for {
		time.Sleep(time.Hour)
	}
}

// All lists the children that are learners, good ones and bad ones.
var All = []Child{
	{Mode: "ogd"},
	{Mode: "dies-at-start", Fails: `: its process ended \(exit status 3\)$`,
		intercept: inRound(0, func(*call) bool {
			fmt.Fprintln(os.Stderr, "there is no licence")
			os.Exit(3)
			return true
		})},
	{Mode: "dies", Fails: `: round 3: its process ended \(exit status 7\)$`,
		intercept: inRound(3, func(*call) bool {
			fmt.Fprintln(os.Stderr, "Traceback:\n\x1b[1m  ZeroDivisionError")
			os.Exit(7)
			return true
		})},
	{Mode: "ends", Fails: `: round 3: its process ended \(exit status 0\)$`,
		intercept: inRound(3, func(*call) bool { os.Exit(0); return true })},
	{Mode: "closes", Fails: `: round 3: its process ended \(signal: killed\)$`,
		intercept: inRound(3, func(*call) bool {
			os.Stdout.Close()
			hang()
			return true
		})},
	{Mode: "hangs-at-start", Fails: `: (initialize is not answered after .*s, the limit of --external-timeout|it is not started again: it hung 3 times in a row, .*)$`,
		intercept: inRound(0, func(*call) bool { hang(); return true })},
	{Mode: "hangs", Fails: `: round 3: tell is not answered after .*s, the limit of --external-timeout$`,
		intercept: inRound(3, func(*call) bool { hang(); return true })},
	{Mode: "leaves-a-child", Fails: `: round 3: its process ended \(exit status 0\)$`,
		intercept: inRound(3, func(*call) bool {
			cmd := exec.Command(os.Args[0], "sleep")
			cmd.Stdout = os.Stdout // which is not at its end now
			cmd.Start()
			os.Exit(0)
			return true
		})},
	{Mode: "babbles", Fails: `: round 3: tell is answered by "step = 0.5", not a message of JSON-RPC 2.0: .*$`, intercept: inRound(3, func(c *call) bool {
		fmt.Fprintln(c.out, "step = 0.5")
		return false
	})},
	{Mode: "not-a-message", Fails: `: round 3: tell is answered by "{\\"x\\":\[0\]}", not a message of JSON-RPC 2.0: .*$`, intercept: inRound(3, func(c *call) bool {
		fmt.Fprintln(c.out, `{"x":[0]}`)
		return true
	})},
	{Mode: "no-id", Fails: `: round 3: tell is answered by ".*", not a message of JSON-RPC 2.0: .*$`,
		intercept: inRound(3, func(c *call) bool {
			fmt.Fprintf(c.out, `{"jsonrpc":"2.0","result":%s}`+"\n", c.result)
			return true
		})},
	{Mode: "wrong-id", Fails: `: round 3: tell is answered with another id$`,
		intercept: inRound(3, func(c *call) bool { return c.respond("mine", string(c.result)) })},
	{Mode: "fraction-id", Fails: `: round 3: tell is answered by ".*", not a message of JSON-RPC 2.0: id: found \d+\.4, expected a string or an integer of 64 bits; a notification has no id$`,
		intercept: inRound(3, func(c *call) bool {
			return c.respond(float64(c.id)+0.4, string(c.result))
		})},
	{Mode: "answers-twice", Fails: `: round 4: tell is answered with another id$`,
		intercept: inRound(3, func(c *call) bool {
			c.respond(c.id, string(c.result))
			return c.respond(c.id, string(c.result))
		})},
	{Mode: "answers-early", Fails: `: round 3: tell is answered with another id$`,
		intercept: inRound(3, func(c *call) bool {
			c.respond(c.id+1, string(c.result))
			return c.respond(c.id, string(c.result))
		})},
	{Mode: "calls", Fails: `: round 3: tell is answered by a call of "tell"$`,
		intercept: inRound(3, func(c *call) bool {
			fmt.Fprintln(c.out, `{"jsonrpc":"2.0","id":1,"method":"tell"}`)
			return true
		})},
	{Mode: "huge-line", Fails: `: round 3: tell: a line has more than 16777216 bytes, the limit$`,
		intercept: inRound(3, func(c *call) bool {
			for {
				if _, err := c.out.Write(make([]byte, 1<<20)); err != nil {
					hang()
				}
			}
		})},
	{Mode: "lies-about-dimensions", Fails: `: round 3: tell is answered by an action with 1 numbers, and the domain has 2 dimensions$`, intercept: answersInRound3(`{"x":[0]}`)},
	{Mode: "null", Fails: `: round 3: tell is answered by .*: coordinate 2 of the action is null, .*$`,
		intercept: answersInRound3(`{"x":[0,null]}`)},
	{Mode: "nan", Fails: `: round 3: tell is answered by ".*NaN.*", not a message of JSON-RPC 2.0: .*$`, intercept: answersInRound3(`{"x":[0,NaN]}`)},
	{Mode: "overflows", Fails: `: round 3: tell is answered by .*: coordinate 1 of the action is 1e999, .*$`, intercept: answersInRound3(`{"x":[1e999,0]}`)},
	{Mode: "text", Fails: `: round 3: tell is answered by .*: coordinate 1 of the action is "a", .*$`,
		intercept: answersInRound3(`{"x":["a","b"]}`)},
	{Mode: "text-for-list", Fails: `: round 3: tell is answered by .*: x: the action is "0,0"; expected {"x":\[…\]} with 2 numbers$`, intercept: answersInRound3(`{"x":"0,0"}`)},
	{Mode: "object-for-list", Fails: `: round 3: tell is answered by .*: x: the action is {"0":0,"1":0}; expected {"x":\[…\]} with 2 numbers$`, intercept: answersInRound3(`{"x":{"0":0,"1":0}}`)},
	{Mode: "list-for-object", Fails: `: round 3: tell is answered by \[0,0\]: found a list, expected an object; expected {"x":\[…\]} with 2 numbers$`, intercept: answersInRound3(`[0,0]`)},
	{Mode: "nested", Fails: `: round 3: tell is answered by .*: coordinate 1 of the action is \[0\], .* with 2 numbers$`, intercept: answersInRound3(`{"x":[[0],[0]]}`)},
	{Mode: "no-action", Fails: `: round 4: ask is answered without "x", expected {"x":\[…\]} with 2 numbers$`, intercept: func(c *call) bool {
		return c.t >= 3 && c.respond(c.id, "{}")
	}},
	{Mode: "outside", Fails: `: round 4: the action is outside of the domain by 1e\+06$`,
		intercept: answersInRound3(`{"x":[1000001,0]}`)},
	{Mode: "refuses", Fails: `: round 3: tell is answered by the error "no more" \(-32000\)$`,
		intercept: inRound(3, func(c *call) bool {
			fmt.Fprintf(c.out, `{"jsonrpc":"2.0","id":%d,"error":{"code":-32000,"message":"no more"}}`+"\n",
				c.id)
			return true
		})},
	{Mode: "long-error", Fails: `: round 3: tell is answered by the error "(no)+( … \(995904 bytes left out\) … (no)+" \(-32000\)|…)$`,
		intercept: inRound(3, func(c *call) bool {
			fmt.Fprintf(c.out, `{"jsonrpc":"2.0","id":%d,"error":{"code":-32000,"message":"%s"}}`+"\n",
				c.id, strings.Repeat("no", 500_000))
			return true
		})},
	{Mode: "changes", Fails: `: its declaration has changed: initialize is answered by .*$`,
		intercept: inRound(0, func(c *call) bool { return c.respond(c.id, `{"protocol":1,"name":"another"}`) })},
	{Mode: "floods-stderr", intercept: inRound(3, func(c *call) bool { // and plays
		for range 1 << 15 {
			fmt.Fprintln(os.Stderr, "warning: this is line after line of standard error, which nobody reads")
		}
		return false
	})},
	// Its fault comes in the last round of a game of 200 rounds, when no call follows.
	{Mode: "answers-twice-at-the-end", intercept: inRound(200, func(c *call) bool {
		c.respond(c.id, string(c.result))
		return false
	})},
}

// Late lists learners that play something else in one round of every game of 200 rounds.
var Late = []Child{
	{Mode: "late", Fails: `: round 20: it plays something else than before in the same game, in round 20; ` +
		forgetRemedy + `$`, intercept: inRound(20, answerChangingAction)},
	{Mode: "at-the-end", Fails: `: round 200: it plays something else than before in the same game, in one of the rounds 129 to 200; ` + forgetRemedy + `$`, intercept: inRound(200, answerChangingAction)},
}

// answerChangingAction answers with an action that differs from time to time.
func answerChangingAction(c *call) bool {
	return c.respond(c.id, fmt.Sprintf(`{"x":[%g,0]}`, 1e-10*float64(time.Now().UnixNano()%1e9)))
}

// Modes lists further modes of the program that play well: primal-dual with the feedback FO+, and
// ogd that checks the forms that it is told.
var Modes = []string{"primal-dual", "forms"}

// player answers the calls that a child receives.
type player interface {
	answer(m *message) (result []byte, err error)
	round() int // of the game, 0 before the first
}

// Main runs the program of a child. Its argument is the mode; a problem may have one more, the
// SPEC of a built-in problem. Main writes its process id to the file that the environment variable
// CHILDREN names.
func Main() {
	if name := os.Getenv("CHILDREN"); name != "" {
		if f, err := os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666); err == nil {
			fmt.Fprintln(f, os.Getpid())
			f.Close()
		}
	}
	mode := os.Args[1]
	if mode == "sleep" {
		hang()
	}
	hasMode := func(c Child) bool { return c.Mode == mode }
	var child Child
	var p player = &learner{mode: mode}
	if learners := append(All, Late...); slices.ContainsFunc(learners, hasMode) {
		child = learners[slices.IndexFunc(learners, hasMode)]
	} else if k := slices.IndexFunc(Problems, hasMode); k >= 0 {
		child = Problems[k]
		p = newProblem(child, os.Args[2:])
	} else if !slices.Contains(Modes, mode) {
		fmt.Fprintln(os.Stderr, "unknown mode", mode)
		os.Exit(2)
	}
	in := bufio.NewReader(os.Stdin)
	for {
		line, err := in.ReadBytes('\n')
		if err != nil {
			os.Exit(0)
		}
		var m message
		if err := json.Unmarshal(line, &m); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		if m.Method == "shutdown" {
			os.Exit(0)
		}
		c := call{id: m.ID, method: m.Method, out: os.Stdout}
		c.result, err = p.answer(&m)
		c.t = p.round()
		if err != nil {
			code := -32603 // an internal error
			if m.Method == "initialize" {
				code = -32602 // the parameters are refused
			}
			text, _ := json.Marshal(err.Error())
			fmt.Printf(`{"jsonrpc":"2.0","id":%d,"error":{"code":%d,"message":%s}}`+"\n", m.ID, code, text)
			continue
		}
		inGame := m.Method != "initialize" || m.Params.Game != nil
		if !inGame || child.intercept == nil || !child.intercept(&c) {
			c.respond(c.id, string(c.result))
		}
	}
}

// message holds a call of the protocol.
type message struct {
	ID     int64
	Method string
	Params struct {
		Game *struct {
			Domain      domain
			Constraints int
			Seed        uint64
			Parameters  struct{ Step float64 }
		}
		T           int
		Rounds      []int
		X           []float64
		Loss        function
		Constraints []function
		Ahead       []float64
	}
}

// domain holds the JSON form of a domain; one of its fields is set.
type domain struct {
	Box  *struct{ Lower, Upper []float64 }
	Ball *struct {
		Center []float64
		Radius float64
	}
	Simplex *struct {
		Dim   int
		Scale float64
	}
}

// set returns the domain as a set.
func (d domain) set() (convex.Set, error) {
	switch {
	case d.Box != nil:
		return convex.NewBox(d.Box.Lower, d.Box.Upper)
	case d.Ball != nil:
		return convex.NewBall(d.Ball.Center, d.Ball.Radius)
	default:
		return convex.NewSimplex(d.Simplex.Dim, d.Simplex.Scale)
	}
}

// function holds the JSON form of a function of a round at the action.
type function struct {
	Value       float64
	Subgradient []float64
	Form        json.RawMessage
}

// learner plays by the protocol: online gradient descent, or a primal-dual method.
type learner struct {
	mode      string
	set       convex.Set
	x, lambda []float64
	step      float64
	alpha     float64 // the step of the last round, step/√t
	t         int
	reader    wire.Reader
}

// round returns the last round that was told.
func (l *learner) round() int { return l.t }

// answer returns the result of a call, as a well-behaved learner gives it.
func (l *learner) answer(m *message) ([]byte, error) {
	switch p := m.Params; m.Method {
	case "initialize":
		if g := p.Game; g != nil {
			if g.Parameters.Step == 13 {
				return nil, errors.New("a step of 13 brings bad luck")
			}
			set, err := g.Domain.set()
			if err != nil {
				return nil, err
			}
			*l = learner{mode: l.mode, set: set, x: make([]float64, set.Dim()),
				lambda: make([]float64, g.Constraints), step: g.Parameters.Step}
			set.Project(l.x, l.x)
		}
		feedback := map[string]string{"primal-dual": "FO+", "forms": "FI"}[l.mode]
		if feedback == "" {
			feedback = "FO"
		}
		return []byte(`{"protocol":1,"name":"` +
			l.mode + `","version":2,"title":"Learner of a test","doc":"a learner for tests","feedback":"` +
			feedback + `","terms":true,"anytime":true,` +
			`"parameters":[{"name":"step","type":"number","default":0.5,"doc":"the step","above":0}],` +
			`"claims":[{"metric":"regret_xmin","exponent":0.5}],"assumes":["rounds that do not depend on the actions","good luck"]}`), nil
	case "ask":
		return l.action(), nil
	case "tell":
		return l.tell(p.T, p.Loss, p.Constraints, p.Ahead)
	}
	return nil, fmt.Errorf("unknown method %q", m.Method)
}

// action returns the action as the result of a call.
func (l *learner) action() []byte {
	var s strings.Builder
	for i, v := range l.x {
		if i > 0 {
			s.WriteByte(',')
		}
		s.WriteString(strconv.FormatFloat(v, 'g', -1, 64))
	}
	return []byte(`{"x":[` + s.String() + `]}`)
}

// checkForms returns an error unless the forms have the values and subgradients of the functions,
// to the last bit.
func (l *learner) checkForms(fs []function) error {
	r, n := &l.reader, len(l.x)
	for _, f := range fs {
		r.Reset(f.Form)
		g := r.Function("a function", n)
		if r.Err != nil {
			return r.Err
		}
		slope, h := make([]float64, n), g.Func()
		h.Subgrad(slope, l.x)
		if v := h.Value(l.x); v != f.Value || !slices.Equal(slope, f.Subgradient) {
			return fmt.Errorf("the form has the value %v and the subgradient %v, and the function %v and %v",
				v, slope, f.Value, f.Subgradient)
		}
	}
	return nil
}

// tell takes a step of online gradient descent, or of a primal-dual method, on a revealed round.
func (l *learner) tell(t int, loss function, constraints []function, ahead []float64) ([]byte,
	error) {
	l.t = t
	if l.mode == "forms" {
		if err := l.checkForms(append(constraints, loss)); err != nil {
			return nil, err
		}
	} else if loss.Form != nil {
		return nil, errors.New("a form is shown to a learner that must not see it")
	}
	grad := slices.Clone(loss.Subgradient)
	if l.mode == "primal-dual" {
		if len(ahead) != len(l.lambda) && t > 1 || t == 1 && ahead != nil {
			return nil, fmt.Errorf("%d constraints ahead in round %d", len(ahead), t)
		}
		for j, g := range constraints {
			if t > 1 {
				l.lambda[j] = max(0, l.lambda[j]+float64(l.alpha*ahead[j]))
			}
			vec.Axpy(grad, l.lambda[j], g.Subgradient)
		}
	}
	l.alpha = l.step / math.Sqrt(float64(t))
	for i, g := range grad {
		l.x[i] -= float64(l.alpha * g)
	}
	l.set.Project(l.x, l.x)
	if l.mode == "primal-dual" { // its next action is asked for
		return []byte("{}"), nil
	}
	return l.action(), nil
}
