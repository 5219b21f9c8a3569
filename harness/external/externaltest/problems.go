package externaltest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"time"

	"ocobench/convex"
	"ocobench/convex/wire"
	"ocobench/harness/experiment"
	"ocobench/harness/experiment/spec"
	"ocobench/harness/harnesstest"
	"ocobench/problems"
)

// The children of this file are problems. They reveal the rounds of a built-in problem, in one of
// three forms ([Twins]), unless they misbehave.

// forgetRemedy ends the messages about children that keep state of an earlier game.
const forgetRemedy = `all randomness has to come from the seed, and what an earlier game has left has to be forgotten`

// Problems lists the children that are problems. Only those of [Twins] behave well.
var Problems = slices.Concat(Twins, misbehavingOpaque, []Child{
	{Mode: "problem-dies-at-start", Fails: `its process ended \(exit status 3\)$`,
		intercept: inRound(0, func(*call) bool {
			os.Exit(3)
			return true
		})},
	{Mode: "problem-dies", Fails: `: round 3: its process ended \(exit status 7\)$`,
		intercept: inRound(3, func(*call) bool {
			fmt.Fprintln(os.Stderr, "Traceback:\n\x1b[1m  ZeroDivisionError")
			os.Exit(7)
			return true
		})},
	{Mode: "problem-hangs", Fails: `: round 3: reveal is not answered after .*s, the limit of --external-timeout$`, intercept: inRound(3, func(*call) bool { hang(); return true })},
	{Mode: "problem-refuses", Fails: `: round 3: reveal is answered by the error "no more" \(-32000\)$`, intercept: inRound(3, func(c *call) bool {
		fmt.Fprintf(c.out, `{"jsonrpc":"2.0","id":%d,"error":{"code":-32000,"message":"no more"}}`+"\n",
			c.id)
		return true
	})},
	{Mode: "problem-answers-early", Fails: `: round 3: reveal is answered with another id$`,
		intercept: inRound(3, func(c *call) bool {
			c.respond(c.id+1, string(c.result))
			return c.respond(c.id, string(c.result))
		})},
	{Mode: "no-instance", Fails: `initialize is answered by .*: "instance" is missing$`,
		intercept: inRound(0, func(c *call) bool {
			result, _, _ := bytes.Cut(c.result, []byte(`,"instance"`))
			return c.respond(c.id, string(result)+"}")
		})},
	{Mode: "problem-changes", Fails: `its declaration has changed: initialize is answered by .*$`,
		intercept: inRound(0, func(c *call) bool {
			return c.respond(c.id, strings.Replace(string(c.result), "twin", "another", 1))
		})},
	{Mode: "changes-instance", Fails: `it reveals something else than before in the same game, in its start; ` + forgetRemedy + `$`, intercept: inRound(0, func(c *call) bool {
		return c.respond(c.id, strings.Replace(string(c.result), `"facts":{`,
			fmt.Sprintf(`"facts":{"rounds":%d,`, 1000+time.Now().UnixNano()%1e9), 1))
	})},
	{Mode: "other-rounds", Fails: `: round (1|2): it reveals something else than before in the same game, in round (1|2); ` + forgetRemedy + `$`, intercept: func(c *call) bool {
		return c.t > 0 && c.respond(c.id, fmt.Sprintf(
			`{"loss":{"form":{"const":%d}},"constraints":[{"form":{}}]}`, time.Now().UnixNano()))
	}},
	{Mode: "other-rounds-late", Fails: `: round 64: it reveals something else than before in the same game, in one of the rounds 33 to 64; ` + forgetRemedy + `$`, intercept: inRound(50, func(c *call) bool {
		return c.respond(c.id, fmt.Sprintf(`{"loss":{"form":{"const":%d}},"constraints":[{"form":{}}]}`,
			time.Now().UnixNano()))
	})},
	{Mode: "other-rounds-at-the-end", Fails: `: round 70: it reveals something else than before in the same game, in one of the rounds 65 to 70; ` + forgetRemedy + `$`, intercept: inRound(70, func(c *call) bool {
		return c.respond(c.id, fmt.Sprintf(`{"loss":{"form":{"const":%d}},"constraints":[{"form":{}}]}`,
			time.Now().UnixNano()))
	})},
	{Mode: "ignores-t", Fails: `: round (1|2): it reveals something else than before in the same game, in round (1|2); ` + forgetRemedy + `$`},
	{Mode: "one-constraint-less", Fails: `: round 3: reveal is answered by .*: column .*: constraints has length 0, expected 1, the number of constraints$`, intercept: answersInRound3(`{"loss":{"form":{}},"constraints":[]}`)},
	{Mode: "one-constraint-more", Fails: `: round 3: reveal is answered by .*: column .*: constraints has more than 1 elements, the number of constraints$`, intercept: answersInRound3(`{"loss":{"form":{}},"constraints":[{"form":{}},{"form":{}}]}`)},
	{Mode: "null-constraints", Fails: `: round 3: reveal is answered by .*: column .*: constraints: found null, expected a list .*$`, intercept: answersInRound3(`{"loss":{"form":{}},"constraints":null}`)},
	{Mode: "no-constraints", Fails: `: round 3: reveal is answered by .*: column .*: the answer: the key "constraints" is missing .*$`, intercept: answersInRound3(`{"loss":{"form":{}}}`)},
	{Mode: "problem-lies-about-dimensions",
		Fails: `: round 3: reveal is answered by .*: column 24: lin in the form of the loss has length 1, expected 2, the dimension of the domain$`, intercept: answersInRound3(`{"loss":{"form":{"lin":[1]}},"constraints":[{"form":{}}]}`)},
	{Mode: "not-convex", Fails: `: round 3: reveal is answered by .*: column 25: quad in the form of the loss: .*positive semidefinite.*$`, intercept: answersInRound3(`{"loss":{"form":{"quad":[[1,0],[0,-1]]}},"constraints":[{"form":{}}]}`)},
	{Mode: "not-symmetric", Fails: `: round 3: reveal is answered by .*: column 25: quad in the form of the loss: .*symmetric.*$`, intercept: answersInRound3(`{"loss":{"form":{"quad":[[1,0],[1,1]]}},"constraints":[{"form":{}}]}`)},
	{Mode: "problem-nan", Fails: `: round 3: reveal is answered by ".*NaN.*", not a message of JSON-RPC 2.0: .*$`, intercept: answersInRound3(`{"loss":{"form":{"const":NaN}},"constraints":[{"form":{}}]}`)},
	{Mode: "problem-overflows", Fails: `: round 3: reveal is answered by .*: const in the form of the loss: 1e999 is too large for a 64-bit number$`, intercept: answersInRound3(`{"loss":{"form":{"const":1e999}},"constraints":[{"form":{}}]}`)},
	{Mode: "problem-text", Fails: `: round 3: reveal is answered by .*: const in the form of the loss: found the text "1", expected a number; .*$`, intercept: answersInRound3(`{"loss":{"form":{"const":"1"}},"constraints":[{"form":{}}]}`)},
	{Mode: "form-is-opaque", Fails: `: round 3: reveal is answered by .*: the form of the loss is opaque; .*$`,
		intercept: answersInRound3(`{"loss":{"form":{"opaque":true}},"constraints":[{"form":{}}]}`)},
	{Mode: "values", Fails: `: round 3: reveal is answered by .*: the loss has a value and a subgradient, .*"adaptive" is not declared; give "form"$`, intercept: answersInRound3(`{"loss":{"value":1,"subgradient":[0,0]},"constraints":[{"form":{}}]}`)},
	{Mode: "breaks-affine", Fails: `: round 3: reveal is answered by .*: constraint 1 is not affine, and the constraints are declared to be affine$`, intercept: answersInRound3(`{"loss":{"form":{}},"constraints":[{"form":{"quad":[[1,0],[0,1]]}}]}`)},
	{Mode: "breaks-fixed", Of: "fixed",
		Fails: `: round 3: reveal is answered by .*: constraint 1 is not the one of the expectation, and the constraints are declared to be fixed$`, intercept: answersInRound3(`{"loss":{"form":{}},"constraints":[{"form":{"const":-1}}]}`)},
})

