package spec

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"

	"ocobench/internal/input"
)

// An experiment file is read in three steps. Its text is checked for size and characters. Its
// tokens are checked next: only a small part of YAML is admitted, and everything else is refused
// with its position. What is left is parsed and translated into a [Value].

// Bounds far above all experiments, so that no input exhausts the parser.
const (
	maxBytes   = 1 << 18
	maxNesting = 16
	maxKeys    = 1000
)

// document holds the state of the translation of a YAML file to a [Value]. Only mappings, lists
// and scalars of YAML are allowed.
type document struct {
	file  string
	lines []string
	errs  Errors
}

// parseYAML reads the one mapping of a YAML file.
func parseYAML(file string, data []byte) (Value, error) {
	text := strings.ReplaceAll(strings.TrimPrefix(string(data), "\ufeff"), "\r\n", "\n")
	d := &document{file: file, lines: strings.Split(text, "\n")}
	if len(data) > maxBytes {
		d.refuse(d.pos(1, 1), "", "more than %d bytes", maxBytes)
		return Value{}, d.errs.sortedOrNil()
	}
	if d.checkCharacters(); len(d.errs) > 0 {
		return Value{}, d.errs.sortedOrNil()
	}
	keys, _ := fieldsOf(Experiment{})
	expected := " (expected the keys " + strings.Join(fieldNames(keys), ", ") + ")"
	body := d.parseBody(text)
	if len(d.errs) > 0 {
		return Value{}, d.errs.sortedOrNil()
	}
	if body == nil {
		d.refuse(d.pos(1, 1), expected, "empty document")
		return Value{}, d.errs.sortedOrNil()
	}
	v := d.readNode(body)
	if v.kind != mapping {
		d.refuse(v.Pos, expected, "found %v", v)
	}
	return v, d.errs.sortedOrNil()
}

// pos returns a position of the file. A line beyond the first or the last one becomes that one.
func (d *document) pos(line, column int) Pos {
	line = min(max(line, 1), len(d.lines))
	return Pos{File: d.file, Line: line, Column: max(column, 1), text: d.lines[line-1]}
}

// posOf returns the position of a token.
func (d *document) posOf(tk *token.Token) Pos {
	if tk == nil || tk.Position == nil {
		return d.pos(1, 1)
	}
	return d.pos(tk.Position.Line, tk.Position.Column)
}

// refuse adds an error, unless there are maxErrors.
func (d *document) refuse(p Pos, tail, what string, args ...any) {
	if len(d.errs) >= maxErrors {
		return
	}
	d.errs = append(d.errs, p.errorAt(tail, what, args...))
}

// checkCharacters refuses characters that no experiment contains.
func (d *document) checkCharacters() {
	for i, line := range d.lines {
		isComment := strings.HasPrefix(strings.TrimSpace(line), "#")
		column := 0
		for at, r := range line {
			column++
			switch p := d.pos(i+1, column); {
			case r == utf8.RuneError && strings.HasPrefix(line[at:], "\ufffd"): // written as such
			case r == utf8.RuneError:
				d.refuse(p, " (save the file as UTF-8)", "not valid UTF-8")
				return
			case r == '\t' && isComment:
			case r == '\t':
				d.refuse(p, " (YAML is laid out with spaces)", "tab")
				return
			case unicode.IsControl(r) || r == '\u2028' || r == '\u2029' || r == '\ufeff':
				d.refuse(p, " (delete it)", "control character %U", r)
				return
			}
		}
	}
}

// parseBody returns the node of the only document, or nil if it is empty or an error was added.
func (d *document) parseBody(text string) (body ast.Node) {
	defer func() { // an input on which the parser panics is refused
		if r := recover(); r != nil {
			body = nil
			d.refuse(d.pos(1, 1), "", "not valid YAML: %s", input.Clip(fmt.Sprint(r), 200))
		}
	}()
	tokens := lexer.Tokenize(text)
	if d.checkTokens(tokens); len(d.errs) > 0 {
		return nil
	}
	tree, err := parser.Parse(tokens, 0, parser.AllowDuplicateMapKey())
	if err != nil {
		var located interface {
			GetMessage() string
			GetToken() *token.Token
		}
		if errors.As(err, &located) {
			msg := located.GetMessage()
			d.refuse(d.posOf(located.GetToken()), remedies[msg], "not valid YAML: %s", input.Clip(msg, 200))
		} else {
			d.refuse(d.pos(1, 1), "", "not valid YAML: %s", input.Clip(err.Error(), 200))
		}
		return nil
	}
	for _, doc := range tree.Docs {
		if doc.Body != nil {
			return doc.Body
		}
	}
	return nil
}

