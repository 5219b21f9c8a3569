package store

import (
	"fmt"
	"testing"
)

// Cells whose keys begin alike are locked apart. Among 4000 keys there are some that
// share the first three digits with others.
func TestLocksDoNotCollide(t *testing.T) {
	s := open(t, t.TempDir())
	byPrefix := make(map[string]Key)
	pairs := 0
	for i := range 4000 {
		key := KeyOf(fmt.Appendf(nil, "%d", i))
		other, ok := byPrefix[string(key[:3])]
		if byPrefix[string(key[:3])] = key; !ok || pairs == 20 {
			continue
		}
		pairs++
		unlock, err := s.Lock(other)
		if err != nil {
			t.Fatal(err)
		}
		again, err := s.Lock(key)
		if err != nil {
			t.Fatalf("%s beside the locked %s: got error %v, want a lock", key, other, err)
		}
		again()
		unlock()
	}
	if pairs < 20 {
		t.Errorf("got %d pairs of keys, want at least 20", pairs)
	}
}
