package wire

import (
	"slices"
	"strings"
	"testing"
)

// A fault in a member has the column of the whole object, whatever was read before, and no remedy
// for a line that is cut short.
func TestFaultsOfMembersHaveColumnsOfTheObject(t *testing.T) {
	const start = "at 1: the answer: "
	for _, c := range []struct{ text, want string }{
		{`{"lin":[1,2],"quad":[[1,0],[0,1]]}`, ""},
		{`{"quad":[[1,0],[0,1]],"feet":[{"lin":1}], "lin" : [1,2] }`, ""},
		{`{"été":"…","lin":[1,2,3],"quad":[[1,0],[0,1]]}`,
			"at 18: lin has length 3, expected 2, the dimension of the domain"},
		{`{"quad":[[1,0],[0,true]],"lin":[1,2]}`, "at 19: quad: found true, expected a number"},
		{`{"quad":true,"lin":[1,2]}`, "at 9: quad: found true, expected a list […]"},
		{`{"quad":null,"lin":[1,2]}`,
			"at 9: quad: found null, expected a list […]; leave out what is absent"},
		{`{"lin":[1,2]}`, `at 14: the answer: the key "quad" is missing (needed: lin, quad)`},
		{`{}`, `at 3: the answer: the key "lin" is missing (needed: lin, quad)`},
		{`5`, start + "found 5, expected an object {…}"},
		{`[]`, start + "found a list, expected an object {…}"},
		{`null`, start + "found null, expected an object {…}; leave out what is absent"},
		{`{"lin":[1,2],"lin":[3,4]}`, "at 14: the answer: lin: it is there twice"},
	} {
		r := Reader{Place: "at "}
		var m struct {
			Quad Value `json:"quad"`
			Lin  Value `json:"lin"`
		}
		r.Decode("the answer", []byte(c.text), &m)
		r.RequireValues("the answer", []string{"lin", "quad"}, m.Lin, m.Quad)
		quad := r.Enter(m.Quad).matrix("quad", nil, 2)
		lin := r.Enter(m.Lin).Numbers("lin", nil, 2)
		switch {
		case c.want != "" && (r.Err == nil || r.Err.Error() != c.want):
			t.Errorf("%s: the error is %v, want %s", c.text, r.Err, c.want)
		case c.want == "" && (r.Err != nil || !slices.Equal(quad, []float64{1, 0, 0, 1}) ||
			!slices.Equal(lin, []float64{1, 2})):
			t.Errorf("%s is read as %v and %v, error %v, want no error", c.text, quad, lin, r.Err)
		}
	}
	var r Reader
	if r.Decode("the answer", []byte(`{"lin":[1`), &struct{}{}); r.Err == nil ||
		!strings.HasSuffix(r.Err.Error(), "its JSON is cut short") {
		t.Errorf("the error is %v, want one that it is cut short", r.Err)
	}
}
