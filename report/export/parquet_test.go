package export

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"
)

// row is a sample as another library reads it.
type row struct {
	Experiment string  `parquet:"experiment"`
	Algorithm  string  `parquet:"algorithm"`
	Problem    string  `parquet:"problem"`
	Replicate  int64   `parquet:"replicate"`
	Horizon    int64   `parquet:"horizon"`
	T          int64   `parquet:"t"`
	Metric     string  `parquet:"metric"`
	Value      float64 `parquet:"value"`
}

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

// samplesOf are n rows of which each column has another number of distinct values.
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

// TestParquet reads files with another implementation of the format: every row, bit for
// bit, the schema and the metadata, what the footer says of places, sizes, least and largest
// values, and how many rows are in a row group.
func TestParquet(t *testing.T) {
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
	for i, s := range []string{
		"", strings.Repeat("long ", 1<<17), "η=½,\"a\"\n", "\x00", strings.Repeat("k=1,", 1<<10),
	} {
		extremes[i].Algorithm, extremes[i].Problem = s, s+"x"
	}
	for _, c := range []struct {
		name      string
		groupRows int
		rows      []sample
	}{
		{"empty", groupRows, nil},
		{"one row", groupRows, samplesOf(1)},
		{"8 rows", groupRows, samplesOf(8)},
		{"9 rows", groupRows, samplesOf(9)},
		{"full row groups", 10, samplesOf(30)},
		{"14 row groups", 3, samplesOf(42)},
		{"15 row groups", 3, samplesOf(43)},
		{"200 row groups", 2, samplesOf(400)},
		{"257 distinct", 257, samplesOf(514)},
		{"extremes", groupRows, extremes},
		{"extremes, 2 row groups", 6, extremes},
		{"as exported", groupRows, samplesOf(2*groupRows + 5)},
	} {
		t.Run(c.name, func(t *testing.T) {
			data := written(t, c.groupRows, c.rows)
			if !bytes.Equal(data, written(t, c.groupRows, c.rows)) {
				t.Error("the same rows have other bytes")
			}
			got, err := parquet.Read[row](bytes.NewReader(data), int64(len(data)))
			if err != nil {
				t.Fatal(err)
			}
			if len(got) != len(c.rows) {
				t.Fatalf("%d rows, want %d", len(got), len(c.rows))
			}
			for i, s := range c.rows {
				r := sample(got[i])
				a, b := math.Float64bits(r.Value), math.Float64bits(s.Value)
				r.Value, s.Value = 0, 0
				if r != s || a != b {
					t.Fatalf("row %d: %+v %x, want %+v %x", i, r, a, s, b)
				}
			}
			f, err := parquet.OpenFile(bytes.NewReader(data), int64(len(data)))
			if err != nil {
				t.Fatal(err)
			}
			if got := f.Schema().String(); got != wantSchema {
				t.Errorf("schema %s", got)
			}
			if version, _ := f.Lookup("ocobench.schema"); version != "1" {
				t.Errorf("the version of the columns is %q", version)
			}
			m := f.Metadata()
			if m.CreatedBy != "ocobench version 1.2.3(build )" {
				t.Errorf("created by %q", m.CreatedBy)
			}
			if m.NumRows != int64(len(c.rows)) || len(m.ColumnOrders) != 8 {
				t.Errorf("%d rows, %d orders of columns", m.NumRows, len(m.ColumnOrders))
			}
			checkGroups(t, m.RowGroups, c.groupRows, c.rows, footerAt(data))
		})
	}
}