// Twins lists the problems that reveal the rounds of a built-in problem: by forms, as an adaptive
// problem by tangents, or as an opaque one by values and subgradients.
var Twins = []Child{{Mode: "twin"}, {Mode: "tangents"}, {Mode: opaqueMode}}

// opaqueMode names the mode of the opaque problem that behaves well. The modes of those that
// misbehave begin with it.
const opaqueMode = "opaque"

// misbehavingOpaque lists opaque problems that misbehave when a function is evaluated.
var misbehavingOpaque = []Child{
	{Mode: "opaque-not-convex", Fails: `: round 3: the loss of round 3 is -?[0-9.e-]+ at \[.*\], below -?[0-9.e-]+, its tangent at \[.*\]: it is not convex, or its gradient is `,
		intercept: answersValue(3, `{"value":-100,"subgradient":[0,0]}`)},
	{Mode: "opaque-other-values", Fails: `: round 3: it reveals something else than before in the same game, in round 3; ` + forgetRemedy + `$`, intercept: inRound(3, func(c *call) bool {
		var answer struct {
			Loss        oracle   `json:"loss"`
			Constraints []oracle `json:"constraints"`
		}
		if c.method != "value" || json.Unmarshal(c.result, &answer) != nil {
			return false
		}
		answer.Loss.Value += 1e-15 * float64(time.Now().UnixNano()%1e9)
		result, _ := json.Marshal(answer)
		return c.respond(c.id, string(result))
	})},
	{Mode: "opaque-changes", Fails: `: round 70: the loss of round 1 was revealed with the value .* and the subgradient \[.*\] at \[.*\], and has the value 7 and the subgradient \[0, 0\] there now; a function must not change: .*$`,
		intercept: answersValue(70, `{"value":7,"subgradient":[0,0]}`)},
	{Mode: "opaque-short", Fails: `: round 3: value is answered by .*: subgradient of the loss has length 1, expected 2, the dimension of the domain$`,
		intercept: answersValue(3, `{"value":7,"subgradient":[0]}`)},
	{Mode: "opaque-lacks-a-value", Fails: `: round 3: value is answered by .*: the loss: the key "value" is missing .*$`,
		intercept: answersValue(3, `{"subgradient":[0,0]}`)},
}

