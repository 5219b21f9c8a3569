package page

import "bytes"

// Marked tells whether a file that begins like this is a page of this program, of any
// version: [Write] names the generator within the first 1024 bytes.
func Marked(head []byte) bool {
	return bytes.Contains(head[:min(len(head), 1024)], []byte(`<meta name="generator" content="ocobench `))
}
