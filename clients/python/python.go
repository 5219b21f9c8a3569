// Package python holds the module ocobench of Python, which the program writes into new folders.
package python

import _ "embed"

// Module is the text of ocobench.py.
//
//go:embed ocobench.py
var Module []byte
