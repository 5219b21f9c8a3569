package external

import (
	"bytes"
	"encoding/json"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/exp/jsonrpc2"
)

// Messages that are written are read again.
func TestMessages(t *testing.T) {
	for line, m := range map[string]*message{
		`{"jsonrpc":"2.0","id":1,"method":"tell","params":{"note":"a\nb","x":[0.1,-2]}}`: {
			Version: version, ID: json.RawMessage("1"), Method: "tell",
			Params: json.RawMessage(`{"note":"a\nb","x":[0.1,-2]}`),
		},
		`{"jsonrpc":"2.0","id":"b","result":{}}`: {
			Version: version, ID: json.RawMessage(`"b"`), Result: json.RawMessage("{}"),
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
		"[" + sound + "]", `{"jsonrpc":2,"id":7,"method":"ask"}`, `{"JSONRPC":"2.0","id":7,"method":"ask"}`,
		`{"jsonrpc":"2.0","ID":7,"result":{}}`, `{"jsonrpc":"2.0","id":7,"error":{"code":"x"}}`} {
		_, err := messageOf([]byte(bad))
		if err == nil || !strings.HasPrefix(err.Error(), "not a message of JSON-RPC 2.0: ") {
			t.Errorf("%s: %v", bad, err)
		} else if strings.Contains(err.Error(), "Go ") {
			t.Errorf("%s: the error %v is about Go", bad, err)
		}
	}
}

// An id is a string or an integer, and comes back as it was written.
func TestIDs(t *testing.T) {
	for _, id := range []string{"0", "-7", "9007199254740993", "123456789012345678901234567890",
		`"7"`, `""`, `"a<b"`, `"\u003c"`, `"é"`} {
		for _, rest := range []string{`,"method":"ask"`, `,"result":{}`} {
			line := `{"jsonrpc":"2.0","id":` + id + rest + "}"
			m, err := messageOf([]byte(line))
			if err != nil {
				t.Errorf("%s: %v", line, err)
				continue
			}
			if wrote, err := lineOf(m); err != nil || string(wrote) != line {
				t.Errorf("%s comes back as %s, %v", line, wrote, err)
			}
		}
	}
	for _, id := range []string{"null", "1.0", "1.5", "1e3", "1e300", "true", "[7]", "{}"} {
		_, err := messageOf([]byte(`{"jsonrpc":"2.0","id":` + id + `,"method":"ask"}`))
		want := "id: found " + id + ", expected a string or an integer; a notification has no id"
		if err == nil || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("id %s: %v, want %s", id, err, want)
		}
	}
}

// FuzzDecode holds the reader to jsonrpc2, and the short way through answers to the long one.
// Names and ids are looked at first, since jsonrpc2 takes any case, and any number.
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
		`{"jsonrpc":"2.0","id":123456789012345678901234567890,"result":1}`,
		`{"jsonrpc":"2.0","id":1e300,"result":1}`,
		`{"jsonrpc":"2.0","id":null,"method":"ask"}`,
		`{"jsonrpc":"2.0","Id":7,"id":8,"Method":"ask","method":"tell"}`,
		`{"jsonrpc":"2.0","id":7,"error":{"CODE":1.5,"code":2,"Message":"a"}}`,
		`{"JSONRPC":"2.0","id":7,"method":"ask"}`,
	} {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, line string) {
		got, err := decodeMessage([]byte(line))
		exact, id, sound := exactly([]byte(line))
		if !sound {
			if err == nil {
				t.Fatalf("%s is read as %+v", line, got)
			}
			return
		}
		want, wantErr := jsonrpc2.DecodeMessage(exact)
		if (err == nil) != (wantErr == nil) {
			t.Fatalf("%s is read as %+v, %v; want %+v, %v", line, got, err, want, wantErr)
		}
		if err == nil {
			if string(got.ID) != id {
				t.Errorf("%s is read with the id %s, want %s", line, got.ID, id)
			}
			if len(got.ID) > 0 {
				got.ID = json.RawMessage("7")
			}
			read, _ := lineOf(got)
			got.ID = json.RawMessage(id)
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

// exactly is an object without the members, and those of its error, that have the names of a
// message but for the case, and with the id 7. It is also the id, and whether that is one.
func exactly(line []byte) (exact []byte, id string, sound bool) {
	only := func(object json.RawMessage, names string) (json.RawMessage, map[string]json.RawMessage) {
		var all map[string]json.RawMessage
		if json.Unmarshal(object, &all) != nil || all == nil {
			return object, nil
		}
		maps.DeleteFunc(all, func(name string, _ json.RawMessage) bool {
			return !slices.Contains(strings.Fields(names), name)
		})
		object, _ = json.Marshal(all)
		return object, all
	}
	line, all := only(line, "jsonrpc id method params result error")
	if all == nil {
		return line, "", true
	}
	if failed, ok := all["error"]; ok {
		all["error"], _ = only(failed, "code message")
	}
	if raw, ok := all["id"]; ok {
		id = string(raw)
		if id[0] != '"' && !regexp.MustCompile(`^-?(0|[1-9][0-9]*)$`).MatchString(id) {
			return nil, id, false
		}
		all["id"] = json.RawMessage("7")
	}
	exact, _ = json.Marshal(all)
	return exact, id, true
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
		{ID: json.RawMessage("1"), Method: "a \"b\"", Params: carried},
		{ID: json.RawMessage(`"b"`), Method: "ask"},
		{Method: "shutdown", Params: carried},
		{ID: json.RawMessage("1"), Result: carried},
		{ID: json.RawMessage("1")},
		{ID: json.RawMessage("1"), Error: &failure{-3, "no"}},
		{ID: json.RawMessage("1"), Result: carried, Error: &failure{Text: "no"}},
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
	if n, err := strconv.ParseInt(string(m.ID), 10, 64); err == nil {
		id = jsonrpc2.Int64ID(n)
	} else if text, err := strconv.Unquote(string(m.ID)); err == nil {
		id = jsonrpc2.StringID(text)
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
