package external

import (
	"bytes"
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"golang.org/x/exp/jsonrpc2"
)

// The id of a message, a string or an integer, is read and written with the same value.
func TestIDsComeBack(t *testing.T) {
	for _, id := range []string{"0", "-7", "9007199254740993", "9223372036854775807", `"7"`, `""`,
		`"a\u003cb"`, `"é"`} {
		for _, rest := range []string{`,"method":"ask"`, `,"result":{}`} {
			line := `{"jsonrpc":"2.0","id":` + id + rest + "}"
			m, err := decodeMessage([]byte(line))
			if err != nil {
				t.Errorf("%s: %v", line, err)
				continue
			}
			if wrote, err := appendMessage(nil, m); err != nil || string(wrote) != line {
				t.Errorf("%s: got %s, error %v, want it unchanged", line, wrote, err)
			}
		}
	}
	for _, id := range []string{"null", "1.0", "1.5", "1e3", "1e300", "9223372036854775808", "true",
		"[7]", "{}"} {
		_, err := decodeMessage([]byte(`{"jsonrpc":"2.0","id":` + id + `,"method":"ask"}`))
		want := "id: found " + id +
			", expected a string or an integer of 64 bits; a notification has no id"
		if err == nil || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("id %s: %v, want %s", id, err, want)
		}
	}
}

// FuzzDecodeAgreesWithJsonrpc2 compares the reader with that of jsonrpc2, on lines without what
// jsonrpc2 takes for something else: members that differ by case or come twice, and ids that are
// other numbers.
func FuzzDecodeAgreesWithJsonrpc2(f *testing.F) {
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
		exact, sound := decodeExactly([]byte(line))
		if !sound {
			if err == nil {
				t.Fatalf("%s: got %+v, want an error", line, got)
			}
			return
		}
		want, wantErr := jsonrpc2.DecodeMessage(exact)
		if (err == nil) != (wantErr == nil) {
			t.Fatalf("%s is read as %+v, %v; want %+v, %v", line, got, err, want, wantErr)
		}
		if err != nil {
			return
		}
		switch want := want.(type) {
		case *jsonrpc2.Request:
			want.ID = got.(*jsonrpc2.Request).ID
		case *jsonrpc2.Response:
			want.ID = got.(*jsonrpc2.Response).ID
		}
		read, _ := jsonrpc2.EncodeMessage(got)
		wanted, _ := jsonrpc2.EncodeMessage(want)
		if !reflect.DeepEqual(members(read), members(wanted)) {
			t.Errorf("%s is read as %s, want %s", line, read, wanted)
		}
	})
}

// decodeExactly returns an object without the members, and those of its error, that have the names
// of a message but for the case, and with the id 7. The line is not sound if a member comes twice
// or the id is none.
func decodeExactly(line []byte) (exact []byte, sound bool) {
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
	if json.Valid(line) && !jsontext.Value(line).IsValid() { // a member twice, or not UTF-8
		return nil, false
	}
	line, all := only(line, "jsonrpc id method params result error")
	if all == nil {
		return line, true
	}
	if failed, ok := all["error"]; ok {
		all["error"], _ = only(failed, "code message")
	}
	if raw, ok := all["id"]; ok {
		if _, err := strconv.ParseInt(string(raw), 10, 64); raw[0] != '"' && err != nil {
			return nil, false
		}
		all["id"] = json.RawMessage("7")
	}
	exact, _ = json.Marshal(all)
	return exact, true
}

// members returns the members of a message without the data of an error, which is not read here.
func members(line []byte) (all map[string]any) {
	d := json.NewDecoder(bytes.NewReader(line))
	d.UseNumber()
	d.Decode(&all)
	if failed, ok := all["error"].(map[string]any); ok {
		delete(failed, "data")
	}
	return all
}

// A message is written in the line that jsonrpc2 writes, without a line break in what it carries.
func TestMessagesAreWrittenAsByJsonrpc2(t *testing.T) {
	carried := json.RawMessage(`{"x":[1,-2.5e-7],"note":"\u003c"}`)
	id, failed := jsonrpc2.StringID("b"), jsonrpc2.NewError(-3, "no")
	for _, m := range []jsonrpc2.Message{
		&jsonrpc2.Request{ID: jsonrpc2.Int64ID(1), Method: "a \"b\"", Params: carried},
		&jsonrpc2.Request{ID: id, Method: "ask"},
		&jsonrpc2.Request{Method: "shutdown", Params: carried},
		&jsonrpc2.Response{ID: id, Result: carried},
		&jsonrpc2.Response{ID: id},
		&jsonrpc2.Response{ID: id, Error: failed},
	} {
		want, err := jsonrpc2.EncodeMessage(m)
		if err != nil {
			t.Fatal(err)
		}
		if line, err := appendMessage(nil, m); err != nil || string(line) != string(want) {
			t.Errorf("wrote %s, %v; want %s", line, err, want)
		}
	}
	if line, err := appendMessage(nil, &jsonrpc2.Request{Method: "a", Params: []byte("[\n]")}); err == nil {
		t.Errorf("a line break: got %q, want an error", line)
	}
}
