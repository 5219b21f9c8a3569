//go:build unix

package main

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// Defects made by rule, in Go.
//
// A rule changes the text of one expression or of one statement; the syntax tree and the
// types say where it applies. All rules are applied at every place, in the order of the text,
// so that the same source always leads to the same list. Nothing is changed in the arguments
// of a panic, which say what a caller did wrong, and in the fields Doc and Reference, which
// are printed only.
//
//	comparison   < to <= and to >=, > to >= and to <=, == to !=, and back; min to max
//	logic        && to ||, and back
//	arithmetic   + to -, * to /, += to -=, *= to /=, ++ to --, and back; % to *
//	off by one   an integer n to n + 1; the ends of a slice; the end of a range
//	negation     !x to x, -x to x
//	dropped      a statement that assigns or calls, or a short if without else
//	swapped      two neighbouring arguments of one type
//	doubled      a number to its double

// A made is where a defect by rule is.
type made struct {
	rule  string
	fn    string // the function or method, or the top of the file
	start int    // where the old text starts in the file
	first int    // its first line
	at    place  // where the change starts
	nth   int    // from 0, of equal changes of equal lines of the function
}

// A place is a line and a column, in bytes, from 1.
type place struct{ line, column int }

// swaps has what operators are changed to.
var swaps = map[token.Token][]token.Token{
	token.LSS: {token.LEQ, token.GEQ}, token.LEQ: {token.LSS, token.GTR},
	token.GTR: {token.GEQ, token.LEQ}, token.GEQ: {token.GTR, token.LSS},
	token.EQL: {token.NEQ}, token.NEQ: {token.EQL},
	token.LAND: {token.LOR}, token.LOR: {token.LAND},
	token.ADD: {token.SUB}, token.SUB: {token.ADD}, token.MUL: {token.QUO},
	token.QUO: {token.MUL}, token.REM: {token.MUL},
	token.ADD_ASSIGN: {token.SUB_ASSIGN}, token.SUB_ASSIGN: {token.ADD_ASSIGN},
	token.MUL_ASSIGN: {token.QUO_ASSIGN}, token.QUO_ASSIGN: {token.MUL_ASSIGN},
	token.INC: {token.DEC}, token.DEC: {token.INC},
}

// ruleOf is the rule that changes an operator.
func ruleOf(op token.Token) string {
	switch op {
	case token.LSS, token.LEQ, token.GTR, token.GEQ, token.EQL, token.NEQ:
		return "comparison"
	case token.LAND, token.LOR:
		return "logic"
	}
	return "arithmetic"
}

// An editor makes the defects of one file.
type editor struct {
	fset *token.FileSet
	info *types.Info
	name string // of the file, in the module
	src  string
	fn   string
	all  []defect
}

// defectsOf returns the defects of a file, in the order of the text.
func defectsOf(fset *token.FileSet, info *types.Info, f *ast.File, name, src string) []defect {
	e := &editor{fset: fset, info: info, name: name, src: src}
	for _, d := range f.Decls {
		e.fn = "top"
		if fd, ok := d.(*ast.FuncDecl); ok {
			e.fn = fd.Name.Name
			if fd.Recv != nil {
				e.fn = strings.Map(func(r rune) rune {
					if r == ' ' {
						return -1
					}
					return r
				}, e.text(fd.Recv.List[0].Type)) + "." + e.fn
			}
		}
		ast.Inspect(d, e.visit)
	}
	return number(e.all)
}

// number sorts the defects by their places, drops doubles, and counts equal ones.
func number(all []defect) []defect {
	slices.SortStableFunc(all, func(a, b defect) int {
		return cmp.Or(a.at.line-b.at.line, a.at.column-b.at.column)
	})
	seen := make(map[string]int)
	here := make(map[string]bool)
	return slices.DeleteFunc(all, func(d defect) bool {
		exact := fmt.Sprintf("%d %q", d.start, d.new)
		if here[exact] || d.old == d.new {
			return true
		}
		here[exact] = true
		key := d.id()
		d.nth = seen[key]
		seen[key]++
		return false
	})
}

// visit makes the defects of a node, and reports whether to go into it.
func (e *editor) visit(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.ArrayType: // its length is part of a type
		return false
	case *ast.ImportSpec:
		return false
	case *ast.KeyValueExpr:
		key, ok := n.Key.(*ast.Ident)
		return !ok || key.Name != "Doc" && key.Name != "Reference"
	case *ast.CallExpr:
		if f, ok := n.Fun.(*ast.Ident); ok && f.Name == "panic" {
			return false
		}
		e.call(n)
	case *ast.BinaryExpr:
		if t := e.info.TypeOf(n.X); ruleOf(n.Op) != "arithmetic" || numeric(t) {
			e.operator(n.Op, n.OpPos)
		}
	case *ast.UnaryExpr:
		if n.Op == token.NOT || n.Op == token.SUB {
			e.add("negation", n.OpPos, n.X.Pos(), "")
		}
	case *ast.AssignStmt:
		if numeric(e.info.TypeOf(n.Lhs[0])) {
			e.operator(n.Tok, n.TokPos)
		}
	case *ast.IncDecStmt:
		e.operator(n.Tok, n.TokPos)
	case *ast.RangeStmt:
		if integer(e.info.TypeOf(n.X)) {
			e.add("off by one", n.X.End(), n.X.End(), " - 1")
		}
	case *ast.SliceExpr:
		e.slice(n)
	case *ast.BasicLit:
		e.literal(n)
	case *ast.BlockStmt:
		e.drop(n.List)
	case *ast.CaseClause:
		e.drop(n.Body)
	case *ast.CommClause:
		e.drop(n.Body)
	}
	return true
}

