package external

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"golang.org/x/exp/jsonrpc2"
)

// Messages that are written are read again.
func TestMessages(t *testing.T) {
	for line, m := range map[string]*message{
		`{"jsonrpc":"2.0","id":1,"method":"tell","params":{"note":"a\nb","x":[0.1,-2]}}`: {
			Version: version, ID: int64(1), Method: "tell",
			Params: json.RawMessage(`{"note":"a\nb","x":[0.1,-2]}`),
		},
		`{"jsonrpc":"2.0","id":"b","result":{}}`: {
			Version: version, ID: "b", Result: json.RawMessage("{}"),
		},
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

// FuzzDecode holds the reader to jsonrpc2, and the short way through answers to the long one.
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
		`{"jsonrpc":"2.0","id":7,"method":"ask","params":null,"result":1,"error":{}}`,
		`{"jsonrpc":"2.0","id":7,"params":[1],"result":1,"error":null}`,
		`{"jsonrpc":"2.0","method":"ask"}`,
		`{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"no","data":1}}`,
		`{"jsonrpc":"2.0","id":7,"error":{"code":-32700,"message":"no","data":1}}`,
		`{"jsonrpc":"2.0","id":[7],"result":1}`,
		`{"jsonrpc":"2.0","id":7.9,"result":1}`,
		`{"jsonrpc":"1.0","id":7,"result":1}`,
		`{"jsonrpc":2,"id":7,"result":1}`,
		`[]`,
	} {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, line string) {
		got, err := decodeMessage([]byte(line))
		want, wantErr := jsonrpc2.DecodeMessage([]byte(line))
		if (err == nil) != (wantErr == nil) {
			t.Fatalf("%s is read as %+v, %v; want %+v, %v", line, got, err, want, wantErr)
		}
		if err == nil {
			read, _ := json.Marshal(got)
			wanted, _ := jsonrpc2.EncodeMessage(want)
			if _, request := want.(*jsonrpc2.Request); request != (got.Method != "") ||
				!reflect.DeepEqual(members(read), members(wanted)) {
				t.Errorf("%s is read as %s, want %s", line, read, wanted)
			}
		}
		quick := quickly([]byte(line))
		if quick != nil && (err != nil || !reflect.DeepEqual(quick, got)) {
			t.Errorf("%s is read quickly as %+v; want %+v, %v", line, quick, got, err)
		}
	})
}

// members are those of a message, but for the data of an error, which is not read here.
func members(line []byte) (all map[string]any) {
	d := json.NewDecoder(bytes.NewReader(line))
	d.UseNumber()
	d.Decode(&all)
	if failed, ok := all["error"].(map[string]any); ok {
		delete(failed, "data")
	}
	return all
}

// What a message carries is written as it is, in the line that jsonrpc2 would write.
func TestWritten(t *testing.T) {
	carried := json.RawMessage(`{"x":[1,-2.5e-7],"note":"\u003c"}`)
	for _, m := range []*message{
		{ID: int64(1), Method: "a \"b\"", Params: carried},
		{ID: "b", Method: "ask"},
		{Method: "shutdown", Params: carried},
		{ID: int64(1), Result: carried},
		{ID: int64(1)},
		{ID: int64(1), Error: &failure{-3, "no"}},
		{ID: int64(1), Result: carried, Error: &failure{Text: "no"}},
	} {
		want, err := jsonrpc2.EncodeMessage(theirs(m))
		if err != nil {
			t.Fatal(err)
		}
		if line, err := lineOf(m); err != nil || string(line) != string(want) {
			t.Errorf("wrote %s, %v; want %s", line, err, want)
		}
	}
	if line, err := lineOf(&message{
		Method: "a", Params: json.RawMessage("[\n]"),
	}); err == nil {
		t.Errorf("a line break is written: %q", line)
	}
}

// theirs is the message as jsonrpc2 has it.
func theirs(m *message) jsonrpc2.Message {
	var id jsonrpc2.ID
	switch v := m.ID.(type) {
	case int64:
		id = jsonrpc2.Int64ID(v)
	case string:
		id = jsonrpc2.StringID(v)
	}
	if m.Method != "" {
		return &jsonrpc2.Request{ID: id, Method: m.Method, Params: m.Params}
	}
	r := &jsonrpc2.Response{ID: id, Result: m.Result}
	if m.Error != nil {
		r.Error = jsonrpc2.NewError(m.Error.Code, m.Error.Text)
	}
	return r
}
