package spec

import (
	"encoding"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"ocobench/convex/vec"
)

// A numeric parameter may be an expression in facts of the game, such as 0.5*Δ/(G*sqrt(T)). A
// use with one is open: [Use.ApplyClosed] decodes the rest of it, and [Use.Bind] puts numbers in
// the place of the expressions once the game is known.

// Variables lists the names that expressions may use.
var Variables = []Variable{
	{"T", "the horizon"}, {"n", "the dimension"}, {"m", "the number of constraints"},
	{"G", "the declared Lipschitz constant of the losses"},
	{"B", "the declared bound of the constraints"}, {"Δ", "the diameter of the domain"},
}

// Variable describes a name that expressions may use.
type Variable struct{ Name, Doc string }

// spellings maps other ways to write a character or a word to the one that expressions use.
var spellings = map[string]string{"Delta": "Δ", "∆": "Δ", "−": "-", "×": "*", "·": "*"}

// ExpressionSyntax lists, for messages, what an expression may consist of.
const ExpressionSyntax = "numbers, T, n, m, G, B, Δ or Delta, + - * / ^, parentheses, sqrt, log, " +
	"min, max"

// ApplyClosed returns a copy of defaults with the parameters of u that are not expressions, as
// [Use.Apply] does. The others keep their defaults and are named in open. If there are any, it is
// not checked whether the parameters fit together.
func (u Use) ApplyClosed(defaults any) (params any, open []string, err error) {
	fields, d := fieldsOf(defaults)
	var errs Errors
	for _, a := range u.Args {
		if f, err := findField("parameter", fields, a); err == nil {
			e, fault := f.readExpression(a.Value)
			if fault != nil {
				errs = append(errs, fault)
			}
			if e != nil || fault != nil { // a faulty expression is not decoded either
				open = append(open, a.Key)
			}
		}
	}
	p := reflect.New(d.Type())
	p.Elem().Set(d)
	if errs = append(errs, u.decode("parameter", p.Elem(), open)...); len(errs) > 0 {
		return nil, nil, errs.sortedOrNil()
	}
	if defaults == nil {
		return nil, nil, nil
	}
	return p.Elem().Interface(), open, nil
}

// Bind returns u with the expressions replaced by their numbers, given the values of the variables.
// It is an error if an expression names a variable without a value, or is out of the range of its
// parameter.
func (u Use) Bind(defaults any, values map[string]float64) (Use, error) {
	fields, _ := fieldsOf(defaults)
	bound := u
	bound.Args = slices.Clone(u.Args)
	var errs Errors
	for i, a := range u.Args {
		f, err := findField("parameter", fields, a)
		if err != nil {
			continue
		}
		e, fault := f.readExpression(a.Value)
		if e != nil {
			bound.Args[i].Value, fault = f.bindValue(a.Value, e, values)
		}
		if fault != nil {
			errs = append(errs, fault)
		}
	}
	return bound, errs.sortedOrNil()
}

// Open returns the expressions of u, by parameter, and the variables that they name.
func (u Use) Open(defaults any) (expressions map[string]string, variables []string) {
	fields, _ := fieldsOf(defaults)
	expressions = make(map[string]string)
	for _, a := range u.Args {
		if f, err := findField("parameter", fields, a); err == nil {
			if e, _ := f.readExpression(a.Value); e != nil {
				expressions[a.Key] = e.String()
				variables = e.addNames(variables)
			}
		}
	}
	return expressions, variables
}

// FormatOpen prints the SPEC of parameters of which some are expressions, as [Format] does: the
// expressions stand after the other parameters.
func (u Use) FormatOpen(params, defaults any, swept ...string) string {
	expressions, _ := u.Open(defaults)
	swept = slices.DeleteFunc(slices.Clone(swept), func(name string) bool {
		_, open := expressions[name]
		return open
	})
	text := Format(u.Name, params, defaults, swept...)
	separator := ","
	if text == u.Name {
		separator = ":"
	}
	for _, a := range u.Args {
		if e, open := expressions[a.Key]; open {
			text += separator + a.Key + "=" + quoteSpec(e)
			separator = ","
		}
	}
	return text
}

