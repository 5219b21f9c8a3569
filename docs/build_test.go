package docs

import (
	"strings"
	"testing"
)

// TestBuild keeps the first command short: most of it is compilation. The program has few
// packages, and none of those that are heavy for the little that it would need of them.
func TestBuild(t *testing.T) {
	packages := strings.Fields(goList(t, "-deps", "./cmd/bench"))
	const most = 300
	if len(packages) > most {
		t.Errorf("cmd/bench is built from %d packages, of the standard library and others; at most "+
			"%d leave the first command short", len(packages), most)
	}
	for _, p := range packages {
		for _, heavy := range []string{"math/big", "net", "net/http", "crypto/tls", "database/sql",
			"google.golang.org/protobuf", "github.com/parquet-go", "github.com/klauspost/compress",
			"github.com/olekukonko/tablewriter", "golang.org/x/exp/jsonrpc2", "golang.org/x/perf",
			"gonum.org/v1/gonum/stat/distuv"} {
			if p == heavy || strings.Contains(heavy, ".") && strings.HasPrefix(p, heavy+"/") {
				t.Errorf("cmd/bench is built from %s: go list -deps says which package imports it", p)
			}
		}
	}
}
