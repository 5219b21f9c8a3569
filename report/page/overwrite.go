package page

import (
	"bytes"
	"fmt"
	"io"
	"os"

	"ocobench/internal/input"
)

// IsPage reports whether a file that begins with head is a page of this program, of any version:
// [Write] names the generator within the first 1024 bytes.
func IsPage(head []byte) bool {
	return bytes.Contains(head[:min(len(head), 1024)],
		[]byte(`<meta name="generator" content="ocobench `))
}

// CheckReplaceable returns an error if there is a file of this name that is not a page of this
// program.
func CheckReplaceable(name string) error {
	info, err := os.Stat(name)
	if err != nil {
		return nil // there is no such file, or writing it will fail and say why
	}
	head := make([]byte, 1024) // stays without text, and so is no page, for a directory or a device
	if info.Mode().IsRegular() {
		f, err := os.Open(name)
		if err != nil {
			return fmt.Errorf("%w; move it", err)
		}
		defer f.Close()
		n, err := io.ReadFull(f, head)
		if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
			return fmt.Errorf("%w; move it", err)
		}
		head = head[:n]
	}
	if !IsPage(head) {
		return fmt.Errorf("%s is not a page of bench; move it", input.Shown(name))
	}
	return nil
}