func numeric(t types.Type) bool { return is(t, types.IsNumeric) }
func integer(t types.Type) bool { return is(t, types.IsInteger) }

func is(t types.Type, what types.BasicInfo) bool {
	if t == nil {
		return false
	}
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&what != 0
}

func (e *editor) operator(op token.Token, pos token.Pos) {
	for _, other := range swaps[op] {
		e.add(ruleOf(op), pos, pos+token.Pos(len(op.String())), other.String())
	}
}

// call swaps neighbouring arguments of one type, and min with max. A constant text is hardly ever
// confused with another one: it is a format, or a separator.
func (e *editor) call(n *ast.CallExpr) {
	if f, ok := n.Fun.(*ast.Ident); ok {
		if other := map[string]string{"min": "max", "max": "min"}[f.Name]; other != "" &&
			len(n.Args) > 1 {
			if _, builtin := e.info.Uses[f].(*types.Builtin); builtin {
				e.add("comparison", f.Pos(), f.End(), other)
				return // the order of its arguments says nothing
			}
		}
	}
	for i := 1; i < len(n.Args); i++ {
		a, b := n.Args[i-1], n.Args[i]
		ta, tb := e.info.TypeOf(a), e.info.TypeOf(b)
		if ta == nil || tb == nil || !types.Identical(types.Default(ta), types.Default(tb)) ||
			e.text(a) == e.text(b) || n.Ellipsis.IsValid() && i == len(n.Args)-1 ||
			e.constantText(a) != e.constantText(b) {
			continue
		}
		between := e.src[e.offset(a.End()):e.offset(b.Pos())]
		e.add("swapped", a.Pos(), b.End(), e.text(b)+between+e.text(a))
	}
}

// constantText reports whether an expression is a constant string.
func (e *editor) constantText(x ast.Expr) bool {
	v := e.info.Types[x].Value
	return v != nil && v.Kind() == constant.String
}

// slice moves the ends of a slice.
func (e *editor) slice(n *ast.SliceExpr) {
	if n.Low != nil && e.info.Types[n.Low].Value == nil {
		e.add("off by one", n.Low.End(), n.Low.End(), "+1")
	}
	if n.High != nil && e.info.Types[n.High].Value == nil {
		e.add("off by one", n.High.End(), n.High.End(), "-1")
	}
}

// literal doubles a number, and adds one to an integer. A number with a base of its own is a
// mode or a mask.
func (e *editor) literal(n *ast.BasicLit) {
	if n.Kind != token.INT && n.Kind != token.FLOAT ||
		len(n.Value) > 1 && n.Value[0] == '0' && n.Value[1] != '.' {
		return
	}
	v := constant.MakeFromLiteral(n.Value, n.Kind, 0)
	if n.Kind == token.INT && integer(e.info.TypeOf(n)) {
		e.add("off by one", n.Pos(), n.End(),
			constant.BinaryOp(v, token.ADD, constant.MakeInt64(1)).ExactString())
	}
	if constant.Sign(v) == 0 {
		return
	}
	if n.Kind == token.INT {
		e.add("doubled", n.Pos(), n.End(),
			constant.BinaryOp(v, token.MUL, constant.MakeInt64(2)).ExactString())
		return
	}
	f, _ := constant.Float64Val(v)
	e.add("doubled", n.Pos(), n.End(), fmt.Sprint(2*f))
}

// drop drops statements of a list, one at a time.
func (e *editor) drop(list []ast.Stmt) {
	for _, s := range list {
		switch s := s.(type) {
		case *ast.ExprStmt:
			if c, ok := s.X.(*ast.CallExpr); ok && e.text(c.Fun) == "panic" {
				continue // what must not happen does not
			}
		case *ast.AssignStmt:
			used := func(x ast.Expr) bool { return e.text(x) != "_" }
			if s.Tok == token.DEFINE || !slices.ContainsFunc(s.Lhs, used) {
				continue
			}
		case *ast.IfStmt:
			if s.Else != nil || e.fset.Position(s.End()).Line-e.fset.Position(s.Pos()).Line > 2 {
				continue
			}
		case *ast.IncDecStmt, *ast.SendStmt, *ast.DeferStmt, *ast.GoStmt:
		default:
			continue
		}
		e.add("dropped", s.Pos(), s.End(), "")
	}
}

func (e *editor) offset(p token.Pos) int { return e.fset.Position(p).Offset }

func (e *editor) text(n ast.Node) string { return e.src[e.offset(n.Pos()):e.offset(n.End())] }

// add makes a defect that puts a text in place of another.
func (e *editor) add(rule string, from, to token.Pos, text string) {
	e.all = append(e.all, change(e.name, e.src, e.fn, rule, e.offset(from), e.offset(to), text))
}

// change makes a defect of the rule: src[from:to] becomes text. Its old and its new text are
// whole lines.
func change(name, src, fn, rule string, from, to int, text string) defect {
	start := strings.LastIndexByte(src[:from], '\n') + 1
	end := len(src)
	if k := strings.IndexByte(src[to:], '\n'); k >= 0 {
		end = to + k
	}
	first := 1 + strings.Count(src[:start], "\n")
	d := defect{line: first, file: name, old: src[start:end],
		new: strings.TrimRight(src[start:from]+text+src[to:end], " \t")}
	d.made = &made{rule, fn, start, first,
		place{1 + strings.Count(src[:from], "\n"), from - strings.LastIndexByte(src[:from], '\n')}, 0}
	d.wrong = fmt.Sprintf("%s in %s", rule, fn)
	return d
}
