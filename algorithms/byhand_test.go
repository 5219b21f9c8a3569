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
// derivation, and TestByHand plays all of them. Nothing rewrites the expected actions: they
// are typed as they were derived. A line is a comment, empty, or one of
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
	set     convex.Set
	horizon int
	facts   convex.Facts
	names   map[string]float64
	rounds  []convex.Round
	spec    string
	within  float64
	checked int // actions so far
}

func TestByHand(t *testing.T) {
	files, err := filepath.Glob("testdata/byhand/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no games: %v", err)
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
						t.Errorf("%s:%d: the game before has no actions", file, n+1)
					}
					g = newHandGame()
				} else if err := g.line(line); err != nil {
					t.Errorf("%s:%d: %v", file, n+1, err)
				}
			}
			if g.checked == 0 {
				t.Errorf("%s: the last game has no actions", file)
			}
		})
	}
}

// The runner sees what is wrong in a game.
func TestByHandSeesFaults(t *testing.T) {
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
				err = g.line(line)
			}
		}
		if got := fmt.Sprint(err); (err == nil) != (want == "") || !strings.Contains(got, want) {
			t.Errorf("%q: error %v, want %q", text, err, want)
		}
	}
}

func newHandGame() *handGame {
	return &handGame{names: map[string]float64{"pi": math.Pi}, within: 1e-14}
}

// line reads a line, or plays the game and compares the actions.
func (g *handGame) line(line string) (err error) {
	if strings.HasPrefix(line, "#") {
		return nil
	}
	word, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
	rest = strings.TrimSpace(rest)
	switch word {
	case "":
	case "domain":
		err = g.domain(strings.Fields(rest))
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
			v, err := g.number(text)
			if err != nil {
				return err
			}
			field.SetFloat(v)
		}
	case "let":
		name, text, _ := strings.Cut(rest, "=")
		g.names[strings.TrimSpace(name)], err = g.number(text)
	case "about":
		is, said, _ := strings.Cut(rest, "=")
		v, e := g.number(is)
		w, f := g.number(said)
		if err = firstOf(e, f); err == nil && !(math.Abs(v-w) <= 5e-4) {
			err = fmt.Errorf("%s is %v, not about %v: it is not about that", is, v, w)
		}
	case "negative":
		v, e := g.number(rest)
		if err = e; err == nil && !(v < 0) {
			err = fmt.Errorf("%s is %v, which is not negative", rest, v)
		}
	case "round":
		var fs []convex.Func
		for _, text := range strings.Split(rest, "|") {
			f, err := g.function(text)
			if err != nil {
				return err
			}
			fs = append(fs, f)
		}
		g.rounds = append(g.rounds, convex.Round{Loss: fs[0], Constraints: fs[1:]})
	case "play":
		g.spec = regexp.MustCompile(`\{[^}]*\}`).ReplaceAllStringFunc(rest, func(text string) string {
			v, e := g.number(strings.Trim(text, "{}"))
			err = firstOf(err, e)
			return strconv.FormatFloat(v, 'g', -1, 64)
		})
	case "actions":
		err = g.compare(rest)
	default:
		err = fmt.Errorf("no line begins with %q", word)
	}
	return err
}

