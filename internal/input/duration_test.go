package input

import (
	"encoding/json"
	"testing"
	"time"
)

func TestJSONReadsTheDurationsThatEncodingJSONWrites(t *testing.T) {
	type job struct {
		Time time.Duration `json:"time"`
	}
	want := job{90 * time.Second}
	text, err := json.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	var got job
	if err := JSON(text, &got); err != nil || got != want {
		t.Errorf("%s is read as %v (error %v), want %v", text, got, err, want)
	}
}
