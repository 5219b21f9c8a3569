//go:build rescan

package main

import _ "unsafe" // for linkname

// rescan is the switch of package convex that makes its active sets look at
// every row in every scan. peers.sh builds this program a second time with it
// on: the twin.
//
//go:linkname rescan ocobench/convex.rescan
var rescan bool

func init() { rescan = true }