func firstOf(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

func (g *handGame) domain(words []string) (err error) {
	var v []float64
	for _, w := range words[1:] {
		x, err := g.number(w)
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

// compare plays the game and compares its actions.
func (g *handGame) compare(text string) error {
	use, err := spec.ParseSpec(g.spec)
	if err != nil {
		return err
	}
	catalog := experiment.Catalog{Algorithms: algorithms.All}
	contenders, err := catalog.ResolveAlgorithms(use)
	if err != nil {
		return err
	}
	setup := algorithms.Setup{
		Set: g.set, Constraints: len(g.rounds[0].Constraints), Horizon: g.horizon, Facts: g.facts,
	}
	l, err := contenders[0].Start(contenders[0].Params, setup)
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
			w, err := g.eval(e)
			if err != nil {
				return err
			}
			if !(math.Abs(x[k]-w.at) <= g.within) {
				return fmt.Errorf("action %d is %v, coordinate %d by hand it is %v", i+1, x, k+1, w.at)
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
	at     float64
	lin    [3]float64 // of x, or of x1 and x2 at 1 and 2
	square *convex.HalfSquaredDistance
}

func (v handValue) constant() bool { return v.lin == [3]float64{} && v.square == nil }

func (g *handGame) number(text string) (float64, error) {
	e, err := parser.ParseExpr(strings.TrimSpace(text))
	if err != nil {
		return 0, err
	}
	v, err := g.eval(e)
	if err == nil && !v.constant() {
		err = fmt.Errorf("%s is no number", text)
	}
	return v.at, err
}

func (g *handGame) function(text string) (convex.Func, error) {
	e, err := parser.ParseExpr(strings.TrimSpace(text))
	if err != nil {
		return nil, err
	}
	v, err := g.eval(e)
	if err != nil {
		return nil, err
	}
	a := v.lin[:1]
	if g.set.Dim() == 2 {
		a = v.lin[1:]
	}
	if v.square == nil {
		return affine(v.at, a...), nil
	}
	v.square.Offset = v.at
	if v.lin != [3]float64{} {
		return nil, fmt.Errorf("%s has a square and slopes, which is not needed so far", text)
	}
	return v.square, nil
}

func (g *handGame) eval(e ast.Expr) (v handValue, err error) {
	switch e := e.(type) {
	case *ast.BasicLit:
		v.at, err = strconv.ParseFloat(e.Value, 64)
		return v, err
	case *ast.ParenExpr:
		return g.eval(e.X)
	case *ast.Ident:
		if at, ok := g.names[e.Name]; ok {
			return handValue{at: at}, nil
		}
		k := slices.Index([]string{"x", "x1", "x2"}, e.Name)
		if k < 0 {
			return v, fmt.Errorf("nothing is known of %s", e.Name)
		}
		v.lin[k] = 1
		return v, nil
	case *ast.UnaryExpr:
		if v, err = g.eval(e.X); e.Op == token.SUB {
			v, err = combine(token.MUL, handValue{at: -1}, v, err)
		}
		return v, err
	case *ast.BinaryExpr:
		a, err := g.eval(e.X)
		if err != nil {
			return v, err
		}
		b, err := g.eval(e.Y)
		return combine(e.Op, a, b, err)
	case *ast.CallExpr:
		return g.call(e)
	}
	return v, fmt.Errorf("%T is no arithmetic", e)
}

// combine returns a sum, a difference, or a product or quotient with a number.
func combine(op token.Token, a, b handValue, err error) (handValue, error) {
	if err != nil {
		return a, err
	}
	scale := func(f handValue, by func(float64) float64) handValue {
		f.at = by(f.at)
		for k := range f.lin {
			f.lin[k] = by(f.lin[k])
		}
		return f
	}
	switch {
	case op == token.ADD || op == token.SUB:
		for k := range a.lin {
			if op == token.SUB {
				b.lin[k] = -b.lin[k]
			}
			a.lin[k] += b.lin[k]
		}
		if op == token.SUB {
			b.at = -b.at
		}
		a.at += b.at
		if a.square != nil && b.square != nil || op == token.SUB && b.square != nil {
			return a, fmt.Errorf("two squares, or a negative one, are not needed so far")
		}
		if b.square != nil {
			a.square = b.square
		}
		return a, nil
	case a.square != nil || b.square != nil:
		return a, fmt.Errorf("a product with a square: write its weight")
	case op == token.MUL && a.constant():
		return scale(b, func(v float64) float64 { return a.at * v }), nil
	case op == token.MUL && b.constant():
		return scale(a, func(v float64) float64 { return v * b.at }), nil
	case op == token.QUO && b.constant():
		return scale(a, func(v float64) float64 { return v / b.at }), nil
	}
	return a, fmt.Errorf("not affine: %v", op)
}

func (g *handGame) call(e *ast.CallExpr) (v handValue, err error) {
	var args []float64
	for _, a := range e.Args {
		w, err := g.eval(a)
		if err != nil {
			return v, err
		}
		args = append(args, w.at)
	}
	name := e.Fun.(*ast.Ident).Name
	one := map[string]func(float64) float64{"sqrt": math.Sqrt, "exp": math.Exp, "log": math.Log}
	switch {
	case name == "square" && len(args) == 1+g.set.Dim():
		v.square = &convex.HalfSquaredDistance{Weight: args[0], Center: args[1:]}
	case name == "pow" && len(args) == 2:
		v.at = math.Pow(args[0], args[1])
	case one[name] != nil && len(args) == 1:
		v.at = one[name](args[0])
	default:
		err = fmt.Errorf("no function %s of %d arguments", name, len(args))
	}
	return v, err
}