// readExpression reads a value as an expression, and returns nil if it is none. Parameters that are
// numbers can have expressions, and unions of numbers and words, unless the text is one of the
// words.
func (f field) readExpression(v Value) (*expression, *Error) {
	isNumber := f.elem.Kind() == reflect.Float64 || isInteger(f.elem)
	text := strings.TrimSpace(v.Text)
	switch {
	case f.isList || !isScalar(v) || !isNumber && !isText(f.elem) || !looksLikeExpression(text):
		return nil, nil
	case !isNumber && reflect.New(f.elem).Interface().(encoding.TextUnmarshaler).UnmarshalText(
		[]byte(text)) == nil:
		return nil, nil
	}
	e, err := parseExpression(text)
	if err != nil {
		return nil, v.Pos.errorAt(fmt.Sprintf(" (expected %s, or an expression: %s)", f.expected(),
			ExpressionSyntax), "%s: %q: %v", f.Name, shorten(text), err)
	}
	return e, nil
}

// looksLikeExpression reports whether a text is a variable or has an operator, and is neither a
// number nor a common mistake in one.
func looksLikeExpression(text string) bool {
	isVariable := slices.ContainsFunc(Variables, func(v Variable) bool {
		return v.Name == text || spellings[text] == v.Name
	})
	return (isVariable || strings.ContainsAny(text, "+-*/^()−×·")) &&
		!numberSyntax.MatchString(text) && numberFault(text) == nil
}

// bindValue computes an expression at the values of its variables, which the error names.
func (f field) bindValue(v Value, e *expression, values map[string]float64) (Value, *Error) {
	var at []string
	for _, name := range e.addNames(nil) {
		x, declared := values[name]
		if !declared {
			k := slices.IndexFunc(Variables, func(v Variable) bool { return v.Name == name })
			return v, v.Pos.errorAt(" (write a number in its place)", "%s: %v: %s, %s, is not known here",
				f.Name, e, name, Variables[k].Doc)
		}
		at = append(at, name+" = "+formatNumber(x))
	}
	what := fmt.Sprintf("%s: %v", f.Name, e)
	if len(at) > 0 {
		what += " at " + strings.Join(at, ", ")
	}
	x := e.value(values)
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return v, v.Pos.errorAt(" (expected "+f.expected()+")", "%s is not finite", what)
	}
	value := Value{Pos: v.Pos, Text: formatNumber(x)}
	if err := f.decodeScalar(value, reflect.New(f.typ).Elem()); err != nil {
		_, reason, _ := strings.Cut(err.Msg, f.Name+": ")
		err.Msg = what + ": " + reason
		return v, err
	}
	return value, nil
}

// expression holds a tree: a number, a variable or an operation.
type expression struct {
	op       string // an operator, a function, "number" or "variable"
	number   float64
	name     string // as it is printed
	operands []*expression
}

// precedence ranks the operators by how strongly they bind.
var precedence = map[string]int{"+": 1, "-": 1, "*": 2, "/": 2, "negate": 3, "^": 4}

// functions lists the functions, with the least and the largest number of their operands.
var functions = map[string]struct{ least, largest int }{
	"sqrt": {1, 1}, "log": {1, 1}, "min": {2, 9}, "max": {2, 9},
}

// maxExpression bounds the length of an expression in bytes, and so its depth.
const maxExpression = 200

// parseExpression reads an expression, such as sqrt(2)/2, that may name [Variables] and names.
func parseExpression(text string, names ...string) (*expression, error) {
	if len(text) > maxExpression {
		return nil, fmt.Errorf("an expression of more than %d bytes", maxExpression)
	}
	p := &expressionParser{rest: text, names: names}
	p.next()
	e, err := p.sum()
	if err == nil && p.token != "" {
		err = fmt.Errorf("unexpected %q", p.token)
	}
	if err != nil {
		return nil, err
	}
	return e, nil
}

