package algorithms_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"ocobench/algorithms"
	"ocobench/convex"
	"ocobench/harness/experiment"
	"ocobench/harness/experiment/spec"
)

// Games that are worked by hand are in testdata/byhand, a file an algorithm, each with its
// derivation, and TestActionsAreThoseWorkedByHand plays all of them. Nothing rewrites the expected
// actions: they are typed as they were derived. A line is a comment, empty, or one of
//
//	domain cube N A B       [A, B]^N; or ball R about 0 in the plane, or simplex N SCALE
//	horizon T               none is told otherwise
//	facts NAME=E, …         as in convex.Facts; otherwise nothing is declared
//	let NAME = E            a number of the derivation
//	about E = E             a number that the derivation quotes, up to 5e-4
//	negative E              what the derivation says is below 0
//	round F | F | …         the loss of the next round and its constraints
//	play SPEC               with {E} for a number; starts the algorithm
//	actions E, … ; …        all actions, of round 1 to one after the last, within 1e-14
//	within D                the accuracy of the actions from here on, where another is stated
//	--                      another game: all of the above is forgotten
//
// E is arithmetic of Go in numbers, pi, names, sqrt, exp, log and pow. F is affine in x, or in
// x1 and x2, or has a term square(w, c, …) for w/2·‖x − c‖².
type handGame struct {
	set      convex.Set
	horizon  int
	facts    convex.Facts
	names    map[string]float64
	rounds   []convex.Round
	specText string
	within   float64
	checked  int // actions so far
}

// TestActionsAreThoseWorkedByHand plays the games of testdata/byhand, and compares the actions with
// those worked by hand.
func TestActionsAreThoseWorkedByHand(t *testing.T) {
	files, err := filepath.Glob("testdata/byhand/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("got no games (%v), want files in testdata/byhand", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			g := newHandGame()
			for n, line := range strings.Split(string(text), "\n") {
				if strings.TrimSpace(line) == "--" {
					if g.checked == 0 {
						t.Errorf("%s:%d: the game before has no actions, want at least one", file, n+1)
					}
					g = newHandGame()
				} else if err := g.readLine(line); err != nil {
					t.Errorf("%s:%d: %v", file, n+1, err)
				}
			}
			if g.checked == 0 {
				t.Errorf("%s: the last game has no actions, want at least one", file)
			}
		})
	}
}

// TestGamesByHandSeeFaults: a fault in a game that is worked by hand is an error.
func TestGamesByHandSeeFaults(t *testing.T) {
	const game = "domain cube 1 -1 1\nround -x | x - 1\nplay ogd:step=1\n"
	for want, text := range map[string]string{
		"":                   game + "actions 0; 1\nabout 2/3 = 0.6667\nnegative -1/3",
		"by hand it is 0.99": game + "actions 0; 0.99",
		"1 are worked":       game + "actions 0",
		"of 2 coordinates":   game + "actions 0, 0; 1, 0",
		"is not about":       "about 2/3 = 0.6677",
		"is not negative":    "negative 1/3",
		`of y`:               "let z = y",
		"not affine":         "domain cube 1 0 1\nround x*x",
		"unknown algorithm":  "domain cube 1 0 1\nround x\nplay ogdd\nactions 0; 0",
		"no fact":            "facts Speed=1",
		"no line":            "acts 0",
	} {
		g := newHandGame()
		var err error
		for _, line := range strings.Split(text, "\n") {
			if err == nil {
				err = g.readLine(line)
			}
		}
		if got := fmt.Sprint(err); (err == nil) != (want == "") || !strings.Contains(got, want) {
			t.Errorf("%q: error %v, want %q", text, err, want)
		}
	}
}

// newHandGame returns a game of which nothing is said so far.
func newHandGame() *handGame {
	return &handGame{names: map[string]float64{"pi": math.Pi}, within: 1e-14}
}