// remedies maps the most common messages of the parser, which name no remedy, to remedies.
var remedies = map[string]string{
	"non-map value is specified": " (expected key: value, " +
		"with a space after the colon)",
	"value is not allowed in this context": " (check the indentation)",
	"mapping value is not allowed in this context": " (check the indentation; " +
		"a text with a colon needs quotes)",
	"value is not allowed in this context. map key-value is pre-defined": " (check the indentation)",
	"block sequence entries are not allowed in this context": " (start the list on a " +
		"line of its own)",
	"unexpected scalar value type":                       " (check the commas)",
	"could not find flow map content":                    " (check the commas)",
	"expected sequence element, but found ','":           " (check the commas)",
	"found an invalid key for this map":                  " (a key is a name)",
	"',' or ']' must be specified":                       " (close the list or put a comma)",
	"',' or '}' must be specified":                       " (close the mapping or put a comma)",
	"sequence end token ']' not found":                   " (close the list)",
	"could not find flow mapping end token '}'":          " (close the mapping)",
	"could not find end character of single-quoted text": " (close the quote)",
	"could not find end character of double-quoted text": " (close the quote)",
}

// checkTokens refuses the parts of YAML that experiments do not use.
func (d *document) checkTokens(tokens token.Tokens) {
	tokens = slices.DeleteFunc(slices.Clone(tokens),
		func(tk *token.Token) bool { return tk.Type == token.CommentType })
	depth, keys := 0, 0   // depth: of brackets and braces that are open
	line, entries := 0, 0 // entries: the dashes on this line, as in "- - 1", which nest lists
	for i, tk := range tokens {
		if tk.Position.Line != line {
			line, entries = tk.Position.Line, 0
		}
		refuse := func(tail, what string) { d.refuse(d.posOf(tk), tail, "%s", what) }
		switch tk.Type {
		case token.AnchorType:
			refuse(" (write the value out)", "anchor")
		case token.AliasType:
			refuse(" (write the value out)", "alias")
		case token.MergeKeyType:
			refuse(" (write the keys out)", "merge key")
		case token.TagType:
			refuse(" (the parameter knows its type; quote a text)", "tag "+shorten(tk.Value))
		case token.DirectiveType:
			refuse(" (leave it out)", "directive")
			return
		case token.MappingKeyType:
			refuse(" (write key: value)", "complex key")
		case token.DocumentHeaderType:
			if i > 0 {
				refuse(" (one experiment a file)", "several documents")
				return
			}
		case token.DocumentEndType:
			if i < len(tokens)-1 {
				refuse(" (one experiment a file)", "several documents")
				return
			}
		case token.MappingStartType, token.SequenceStartType:
			depth++
		case token.MappingEndType, token.SequenceEndType:
			depth--
		case token.SequenceEntryType:
			entries++
		case token.MappingValueType:
			keys++
		}
		if len(d.errs) >= maxErrors {
			return
		}
		if depth > maxNesting || entries > maxNesting {
			refuse("", fmt.Sprintf("nested more than %d levels deep", maxNesting))
			return
		}
		if keys > maxKeys {
			refuse(" (split the experiment)", fmt.Sprintf("more than %d keys", maxKeys))
			return
		}
	}
}

// readNode turns a node into a [Value].
func (d *document) readNode(node ast.Node) Value {
	v := Value{Pos: d.posOf(node.GetToken())}
	switch n := node.(type) {
	case *ast.MappingNode:
		v.kind = mapping
		v.Args = d.readArgs(n.Values)
		if !n.IsFlowStyle && len(v.Args) > 0 {
			v.Pos = v.Args[0].Pos
		}
	case *ast.MappingValueNode:
		v.kind = mapping
		v.Args = d.readArgs([]*ast.MappingValueNode{n})
	case *ast.SequenceNode:
		v.kind = list
		for _, item := range n.Values {
			v.Items = append(v.Items, d.readNode(item))
		}
	case *ast.NullNode:
		v.kind = null
	case *ast.LiteralNode:
		v.kind, v.Text = quoted, n.Value.Value
	case *ast.StringNode:
		v.kind, v.Text = plain, n.Value
		if n.Token.Type != token.StringType {
			v.kind = quoted
		} else if strings.Contains(n.Value, ": ") {
			d.refuse(v.Pos, " (a comma or a line break is missing, or the text needs quotes)",
				"%q contains a colon", shorten(n.Value))
		}
	case ast.ScalarNode:
		v.kind, v.Text = plain, n.GetToken().Value
	default:
		d.refuse(v.Pos, " (expected a value)", "found %s", strings.ToLower(node.Type().YAMLName()))
	}
	return v
}

// readArgs turns the keys of a mapping into arguments, and refuses a key that is given twice.
func (d *document) readArgs(values []*ast.MappingValueNode) []Arg {
	var args []Arg
	first := map[string]Pos{}
	for _, kv := range values {
		tk := kv.Key.GetToken()
		pos := d.posOf(tk)
		key, ok := kv.Key.(*ast.StringNode)
		if !ok {
			d.refuse(pos, " (a key is a name)", "key %s is not a text", shorten(tk.Value))
			continue
		}
		if p, twice := first[key.Value]; twice {
			d.refuse(pos, fmt.Sprintf(" (first on line %d, column %d)", p.Line, p.Column),
				"key %q given twice", shorten(key.Value))
			continue
		}
		first[key.Value] = pos
		args = append(args, Arg{Key: key.Value, Pos: pos, Value: d.readNode(kv.Value)})
	}
	return args
}