func written(t *testing.T, groupRows int, rows []sample) []byte {
	var out bytes.Buffer
	if err := writeParquet(&out, groupRows, "1.2.3", each(rows)); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func each(rows []sample) func(func(sample) error) error {
	return func(yield func(sample) error) error {
		for _, s := range rows {
			if err := yield(s); err != nil {
				return err
			}
		}
		return nil
	}
}

// footerAt is where the footer begins.
func footerAt(data []byte) int64 {
	n := int64(len(data))
	return n - 8 - int64(binary.LittleEndian.Uint32(data[n-8:]))
}

// checkGroups holds row groups to the rows: full but for the last one, columns without gaps
// from the first page to the footer, and the least and largest values of text and integers.
func checkGroups(t *testing.T, groups []format.RowGroup, groupRows int, rows []sample,
	end int64) {
	t.Helper()
	at := int64(4)
	for i, g := range groups {
		n := min(groupRows, len(rows))
		if g.NumRows != int64(n) || g.FileOffset != at || len(g.Columns) != 8 {
			t.Fatalf("row group %d has %d rows at %d, want %d at %d", i, g.NumRows, g.FileOffset, n, at)
		}
		start, unpacked := at, int64(0)
		for j, c := range g.Columns {
			m := c.MetaData
			first := m.DictionaryPageOffset
			if j == 7 {
				first = m.DataPageOffset
			}
			if first != at || m.NumValues != int64(n) || m.Codec != format.Gzip {
				t.Errorf("row group %d: column %d has %d values at %d, want %d at %d", i, j, m.NumValues,
					first, n, at)
			}
			at += m.TotalCompressedSize
			unpacked += m.TotalUncompressedSize
			least, largest := extent(rows[:n], j)
			if string(m.Statistics.MinValue) != least || string(m.Statistics.MaxValue) != largest {
				t.Errorf("row group %d: column %d is from %.40q to %.40q, want %.40q to %.40q", i, j,
					m.Statistics.MinValue, m.Statistics.MaxValue, least, largest)
			}
		}
		if g.TotalByteSize != unpacked || g.TotalCompressedSize != at-start {
			t.Errorf("row group %d has %d and %d bytes, want %d and %d", i, g.TotalByteSize,
				g.TotalCompressedSize, unpacked, at-start)
		}
		rows = rows[n:]
	}
	if len(rows) > 0 || at != end {
		t.Errorf("%d rows are in no row group, and pages end at %d, the footer begins at %d",
			len(rows), at, end)
	}
}

// extent is the least and the largest value of a column, in bytes; of numbers there is none.
func extent(rows []sample, column int) (least, largest string) {
	texts := func(of func(sample) string) (string, string) {
		a, b := of(rows[0]), of(rows[0])
		for _, s := range rows {
			a, b = min(a, of(s)), max(b, of(s))
		}
		return a, b
	}
	integers := func(of func(sample) int64) (string, string) {
		a, b := of(rows[0]), of(rows[0])
		for _, s := range rows {
			a, b = min(a, of(s)), max(b, of(s))
		}
		return string(binary.LittleEndian.AppendUint64(nil, uint64(a))),
			string(binary.LittleEndian.AppendUint64(nil, uint64(b)))
	}
	switch column {
	case 0:
		return texts(func(s sample) string { return s.Experiment })
	case 1:
		return texts(func(s sample) string { return s.Algorithm })
	case 2:
		return texts(func(s sample) string { return s.Problem })
	case 3:
		return integers(func(s sample) int64 { return s.Replicate })
	case 4:
		return integers(func(s sample) int64 { return s.Horizon })
	case 5:
		return integers(func(s sample) int64 { return s.T })
	case 6:
		return texts(func(s sample) string { return s.Metric })
	}
	return "", ""
}

// TestParquetErrors has writers that fail after any number of writes, and rows that fail.
func TestParquetErrors(t *testing.T) {
	full := errors.New("full")
	rows := each(samplesOf(10))
	for writes := 0; ; writes++ {
		w := &limited{writes, full}
		err := writeParquet(w, 4, "", rows)
		if err == nil {
			if writes < 50 {
				t.Errorf("%d writes are a file", writes)
			}
			break
		}
		if !errors.Is(err, full) {
			t.Fatalf("after %d writes: %v", writes, err)
		}
	}
	fails := func(func(sample) error) error { return full }
	if err := writeParquet(io.Discard, 4, "", fails); !errors.Is(err, full) {
		t.Errorf("rows that fail: %v", err)
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
