package external

import (
	"bytes"
	"encoding/json"
	"slices"

	"ocobench/algorithms"
)

// Reordered returns the entry of the same program with other messages of the same meaning: every
// object of a message has its members in the reverse order, and messages, games and facts have one
// more member, which the protocol does not know. A program that keeps the protocol plays the same.
func (p *Program) Reordered() algorithms.Algorithm {
	a := p.Algorithm()
	a.New = func(params any, s algorithms.Setup) (algorithms.Learner, error) {
		return p.startLearner(params, s, reorderParams)
	}
	return a
}

// unknownMember is a member of an object that a later version of the protocol could add.
const unknownMember = `"x-later":{"of":["a later version"]}`

// reorderParams reorders the parameters of a call.
func reorderParams(params []byte) []byte { return reorderValue(params, "") }

// reorderValue returns a JSON value with the members of its objects reversed. name is the member
// that has the value, "" for the parameters themselves.
func reorderValue(value []byte, name string) []byte {
	switch d := json.NewDecoder(bytes.NewReader(value)); value[0] {
	case '[':
		var items []json.RawMessage
		if d.Decode(&items) != nil || len(items) == 0 || items[0][0] != '{' {
			return value
		}
		var out [][]byte
		for _, item := range items {
			out = append(out, reorderValue(item, "item"))
		}
		return slices.Concat([]byte("["), bytes.Join(out, []byte(",")), []byte("]"))
	case '{':
		d.Token()
		var members [][]byte
		for d.More() {
			key, _ := d.Token()
			var v json.RawMessage
			d.Decode(&v)
			quoted, _ := json.Marshal(key)
			members = append(members, slices.Concat(quoted, []byte(":"), reorderValue(v, key.(string))))
		}
		if name == "" || name == "game" || name == "facts" {
			members = append(members, []byte(unknownMember))
		}
		slices.Reverse(members)
		return slices.Concat([]byte("{"), bytes.Join(members, []byte(",")), []byte("}"))
	}
	return value
}