// ParseExpression reads an expression that may name further variables beside [Variables]. It
// returns the variables that the expression names, and a function that computes it at values of
// these.
func ParseExpression(text string, names ...string) (
	variables []string, value func(values map[string]float64) float64, err error,
) {
	e, err := parseExpression(text, names...)
	if err != nil {
		return nil, nil, fmt.Errorf("%q: %w (expected %s)", text, err,
			strings.Join(append([]string{ExpressionSyntax}, names...), ", "))
	}
	return e.addNames(nil), e.value, nil
}

// expressionParser reads an expression token by token.
type expressionParser struct {
	token string   // the next token, "" at the end
	rest  string   // the text after it
	names []string // of variables beside [Variables]
}

// next moves to the next token: a number, a name or a character.
func (p *expressionParser) next() {
	p.rest = strings.TrimLeft(p.rest, " ")
	r, size := utf8.DecodeRuneInString(p.rest)
	end := size
	switch {
	case unicode.IsLetter(r) || r == '∆':
		for end < len(p.rest) && (isLetter(p.rest[end]) || p.rest[end] == '_' ||
			isDigit(rune(p.rest[end]))) {
			end++
		}
	case isDigit(r) || r == '.':
		for end < len(p.rest) && inNumber(p.rest[end], p.rest[end-1]) {
			end++
		}
	}
	p.token, p.rest = p.rest[:end], p.rest[end:]
	if other, ok := spellings[p.token]; ok {
		p.token = other
	}
}

// inNumber reports whether the byte b, after the byte before, continues a number, or what should be
// one: letters do, so that 0x10 is one token. A sign does after e or E.
func inNumber(b, before byte) bool {
	afterE := before == 'e' || before == 'E'
	return isDigit(rune(b)) || isLetter(b) || b == '.' || afterE && (b == '+' || b == '-')
}

// isLetter reports whether b is an ASCII letter: setting bit 0x20 makes it lower case.
func isLetter(b byte) bool { return 'a' <= b|0x20 && b|0x20 <= 'z' }

// isDigit reports whether r is an ASCII digit.
func isDigit(r rune) bool { return '0' <= r && r <= '9' }

// sum reads terms with + or - in between: sum = product {("+" | "-") product}.
func (p *expressionParser) sum() (*expression, error) {
	return p.leftAssociative(p.product, "+", "-")
}

// product reads factors with * or / in between: product = sign {("*" | "/") sign}.
func (p *expressionParser) product() (*expression, error) {
	return p.leftAssociative(p.sign, "*", "/")
}

// leftAssociative reads operands with operators in between, which bind to the left.
func (p *expressionParser) leftAssociative(operand func() (*expression, error),
	ops ...string) (*expression,
	error) {
	e, err := operand()
	for err == nil && slices.Contains(ops, p.token) {
		op := p.token
		p.next()
		var right *expression
		right, err = operand()
		e = &expression{op: op, operands: []*expression{e, right}}
	}
	return e, err
}

// sign reads a power with any number of minus signs before it: sign = "-" sign | power.
func (p *expressionParser) sign() (*expression, error) {
	if p.token != "-" {
		return p.power()
	}
	p.next()
	e, err := p.sign()
	return &expression{op: "negate", operands: []*expression{e}}, err
}

// power reads a^b, which binds to the right.
func (p *expressionParser) power() (*expression, error) {
	e, err := p.primary()
	if err != nil || p.token != "^" {
		return e, err
	}
	p.next()
	exponent, err := p.sign()
	return &expression{op: "^", operands: []*expression{e, exponent}}, err
}

