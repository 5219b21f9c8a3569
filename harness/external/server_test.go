package external_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"ocobench/convex"
	"ocobench/harness/experiment"
	"ocobench/harness/external"
	"ocobench/problems"
)

// fragile panics in round 2.
type fragile struct{ problems.Stream }

func (s fragile) Reveal(t int, x []float64) *convex.Round {
	if t == 2 {
		panic("broken")
	}
	return s.Stream.Reveal(t, x)
}

// A panic in a request is an error of that request, and is told. Its game has failed; the other
// game and the program go on. A notification that panics has no answer.
func TestPanicFailsItsServedGameOnly(t *testing.T) {
	mine := problems.Problem{Name: "mine", Version: 1,
		New: func(any, *rand.Rand) (problems.Stream, error) {
			return fragile{registeredStream(t, "shrinking")}, nil
		}}
	step := func(id string, game int) string {
		return fmt.Sprintf(`{"jsonrpc":"2.0",%s"method":"step","params":{"game":%d,"x":[0]}}`, id, game)
	}
	open := func(id int, problem string) string {
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"new","params":{"problem":"%s","horizon":5}}`, id,
			problem)
	}
	in := strings.Join([]string{open(1, "mine"), open(2, "shrinking"), open(3, "mine"),
		step(`"id":4,`, 1), step(`"id":5,`, 1), step(`"id":6,`, 2), step(`"id":7,`, 1),
		step(`"id":8,`, 3), step("", 3), step(`"id":9,`, 3), step(`"id":10,`, 2), ""}, "\n")
	var out strings.Builder
	var crashes []string
	if err := external.Serve(t.Context(), experiment.Catalog{Problems: append([]problems.Problem{mine},
		problems.All...)}, strings.NewReader(in), &out, func(err error) {
		crashes = append(crashes, err.Error())
	}); err != nil {
		t.Fatal(err)
	}
	failed := map[int]int{5: -32603, 7: -32000, 9: -32000} // as docs/environment.md has them
	id := 0
	for line := range strings.Lines(out.String()) {
		id++
		var answer struct {
			ID     int
			Result json.RawMessage
			Error  struct {
				Code    int
				Message string
			}
		}
		if err := json.Unmarshal([]byte(line), &answer); err != nil || answer.ID != id ||
			answer.Error.Code != failed[id] || (answer.Result == nil) != (failed[id] != 0) ||
			failed[id] == -32603 && !strings.Contains(answer.Error.Message, "broken") {
			t.Errorf("call %d: got %s, want an answer with the code %d", id, line, failed[id])
		}
	}
	if id != 10 || len(crashes) != 2 || !strings.Contains(strings.Join(crashes, ""), "broken") {
		t.Errorf("got %d answers and panics %q, want 10 and two", id, crashes)
	}
}
