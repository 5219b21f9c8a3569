package algorithms

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"ocobench/convex"
	"ocobench/convex/vec"
)

// A program that is not written in Go states its bound as a formula in t, such as
// 2*diameter*loss_lipschitz*sqrt(t). A record keeps the text, so that the bound is there when
// the program is not. A formula has numbers, + - * /, parentheses, functions, and names: of the
// round, of the game, of numbers that the problem declares, and of the learner's parameters. It
// has no loops, and no other effect than its value.

// functions are those of formulas, with the number of their arguments.
var functions = map[string]struct {
	arguments int
	of        func(x []float64) float64
}{
	"sqrt": {1, func(x []float64) float64 { return math.Sqrt(x[0]) }},
	"log":  {1, func(x []float64) float64 { return vec.Log(x[0]) }},
	"exp":  {1, func(x []float64) float64 { return vec.Exp(x[0]) }},
	"pow":  {2, func(x []float64) float64 { return vec.Pow(x[0], x[1]) }},
	"min":  {2, func(x []float64) float64 { return min(x[0], x[1]) }},
	"max":  {2, func(x []float64) float64 { return max(x[0], x[1]) }},
}

// ReadBound reads a formula of a bound b(t), for [Claim.Bound]. Its names are
//
//	t, T, n, m                     the round, the horizon, the dimension, the number of constraints
//	diameter, loss_lipschitz, …    the numbers of [convex.Facts], as its JSON names them
//	those of params                with _ for what cannot be in a name
//
// A number that a problem does not declare is an error of the bound. The bound is +Inf where the
// formula is no finite number.
func ReadBound(text string, params map[string]float64) (func(Setup) (func(t int) float64, error),
	error) {
	tree, err := parser.ParseExpr(text)
	if err != nil {
		return nil, fmt.Errorf("%q is no formula: %w", text, err)
	}
	known := make(map[string]float64)
	for name, v := range params {
		known[identifier(name)] = v
	}
	facts := declared(convex.Facts{})
	names := slices.Concat([]string{"t", "T", "n", "m"}, slices.Sorted(maps.Keys(facts)),
		slices.Sorted(maps.Keys(known)))
	if err := readable(tree, names); err != nil {
		return nil, fmt.Errorf("%q: %w", text, err)
	}
	return func(s Setup) (func(t int) float64, error) {
		values := maps.Clone(known)
		maps.Copy(values, declared(s.Facts))
		values["T"], values["n"], values["m"] = float64(s.Horizon), float64(s.Set.Dim()),
			float64(s.Constraints)
		var undeclared error
		ast.Inspect(tree, func(node ast.Node) bool {
			name, ok := node.(*ast.Ident)
			if _, fact := facts[fmt.Sprint(name)]; ok && fact && values[name.Name] == 0 {
				undeclared = fmt.Errorf("the problem declares no %s", name.Name)
			}
			return true
		})
		return func(t int) float64 {
			b := value(tree, values, float64(t))
			if math.IsNaN(b) || math.IsInf(b, 0) {
				b = math.Inf(1)
			}
			return b
		}, undeclared
	}, nil
}

// identifier is the name of a parameter as a formula has it.
func identifier(name string) string { return strings.NewReplacer("-", "_", ".", "_").Replace(name) }

// declared are the numbers of facts, by the names of their JSON.
func declared(f convex.Facts) map[string]float64 {
	all := make(map[string]float64)
	for field, v := range reflect.ValueOf(f).Fields() {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		switch v.Kind() {
		case reflect.Float64:
			all[name] = v.Float()
		case reflect.Int:
			all[name] = float64(v.Int())
		}
	}
	return all
}

// readable returns an error unless an expression is a formula with some names.
func readable(e ast.Expr, names []string) error {
	switch e := e.(type) {
	case *ast.BasicLit:
		if e.Kind == token.INT || e.Kind == token.FLOAT {
			_, err := strconv.ParseFloat(e.Value, 64)
			return err
		}
	case *ast.Ident:
		if slices.Contains(names, e.Name) {
			return nil
		}
		return fmt.Errorf("unknown name %q (names: %s)", e.Name, strings.Join(names, ", "))
	case *ast.ParenExpr:
		return readable(e.X, names)
	case *ast.UnaryExpr:
		if e.Op == token.SUB {
			return readable(e.X, names)
		}
	case *ast.BinaryExpr:
		if slices.Contains([]token.Token{token.ADD, token.SUB, token.MUL, token.QUO}, e.Op) {
			return errors.Join(readable(e.X, names), readable(e.Y, names))
		}
	case *ast.CallExpr:
		f := functions[fmt.Sprint(e.Fun)]
		if f.of == nil || len(e.Args) != f.arguments {
			break
		}
		var errs []error
		for _, arg := range e.Args {
			errs = append(errs, readable(arg, names))
		}
		return errors.Join(errs...)
	}
	return errors.New("expected numbers, names, + - * / ( ), sqrt, log, exp of one, and pow, min, " +
		"max of two; a power is pow(t, 0.5)")
}

// value is the value of a formula in round t.
func value(e ast.Expr, values map[string]float64, t float64) float64 {
	switch e := e.(type) {
	case *ast.BasicLit:
		v, _ := strconv.ParseFloat(e.Value, 64)
		return v
	case *ast.Ident:
		if e.Name == "t" {
			return t
		}
		return values[e.Name]
	case *ast.ParenExpr:
		return value(e.X, values, t)
	case *ast.UnaryExpr:
		return -value(e.X, values, t)
	case *ast.BinaryExpr:
		x, y := value(e.X, values, t), value(e.Y, values, t)
		switch e.Op {
		case token.ADD:
			return x + y
		case token.SUB:
			return x - y
		case token.MUL:
			return x * y
		}
		return x / y
	case *ast.CallExpr:
		var args []float64
		for _, arg := range e.Args {
			args = append(args, value(arg, values, t))
		}
		return functions[fmt.Sprint(e.Fun)].of(args)
	}
	return math.NaN()
}