// oracle holds the JSON form of the value and the subgradient of a function at a point.
type oracle struct {
	Value       float64   `json:"value"`
	Subgradient []float64 `json:"subgradient"`
}

// answersValue answers the calls of value in a round with f as the loss and as the one constraint.
func answersValue(round int, f string) func(*call) bool {
	return inRound(round, func(c *call) bool {
		return c.method == "value" && c.respond(c.id, `{"loss":`+f+`,"constraints":[`+f+`]}`)
	})
}

// problem answers the calls of a problem with the rounds of a built-in one.
type problem struct {
	child   Child
	builtIn experiment.Problem
	stream  problems.Stream
	x       []float64
	t       int
	opaque  *harnesstest.OpaqueStream // the stream of an opaque problem
	rounds  []*convex.Round           // of an opaque problem
	line    wire.Writer               // with the names of the stream
}

// newProblem returns the problem of a child, which reveals the rounds of the built-in problem that
// args or the child name. It ends the process if there is none.
func newProblem(c Child, args []string) *problem {
	text := append(args, c.Of, "iid")
	for text[0] == "" {
		text = text[1:]
	}
	u, err := spec.ParseSpec(text[0])
	if err == nil {
		var all []experiment.Problem
		if all, err = (experiment.Catalog{Problems: problems.All}).ResolveProblems(u); err == nil {
			return &problem{child: c, builtIn: all[0]}
		}
	}
	fmt.Fprintln(os.Stderr, err)
	os.Exit(2)
	return nil
}

// Draw returns the source of random numbers of the built-in problem that a twin with this seed
// reveals.
func Draw(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 0)) }

// round returns the last round that was revealed.
func (p *problem) round() int { return p.t }

// answer returns the result of a call, as a well-behaved problem gives it.
func (p *problem) answer(m *message) ([]byte, error) {
	switch m.Method {
	case "initialize":
		p.t = 0
		return p.initialize(m)
	case "reveal":
		p.t = m.Params.T
		return p.reveal(p.t, m.Params.X), nil
	case "value":
		return p.valuesAt(p.rounds[m.Params.T-1], m.Params.X), nil
	case "evaluate":
		return p.sumsAt(m.Params.Rounds, m.Params.X)
	}
	return nil, fmt.Errorf("unknown method %q", m.Method)
}

