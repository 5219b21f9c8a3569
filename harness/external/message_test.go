package external

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"

	"golang.org/x/exp/jsonrpc2"
)

// Messages that are written are read again.
func TestMessages(t *testing.T) {
	call, err := jsonrpc2.NewCall(jsonrpc2.Int64ID(1), "tell",
		map[string]any{"x": []float64{0.1, -2}, "note": "a\nb"})
	if err != nil {
		t.Fatal(err)
	}
	answer, err := jsonrpc2.NewResponse(jsonrpc2.StringID("b"), struct{}{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for line, m := range map[string]jsonrpc2.Message{
		`{"jsonrpc":"2.0","id":1,"method":"tell","params":{"note":"a\nb","x":[0.1,-2]}}`: call,
		`{"jsonrpc":"2.0","id":"b","result":{}}`:                                         answer,
	} {
		if wrote, err := lineOf(m); string(wrote) != line || err != nil {
			t.Errorf("wrote %s, %v; want %s", wrote, err, line)
		}
		if got, err := messageOf([]byte(line)); !reflect.DeepEqual(got, m) || err != nil {
			t.Errorf("read %+v, %v; want %+v", got, err, m)
		}
	}
}

// A line that is no message is an error.
func TestBadMessages(t *testing.T) {
	const sound = `{"jsonrpc":"2.0","id":7,"method":"ask"}`
	for _, bad := range []string{"hello", `{"jsonrpc":"1.0","id":7,"method":"ask"}`,
		`{"jsonrpc":"2.0","result":{}}`, `{"jsonrpc":"2.0","id":7,"result":NaN}`, sound + sound,
		"[" + sound + "]"} {
		if _, err := messageOf([]byte(bad)); err == nil ||
			!strings.HasPrefix(err.Error(), "not a message of JSON-RPC 2.0: ") {
			t.Errorf("%s: %v", bad, err)
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
		got, err := decodeMessage([]byte(line))
		want, wantErr := jsonrpc2.DecodeMessage([]byte(line))
		if (err == nil) != (wantErr == nil) || err != nil && err.Error() != wantErr.Error() ||
			!reflect.DeepEqual(got, want) {
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
		if line, err := lineOf(m); err != nil || string(line) != string(want) {
			t.Errorf("wrote %s, %v; want %s", line, err, want)
		}
	}
	if line, err := lineOf(&jsonrpc2.Request{
		Method: "a", Params: json.RawMessage("[\n]"),
	}); err == nil {
		t.Errorf("a line break is written: %q", line)
	}
}