// readLine reads a line of a game; at actions it plays the game and compares the actions.
func (g *handGame) readLine(line string) (err error) {
	if strings.HasPrefix(line, "#") {
		return nil
	}
	word, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
	rest = strings.TrimSpace(rest)
	switch word {
	case "":
	case "domain":
		err = g.readDomain(strings.Fields(rest))
	case "horizon":
		g.horizon, err = strconv.Atoi(rest)
	case "within":
		g.within, err = strconv.ParseFloat(rest, 64)
	case "facts":
		for _, fact := range strings.Split(rest, ",") {
			name, text, _ := strings.Cut(strings.TrimSpace(fact), "=")
			field := reflect.ValueOf(&g.facts).Elem().FieldByName(name)
			if !field.IsValid() {
				return fmt.Errorf("no fact %q", name)
			}
			v, err := g.parseNumber(text)
			if err != nil {
				return err
			}
			field.SetFloat(v)
		}
	case "let":
		name, text, _ := strings.Cut(rest, "=")
		g.names[strings.TrimSpace(name)], err = g.parseNumber(text)
	case "about":
		is, said, _ := strings.Cut(rest, "=")
		v, e := g.parseNumber(is)
		w, f := g.parseNumber(said)
		if err = firstError(e, f); err == nil && !(math.Abs(v-w) <= 5e-4) {
			err = fmt.Errorf("%s is %v, not about %v: it is not about that", is, v, w)
		}
	case "negative":
		v, e := g.parseNumber(rest)
		if err = e; err == nil && !(v < 0) {
			err = fmt.Errorf("%s is %v, which is not negative", rest, v)
		}
	case "round":
		var fs []convex.Func
		for _, text := range strings.Split(rest, "|") {
			f, err := g.parseFunction(text)
			if err != nil {
				return err
			}
			fs = append(fs, f)
		}
		g.rounds = append(g.rounds, convex.Round{Loss: fs[0], Constraints: fs[1:]})
	case "play":
		g.specText = regexp.MustCompile(`\{[^}]*\}`).ReplaceAllStringFunc(rest, func(text string) string {
			v, e := g.parseNumber(strings.Trim(text, "{}"))
			err = firstError(err, e)
			return strconv.FormatFloat(v, 'g', -1, 64)
		})
	case "actions":
		err = g.compareActions(rest)
	default:
		err = fmt.Errorf("no line begins with %q", word)
	}
	return err
}

