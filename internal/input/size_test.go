package input

import "testing"

// A limit is printed as it is: in a unit only if it is a whole number of it.
func TestSizeIsInAUnitIfWhole(t *testing.T) {
	for n, want := range map[int64]string{
		0: "0 bytes", 1: "1 bytes", 1023: "1023 bytes", 1 << 10: "1 KiB", 1<<10 + 1: "1025 bytes",
		1536:    "1536 bytes",
		1 << 20: "1 MiB", 1<<20 + 1<<10: "1025 KiB", 1 << 30: "1 GiB", 3 << 30: "3 GiB",
	} {
		if got := formatSize(n); got != want {
			t.Errorf("%d bytes are %q, want %q", n, got, want)
		}
	}
}
