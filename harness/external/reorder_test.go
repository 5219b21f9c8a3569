package external

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
)

// Random calls that are reordered mean the same, apart from members of a later version, and all
// objects in them have their members in the reverse order.
func TestReorderedMessagesMeanTheSame(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	// random returns a value and the same one with its members reversed.
	var random func(name string, deep int) (value, want string)
	random = func(name string, deep int) (value, want string) {
		switch kind := rng.IntN(5); {
		case kind == 0 || deep == 0:
			v := []string{"1.5", `"a\"{["`, "null", "true", "[]", "[1,2]", `["a","b"]`}[rng.IntN(7)]
			return v, v
		case kind == 1:
			var a, b []string
			for range 1 + rng.IntN(3) {
				v, w := random("item", 0)
				if v[0] != '{' {
					v, w = `{"x":1,"y":[2]}`, `{"y":[2],"x":1}`
				}
				a, b = append(a, v), append(b, w)
			}
			return "[" + strings.Join(a, ",") + "]", "[" + strings.Join(b, ",") + "]"
		}
		var a, b []string
		for k := range rng.IntN(4) {
			key := fmt.Sprint("k", k)
			if rng.IntN(4) == 0 {
				key = []string{"facts", "game", "set", "t"}[k]
			}
			v, w := random(key, deep-1)
			a, b = append(a, fmt.Sprintf("%q:%s", key, v)), append([]string{fmt.Sprintf("%q:%s", key, w)}, b...)
		}
		if name == "" || name == "game" || name == "facts" {
			b = append([]string{unknownMember}, b...)
		}
		return "{" + strings.Join(a, ",") + "}", "{" + strings.Join(b, ",") + "}"
	}
	var forget func(v any) any
	forget = func(v any) any {
		switch v := v.(type) {
		case map[string]any:
			delete(v, "x-later")
			for k := range v {
				v[k] = forget(v[k])
			}
		case []any:
			for k := range v {
				v[k] = forget(v[k])
			}
		}
		return v
	}
	for range 300 {
		value, want := random("", 3)
		if value[0] != '{' {
			continue
		}
		got := string(reorderParams([]byte(value)))
		if got != want {
			t.Fatalf("%s is reordered as\n%s, want\n%s", value, got, want)
		}
		var before, after any
		if json.Unmarshal([]byte(value), &before) != nil || json.Unmarshal([]byte(got), &after) != nil ||
			!reflect.DeepEqual(forget(after), before) {
			t.Fatalf("got %[2]s, want the meaning of %[1]s", value, got)
		}
	}
}