// initialize starts the built-in stream, and returns the declaration of the problem and of its
// instance.
func (p *problem) initialize(m *message) ([]byte, error) {
	const declaration = `{"protocol":1,"role":"problem","name":"twin","version":3,"doc":"a problem for tests"`
	if m.Params.Game == nil {
		return []byte(declaration + "}"), nil
	}
	if p.child.Mode != "ignores-t" || p.stream == nil {
		var err error
		if p.stream, err = p.builtIn.New(p.builtIn.Params, Draw(m.Params.Game.Seed)); err != nil {
			return nil, err
		}
	}
	s := p.stream
	p.x = make([]float64, s.Set().Dim())
	facts := s.Facts()
	facts.Diameter = 0 // the harness knows it
	facts.Adaptive = facts.Adaptive || p.child.Mode == "tangents"
	if p.isOpaque() {
		facts.Opaque, facts.Affine, facts.Fixed, facts.KnownConstraints = true, false, false, false
		p.opaque, p.rounds = &harnesstest.OpaqueStream{Stream: s}, nil
		p.stream = p.opaque
	}
	p.line = wire.Writer{}
	w := &p.line
	w.Text(declaration + `,"instance":{"domain":`)
	w.Set(s.Set())
	w.Text(`,"constraints":`)
	w.Int(s.Constraints())
	w.Text(`,"facts":`)
	w.JSON(facts)
	w.Text(",")
	if !w.Functions(len(p.x), problems.BasesOf(s)) {
		w.Line = w.Line[:len(w.Line)-1]
	}
	if e, ok := s.(problems.Expecter); ok && e.Expectation() != nil {
		w.Text(`,"expectation":`)
		writeList(w, e.Expectation(), func(f convex.Func) { w.Form(len(p.x), f) })
	}
	w.Text("}}")
	return w.Line, w.Err
}

// reveal returns a round of the stream.
func (p *problem) reveal(t int, x []float64) []byte {
	copy(p.x, x)
	r := p.stream.Reveal(t, p.x)
	w := &p.line
	w.Reset()
	w.Text("{")
	writeFunction := func(f convex.Func) {
		if p.child.Mode == "tangents" || p.isOpaque() {
			w.Seen(f, p.x, false)
			return
		}
		w.Text(`{"form":`)
		w.Form(len(p.x), f)
		w.Text("}")
	}
	p.rounds = append(p.rounds, r)
	w.Text(`"loss":`)
	writeFunction(r.Loss)
	w.Text(`,"constraints":`)
	writeList(w, r.Constraints, writeFunction)
	w.Text("}")
	return w.Line
}

// isOpaque reports whether the problem shows values and subgradients in place of forms.
func (p *problem) isOpaque() bool { return strings.HasPrefix(p.child.Mode, opaqueMode) }

// valuesAt returns the answer to value: the functions of a round at x.
func (p *problem) valuesAt(round *convex.Round, x []float64) []byte {
	w := &p.line
	w.Reset()
	w.Text(`{"loss":`)
	w.Seen(round.Loss, x, false)
	w.Text(`,"constraints":`)
	writeList(w, round.Constraints, func(f convex.Func) { w.Seen(f, x, false) })
	w.Text("}")
	return w.Line
}

// sumsAt returns the answer to evaluate: the sums and maxima at x over the rounds up to each of
// those given. It does not tell the rounds in which maxima are reached.
func (p *problem) sumsAt(rounds []int, x []float64) ([]byte, error) {
	all, _, err := p.opaque.Evaluate(rounds, nil, x)
	if err != nil {
		return nil, err
	}
	oracles := func(list []problems.Oracle) (out []oracle) {
		for _, o := range list {
			out = append(out, oracle{o.Value, o.Subgradient})
		}
		return out
	}
	var sums []map[string]any
	for _, s := range all {
		sums = append(sums, map[string]any{"loss": oracle{s.Loss.Value, s.Loss.Subgradient},
			"total": oracles(s.Total), "largest": oracles(s.Largest), "prefix": oracles(s.Prefix)})
	}
	return json.Marshal(map[string]any{"sums": sums})
}

// writeList writes a JSON list of functions, each of which element writes.
func writeList(w *wire.Writer, functions []convex.Func, element func(convex.Func)) {
	w.Text("[")
	for j, f := range functions {
		if j > 0 {
			w.Text(",")
		}
		element(f)
	}
	w.Text("]")
}
