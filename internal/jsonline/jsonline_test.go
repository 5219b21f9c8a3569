package jsonline

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"

	"golang.org/x/exp/jsonrpc2"
)

// Messages that are written are read again, one a line, whatever the pieces in which
// they arrive.
func TestLines(t *testing.T) {
	call, err := jsonrpc2.NewCall(jsonrpc2.Int64ID(1), "tell", map[string]any{"x": []float64{0.1, -2}, "note": "a\nb"})
	if err != nil {
		t.Fatal(err)
	}
	answer, err := jsonrpc2.NewResponse(jsonrpc2.StringID("b"), struct{}{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	var out bytes.Buffer
	w := Framer{}.Writer(&out)
	for _, m := range []jsonrpc2.Message{call, answer} {
		before := out.Len()
		if n, err := w.Write(ctx, m); err != nil || n != int64(out.Len()-before) {
			t.Fatalf("wrote %d of %d bytes: %v", n, out.Len()-before, err)
		}
	}
	const want = `{"jsonrpc":"2.0","id":1,"method":"tell","params":{"note":"a\nb","x":[0.1,-2]}}` + "\n" +
		`{"jsonrpc":"2.0","id":"b","result":{}}` + "\n"
	if out.String() != want {
		t.Fatalf("wrote\n%swant\n%s", &out, want)
	}
	text := "\r\n" + strings.ReplaceAll(strings.TrimSuffix(want, "\n"), "\n", "\r\n\n \n")
	r := Framer{}.Reader(iotest.OneByteReader(strings.NewReader(text)))
	first, _, err := r.Read(ctx)
	if got, ok := first.(*jsonrpc2.Request); err != nil || !ok || got.Method != "tell" || got.ID != call.ID || string(got.Params) != string(call.Params) {
		t.Errorf("read %+v, %v; want %+v", first, err, call)
	}
	second, _, err := r.Read(ctx)
	if got, ok := second.(*jsonrpc2.Response); err != nil || !ok || got.ID != answer.ID || string(got.Result) != "{}" {
		t.Errorf("read %+v, %v; want %+v", second, err, answer)
	}
	if _, _, err := r.Read(ctx); err != io.EOF {
		t.Errorf("at the end: %v", err)
	}
}

// A line that is no message is an error, and the one after it is read.
func TestBadLines(t *testing.T) {
	const sound = `{"jsonrpc":"2.0","id":7,"method":"ask"}`
	ctx := context.Background()
	for _, bad := range []string{"hello", `{"jsonrpc":"1.0","id":7,"method":"ask"}`, `{"jsonrpc":"2.0","result":{}}`, `{"jsonrpc":"2.0","id":7,"result":NaN}`, sound + sound, "[" + sound + "]"} {
		r := Framer{}.Reader(strings.NewReader(bad + "\n" + sound + "\n"))
		_, _, err := r.Read(ctx)
		if syntax := (*SyntaxError)(nil); !errors.As(err, &syntax) {
			t.Errorf("%s: %v", bad, err)
		}
		if m, _, err := r.Read(ctx); err != nil || m.(*jsonrpc2.Request).Method != "ask" {
			t.Errorf("after %s: %v, %v", bad, m, err)
		}
	}
}

// FuzzDecode holds the short way through answers to jsonrpc2.
func FuzzDecode(f *testing.F) {
	for _, line := range []string{
		`{"jsonrpc":"2.0","id":7,"result":{"x":[1,-2.5e-7]}}`,
		`{"jsonrpc":"2.0","id":0,"result": null }`,
		`{"jsonrpc":"2.0","id":07,"result":1}`,
		`{"jsonrpc":"2.0","id":-7,"result":1}`,
		`{"jsonrpc":"2.0","id":7e0,"result":1}`,
		`{"jsonrpc":"2.0","id":"7","result":1}`,
		`{"jsonrpc":"2.0","id":9007199254740991,"result":[]}`,
		`{"jsonrpc":"2.0","id":9007199254740993,"result":[]}`,
		`{"jsonrpc":"2.0","id":7,"result":1,"id":8}`,
		`{"jsonrpc":"2.0","id":7,"result":1,"result":2}`,
		`{"jsonrpc":"2.0","id":7,"result":1,"method":"ask"}`,
		`{"jsonrpc":"2.0","id":7,"result":{}}}`,
		`{"jsonrpc":"2.0","id":7,"result":}`,
		`{"jsonrpc":"2.0","id":7,"result":NaN}`,
		`{"jsonrpc":"2.0","id":,"result":1}`,
		`{"jsonrpc":"2.0","id":7,"error":{"code":-32602,"message":"no"}}`,
		`{"jsonrpc":"2.0","id":7,"method":"ask"}`,
	} {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, line string) {
		got, err := decode([]byte(line))
		want, wantErr := jsonrpc2.DecodeMessage([]byte(line))
		if (err == nil) != (wantErr == nil) || err != nil && err.Error() != wantErr.Error() || !reflect.DeepEqual(got, want) {
			t.Errorf("%s is read as %+v, %v; want %+v, %v", line, got, err, want, wantErr)
		}
	})
}

// What a message carries is written as it is, in the line that jsonrpc2 would write.
func TestWritten(t *testing.T) {
	carried := json.RawMessage(`{"x":[1,-2.5e-7],"note":"\u003c"}`)
	for _, m := range []jsonrpc2.Message{
		&jsonrpc2.Request{ID: jsonrpc2.Int64ID(1), Method: "a \"b\"", Params: carried},
		&jsonrpc2.Request{ID: jsonrpc2.StringID("b"), Method: "ask"},
		&jsonrpc2.Request{Method: "shutdown", Params: carried},
		&jsonrpc2.Response{ID: jsonrpc2.Int64ID(1), Result: carried},
		&jsonrpc2.Response{ID: jsonrpc2.Int64ID(1)},
		&jsonrpc2.Response{ID: jsonrpc2.Int64ID(1), Error: jsonrpc2.NewError(-3, "no")},
		&jsonrpc2.Response{ID: jsonrpc2.Int64ID(1), Result: carried, Error: errors.New("no")},
	} {
		want, err := jsonrpc2.EncodeMessage(m)
		if err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		if _, err := (Framer{}).Writer(&out).Write(context.Background(), m); err != nil || out.String() != string(want)+"\n" {
			t.Errorf("wrote %s, %v; want %s", &out, err, want)
		}
	}
	var out bytes.Buffer
	if _, err := (Framer{}).Writer(&out).Write(context.Background(), &jsonrpc2.Request{Method: "a", Params: json.RawMessage("[\n]")}); err == nil || out.Len() > 0 {
		t.Errorf("a line break is written: %q, %v", &out, err)
	}
}

// A line has a limit.
func TestLimit(t *testing.T) {
	const sound = `{"jsonrpc":"2.0","id":7,"method":"ask"}` + "\n"
	if _, err := NewLines(strings.NewReader(sound), len(sound)).Next(); err != nil {
		t.Error(err)
	}
	for _, c := range []struct {
		limit int
		in    io.Reader
	}{
		{len(sound) - 1, strings.NewReader(sound)},
		{Limit, endless{}},
	} {
		if _, err := NewLines(c.in, c.limit).Next(); err == nil || !strings.Contains(err.Error(), "the limit") {
			t.Errorf("limit %d: %v", c.limit, err)
		}
	}
}

// endless is a line without end.
type endless struct{}

func (endless) Read(b []byte) (int, error) {
	for i := range b {
		b[i] = 'x'
	}
	return len(b), nil
}
