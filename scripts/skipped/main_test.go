package main

import (
	"strings"
	"testing"
)

// Of a run in which a test fails, one lacks a program and one skips for another reason, the output
// of the failed one is printed, and the arguments run the one that lacks a program.
func TestArgumentsRunTheTestsThatLackAProgram(t *testing.T) {
	const events = `# ocobench/broken
{"Action":"build-output","ImportPath":"ocobench/c","Output":"c.go:1: undefined: x\n"}
{"Action":"output","Package":"ocobench/a","Test":"TestX/r+s","Output":"=== RUN   TestX/r+s\n"}
{"Action":"output","Package":"ocobench/a","Test":"TestX/r+s","Output":"    x.go:1: R is not on PATH: install Debian's r-base-core\n"}
{"Action":"skip","Package":"ocobench/a","Test":"TestX/r+s"}
{"Action":"output","Package":"ocobench/a","Test":"TestLong","Output":"    x.go:2: long\n"}
{"Action":"skip","Package":"ocobench/a","Test":"TestLong"}
{"Action":"output","Package":"ocobench/a","Test":"TestY","Output":"    x.go:3: wrong\n"}
{"Action":"fail","Package":"ocobench/a","Test":"TestY"}
{"Action":"output","Package":"ocobench/a","Test":"TestZ","Output":"    x.go:4: quiet\n"}
{"Action":"pass","Package":"ocobench/a","Test":"TestZ"}
{"Action":"output","Package":"ocobench/a","Output":"FAIL\tocobench/a\t0.1s\n"}
{"Action":"output","Package":"ocobench/b","Output":"PASS\n"}
{"Action":"output","Package":"ocobench/b","Output":"ok  \tocobench/b\t0.2s\n"}
`
	var out strings.Builder
	got, err := copyAndCollect(strings.NewReader(events), &out)
	if want := "-run=^TestX$/^r\\+s$\nocobench/a\n"; err != nil || got != want {
		t.Errorf("the arguments are %q, %v, want %q", got, err, want)
	}
	want := `# ocobench/broken
c.go:1: undefined: x
ocobench/a: x.go:1: R is not on PATH: install Debian's r-base-core
    x.go:3: wrong
FAIL	ocobench/a	0.1s
ok  	ocobench/b	0.2s
`
	if out.String() != want {
		t.Errorf("printed is\n%swant\n%s", out.String(), want)
	}
}
