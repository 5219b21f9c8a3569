package export

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"
)

// wantSchema is the schema that docs/reading.md promises.
const wantSchema = `message sample {
	required binary experiment (STRING);
	required binary algorithm (STRING);
	required binary problem (STRING);
	required int64 replicate (INT(64,true));
	required int64 horizon (INT(64,true));
	required int64 t (INT(64,true));
	required binary metric (STRING);
	required double value;
}`

// samplesOf returns n rows of which each column has another number of distinct values.
func samplesOf(n int) []sample {
	all := make([]sample, n)
	for i := range all {
		all[i] = sample{
			"one", fmt.Sprint("algorithm-", i%2), fmt.Sprint("problem:c=", i%300),
			int64(i % 3), int64(i%5) * 1000, int64(i), fmt.Sprint("metric-", i/7), math.Sqrt(float64(i)),
		}
	}
	return all
}

// TestParquetHasEveryRowBitForBit reads files back: the rows, the schema, the metadata that
// docs/reading.md names, the codec, and how many rows are in a row group. Values have no bounds.
func TestParquetHasEveryRowBitForBit(t *testing.T) {
	extremes := samplesOf(11)
	for i, v := range []float64{
		math.NaN(), math.Inf(1), math.Inf(-1), math.Copysign(0, -1), 0, math.MaxFloat64,
		math.SmallestNonzeroFloat64, -1, math.Float64frombits(0x7ff4dead0000beef),
	} {
		extremes[i].Value = v
	}
	for i, n := range []int64{math.MinInt64, math.MaxInt64, 0, -1, 1 << 53} {
		extremes[i].Replicate, extremes[i].Horizon, extremes[i].T = n, -n, n/2
	}
	for i, s := range []string{"", strings.Repeat("long ", 1<<17), "η=½,\"a\"\n", "\x00"} {
		extremes[i].Algorithm, extremes[i].Problem = s, s+"x"
	}
	for _, c := range []struct {
		name      string
		groupRows int64
		rows      []sample
	}{
		{"empty", groupRows, nil},
		{"full row groups", 10, samplesOf(30)},
		{"200 row groups", 2, samplesOf(400)},
		{"extremes", groupRows, extremes},
		{"extremes, 2 row groups", 6, extremes},
		{"as exported", groupRows, samplesOf(groupRows + 5)},
	} {
		t.Run(c.name, func(t *testing.T) {
			data := parquetFile(t, c.groupRows, c.rows)
			if !bytes.Equal(data, parquetFile(t, c.groupRows, c.rows)) {
				t.Error("the same rows have other bytes, want the same")
			}
			got, err := parquet.Read[sample](bytes.NewReader(data), int64(len(data)))
			if err != nil || len(got) != len(c.rows) {
				t.Fatalf("%d rows, error %v, want %d", len(got), err, len(c.rows))
			}
			for i, want := range c.rows {
				a, b := math.Float64bits(got[i].Value), math.Float64bits(want.Value)
				got[i].Value, want.Value = 0, 0
				if got[i] != want || a != b {
					t.Fatalf("row %d: %+v %x, want %+v %x", i, got[i], a, want, b)
				}
			}
			f, err := parquet.OpenFile(bytes.NewReader(data), int64(len(data)))
			if err != nil {
				t.Fatal(err)
			}
			if got := f.Schema().String(); got != wantSchema {
				t.Errorf("schema %s, want %s", got, wantSchema)
			}
			version, _ := f.Lookup("ocobench.schema")
			if by := f.Metadata().CreatedBy; version != "1" || by != "ocobench version 1.2.3(build )" {
				t.Errorf("columns of version %q, by %q, want 1, by ocobench version 1.2.3", version, by)
			}
			checkGroups(t, f.Metadata().RowGroups, c.groupRows, int64(len(c.rows)))
		})
	}
}

// checkGroups holds row groups to their length, to gzip, and to values without bounds.
func checkGroups(t *testing.T, groups []format.RowGroup, groupRows, rows int64) {
	t.Helper()
	if want := (rows + groupRows - 1) / groupRows; int64(len(groups)) != want {
		t.Fatalf("%d row groups, want %d", len(groups), want)
	}
	for i, g := range groups {
		if want := min(groupRows, rows-int64(i)*groupRows); g.NumRows != want {
			t.Errorf("row group %d has %d rows, want %d", i, g.NumRows, want)
		}
		for j, c := range g.Columns {
			least, largest := c.MetaData.Statistics.MinValue, c.MetaData.Statistics.MaxValue
			if bounded := len(least)+len(largest) > 0; c.MetaData.Codec != format.Gzip || j == 7 && bounded {
				t.Errorf("row group %d: column %d: got codec %v and bounds %q, %q, want gzip, no bounds of "+
					"values", i, j, c.MetaData.Codec, least, largest)
			}
		}
	}
}

// parquetFile writes rows as a Parquet file in groups of groupRows.
func parquetFile(t *testing.T, groupRows int64, rows []sample) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := writeParquet(&out, groupRows, "1.2.3", slices.Values(rows)); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// Writers that fail after any number of writes fail the file.
func TestParquetReportsErrors(t *testing.T) {
	full := errors.New("full")
	rows := slices.Values(samplesOf(20_000))
	for writes := 0; ; writes++ {
		err := writeParquet(&limited{writes, full}, 4096, "", rows)
		if err == nil && writes > 1 {
			break
		}
		if !errors.Is(err, full) {
			t.Fatalf("after %d writes: %v, want the error of the writer", writes, err)
		}
	}
}

// limited takes so many writes.
type limited struct {
	writes int
	err    error
}

func (w *limited) Write(b []byte) (int, error) {
	if w.writes--; w.writes < 0 {
		return 0, w.err
	}
	return len(b), nil
}