// primary reads a number, a variable, a call of a function, or a sum in parentheses.
func (p *expressionParser) primary() (*expression, error) {
	token := p.token
	p.next()
	r, _ := utf8.DecodeRuneInString(token)
	arity, isFunction := functions[token]
	switch {
	case token == "":
		return nil, fmt.Errorf("an operand is missing at the end")
	case token == "(":
		list, err := p.readOperands(token)
		if err == nil && len(list) != 1 {
			err = fmt.Errorf("unexpected %q", ",")
		}
		if err != nil {
			return nil, err
		}
		return list[0], nil
	case isDigit(r) || r == '.':
		x, err := parseNumber(token)
		return &expression{op: "number", number: x}, err
	case isFunction && p.token == "(":
		p.next()
		list, err := p.readOperands(token)
		if err == nil && (len(list) < arity.least || len(list) > arity.largest) {
			err = fmt.Errorf("%s of %d operands", token, len(list))
		}
		return &expression{op: token, operands: list}, err
	case slices.ContainsFunc(Variables, func(v Variable) bool { return v.Name == token }),
		slices.Contains(p.names, token):
		return &expression{op: "variable", name: token}, nil
	case unicode.IsLetter(r):
		return nil, fmt.Errorf("unknown name %q", shorten(token))
	}
	return nil, fmt.Errorf("unexpected %q", token)
}

// readOperands reads expressions with commas in between, up to a closing parenthesis and with it.
// opened names what the parenthesis closes, for the message where it is missing.
func (p *expressionParser) readOperands(opened string) (list []*expression, err error) {
	for {
		e, err := p.sum()
		if err != nil {
			return nil, err
		}
		list = append(list, e)
		token := p.token
		p.next()
		switch token {
		case ")":
			return list, nil
		case ",":
		case "":
			return nil, fmt.Errorf("%q without its %q", opened, ")")
		default:
			return nil, fmt.Errorf("unexpected %q", token)
		}
	}
}

// addNames adds the variables of the expression to a list, each once.
func (e *expression) addNames(list []string) []string {
	if e.op == "variable" && !slices.Contains(list, e.name) {
		list = append(list, e.name)
	}
	for _, o := range e.operands {
		list = o.addNames(list)
	}
	return list
}

// String prints the expression without spaces, in the fewest parentheses.
func (e *expression) String() string {
	// operand prints an operand, in parentheses if it is an operation that binds less than least.
	operand := func(o *expression, least int) string {
		if binding, isOperator := precedence[o.op]; isOperator && binding < least {
			return "(" + o.String() + ")"
		}
		return o.String()
	}
	switch e.op {
	case "number":
		return formatNumber(e.number)
	case "variable":
		return e.name
	case "negate":
		return "-" + operand(e.operands[0], precedence["negate"])
	case "^": // binds to the right
		return operand(e.operands[0], precedence["^"]+1) + "^" +
			operand(e.operands[1], precedence["negate"])
	case "+", "-", "*", "/": // bind to the left
		return operand(e.operands[0], precedence[e.op]) + e.op +
			operand(e.operands[1], precedence[e.op]+1)
	}
	texts := make([]string, len(e.operands))
	for i, o := range e.operands {
		texts[i] = o.String()
	}
	return e.op + "(" + strings.Join(texts, ",") + ")"
}

// value computes the expression at the values of its variables. Each operation is rounded.
func (e *expression) value(values map[string]float64) float64 {
	if e.op == "number" {
		return e.number
	} else if e.op == "variable" {
		return values[e.name]
	}
	v := make([]float64, len(e.operands))
	for i, o := range e.operands {
		v[i] = o.value(values)
	}
	switch e.op {
	case "+":
		return v[0] + v[1]
	case "-":
		return v[0] - v[1]
	case "*":
		return v[0] * v[1]
	case "/":
		return v[0] / v[1]
	case "^":
		return vec.Pow(v[0], v[1])
	case "negate":
		return -v[0]
	case "sqrt":
		return math.Sqrt(v[0])
	case "log":
		return vec.Log(v[0])
	case "min":
		return slices.Min(v)
	}
	return slices.Max(v)
}
