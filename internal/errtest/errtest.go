// Package errtest checks the errors that tests want.
package errtest

import (
	"fmt"
	"strings"
	"testing"
)

// Contains fails a test unless err is an error whose message contains want. The message of the
// failure begins with what was tried, a format and its arguments, or with nothing: where the name
// of the test says it.
func Contains(t testing.TB, err error, want string, tried ...any) {
	t.Helper()
	if err != nil && strings.Contains(err.Error(), want) {
		return
	}
	what := ""
	if len(tried) > 0 {
		what = fmt.Sprintf(tried[0].(string), tried[1:]...) + ": "
	}
	t.Errorf("%sgot error %.300v, want one that contains %q", what, err, want)
}
