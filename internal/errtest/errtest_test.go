package errtest

import (
	"errors"
	"fmt"
	"testing"
)

// recorder keeps the failures of a test.
type recorder struct {
	testing.TB
	failures []string
}

func (r *recorder) Helper() {}

func (r *recorder) Errorf(format string, args ...any) {
	r.failures = append(r.failures, fmt.Sprintf(format, args...))
}

func TestContainsSaysWhatCameAndWhatWasWanted(t *testing.T) {
	late := errors.New("it is late")
	for name, c := range map[string]struct {
		err   error
		tried []any
		want  string
	}{
		"the text": {late, nil, ""},
		"no error": {nil, nil, `got error <nil>, want one that contains "late"`},
		"another":  {errors.New("no"), nil, `got error no, want one that contains "late"`},
		"what was tried": {nil, []any{"round %d", 3},
			`round 3: got error <nil>, want one that contains "late"`},
	} {
		t.Run(name, func(t *testing.T) {
			r := &recorder{}
			Contains(r, c.err, "late", c.tried...)
			got := ""
			if len(r.failures) > 0 {
				got = r.failures[0]
			}
			if got != c.want || len(r.failures) > 1 {
				t.Errorf("got failures %q, want %q", r.failures, c.want)
			}
		})
	}
}