// firstError returns the first error that is not nil.
func firstError(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// readDomain sets the domain by its kind and numbers.
func (g *handGame) readDomain(words []string) (err error) {
	var v []float64
	for _, w := range words[1:] {
		x, err := g.parseNumber(w)
		if err != nil {
			return err
		}
		v = append(v, x)
	}
	switch {
	case words[0] == "cube" && len(v) == 3:
		g.set = convex.Cube(int(v[0]), v[1], v[2])
	case words[0] == "ball" && len(v) == 1:
		g.set, err = convex.NewBall([]float64{0, 0}, v[0])
	case words[0] == "simplex" && len(v) == 2:
		g.set, err = convex.NewSimplex(int(v[0]), v[1])
	default:
		err = fmt.Errorf("no domain %q", words)
	}
	return err
}

// compareActions plays the game, and compares its actions with those of the text.
func (g *handGame) compareActions(text string) error {
	use, err := spec.ParseSpec(g.specText)
	if err != nil {
		return err
	}
	catalog := experiment.Catalog{Algorithms: algorithms.All}
	resolvedAlgorithms, err := catalog.ResolveAlgorithms(use)
	if err != nil {
		return err
	}
	setup := algorithms.Setup{
		Set: g.set, Constraints: len(g.rounds[0].Constraints), Horizon: g.horizon, Facts: g.facts,
	}
	l, err := resolvedAlgorithms[0].Start(resolvedAlgorithms[0].Params, setup)
	if err != nil {
		return err
	}
	want := strings.Split(text, ";")
	if len(want) != len(g.rounds)+1 {
		return fmt.Errorf("%d actions are played, %d are worked by hand", len(g.rounds)+1, len(want))
	}
	x := make([]float64, g.set.Dim())
	for i, point := range want {
		l.Act(x)
		list, err := parser.ParseExpr("at(" + point + ")")
		if err != nil {
			return err
		}
		at := list.(*ast.CallExpr).Args
		if len(at) != len(x) {
			return fmt.Errorf("action %d is of %d coordinates, and the domain of %d", i+1, len(at), len(x))
		}
		for k, e := range at {
			w, err := g.evaluate(e)
			if err != nil {
				return err
			}
			if !(math.Abs(x[k]-w.offset) <= g.within) {
				return fmt.Errorf("action %d is %v, coordinate %d by hand it is %v", i+1, x, k+1, w.offset)
			}
		}
		if i < len(g.rounds) {
			if err := l.Observe(x, g.rounds[i]); err != nil {
				return fmt.Errorf("round %d: %w", i+1, err)
			}
		}
	}
	g.checked++
	return nil
}

// handValue is a number, or a function of x: its constant, slopes and square.
type handValue struct {
	offset float64
	slopes [3]float64 // of x, or of x1 and x2 at 1 and 2
	square *convex.HalfSquaredDistance
}

// isNumber reports whether a value does not depend on x.
func (v handValue) isNumber() bool { return v.slopes == [3]float64{} && v.square == nil }

// parseNumber reads an expression that does not depend on x.
func (g *handGame) parseNumber(text string) (float64, error) {
	e, err := parser.ParseExpr(strings.TrimSpace(text))
	if err != nil {
		return 0, err
	}
	v, err := g.evaluate(e)
	if err == nil && !v.isNumber() {
		err = fmt.Errorf("%s is no number", text)
	}
	return v.offset, err
}

// parseFunction reads an expression as a function of x.
func (g *handGame) parseFunction(text string) (convex.Func, error) {
	e, err := parser.ParseExpr(strings.TrimSpace(text))
	if err != nil {
		return nil, err
	}
	v, err := g.evaluate(e)
	if err != nil {
		return nil, err
	}
	a := v.slopes[:1]
	if g.set.Dim() == 2 {
		a = v.slopes[1:]
	}
	if v.square == nil {
		return affine(v.offset, a...), nil
	}
	v.square.Offset = v.offset
	if v.slopes != [3]float64{} {
		return nil, fmt.Errorf("%s has a square and slopes, which is not needed so far", text)
	}
	return v.square, nil
}

// evaluate evaluates an expression.
func (g *handGame) evaluate(e ast.Expr) (v handValue, err error) {
	switch e := e.(type) {
	case *ast.BasicLit:
		v.offset, err = strconv.ParseFloat(e.Value, 64)
		return v, err
	case *ast.ParenExpr:
		return g.evaluate(e.X)
	case *ast.Ident:
		if at, ok := g.names[e.Name]; ok {
			return handValue{offset: at}, nil
		}
		k := slices.Index([]string{"x", "x1", "x2"}, e.Name)
		if k < 0 {
			return v, fmt.Errorf("nothing is known of %s", e.Name)
		}
		v.slopes[k] = 1
		return v, nil
	case *ast.UnaryExpr:
		if v, err = g.evaluate(e.X); e.Op == token.SUB {
			v, err = combineValues(token.MUL, handValue{offset: -1}, v, err)
		}
		return v, err
	case *ast.BinaryExpr:
		a, err := g.evaluate(e.X)
		if err != nil {
			return v, err
		}
		b, err := g.evaluate(e.Y)
		return combineValues(e.Op, a, b, err)
	case *ast.CallExpr:
		return g.evaluateCall(e)
	}
	return v, fmt.Errorf("%T is no arithmetic", e)
}

// combineValues returns a sum or a difference, or a product or a quotient with a number.
func combineValues(op token.Token, a, b handValue, err error) (handValue, error) {
	if err != nil {
		return a, err
	}
	scale := func(f handValue, by func(float64) float64) handValue {
		f.offset = by(f.offset)
		for k := range f.slopes {
			f.slopes[k] = by(f.slopes[k])
		}
		return f
	}
	switch {
	case op == token.ADD || op == token.SUB:
		for k := range a.slopes {
			if op == token.SUB {
				b.slopes[k] = -b.slopes[k]
			}
			a.slopes[k] += b.slopes[k]
		}
		if op == token.SUB {
			b.offset = -b.offset
		}
		a.offset += b.offset
		if a.square != nil && b.square != nil || op == token.SUB && b.square != nil {
			return a, fmt.Errorf("two squares, or a negative one, are not needed so far")
		}
		if b.square != nil {
			a.square = b.square
		}
		return a, nil
	case a.square != nil || b.square != nil:
		return a, fmt.Errorf("a product with a square: write its weight")
	case op == token.MUL && a.isNumber():
		return scale(b, func(v float64) float64 { return a.offset * v }), nil
	case op == token.MUL && b.isNumber():
		return scale(a, func(v float64) float64 { return v * b.offset }), nil
	case op == token.QUO && b.isNumber():
		return scale(a, func(v float64) float64 { return v / b.offset }), nil
	}
	return a, fmt.Errorf("not affine: %v", op)
}

// evaluateCall evaluates a call of a function, such as sqrt(2) and square(w, c).
func (g *handGame) evaluateCall(e *ast.CallExpr) (v handValue, err error) {
	var args []float64
	for _, a := range e.Args {
		w, err := g.evaluate(a)
		if err != nil {
			return v, err
		}
		args = append(args, w.offset)
	}
	name := e.Fun.(*ast.Ident).Name
	one := map[string]func(float64) float64{"sqrt": math.Sqrt, "exp": math.Exp, "log": math.Log}
	switch {
	case name == "square" && len(args) == 1+g.set.Dim():
		v.square = &convex.HalfSquaredDistance{Weight: args[0], Center: args[1:]}
	case name == "pow" && len(args) == 2:
		v.offset = math.Pow(args[0], args[1])
	case one[name] != nil && len(args) == 1:
		v.offset = one[name](args[0])
	default:
		err = fmt.Errorf("no function %s of %d arguments", name, len(args))
	}
	return v, err
}
