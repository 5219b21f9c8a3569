package export

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
	"math"
	"math/bits"
	"slices"
	"strconv"

	"ocobench/harness/store"
)

// This file writes Parquet, and of that format only what the long form needs: one flat table
// without nulls.
//
//	"PAR1"
//	row groups, each of at most groupRows rows:
//	    each of the seven columns that repeat: a page of distinct values, a page of codes
//	    the column of values: a page of numbers
//	footer: the schema, the row groups with the places of their columns, metadata
//	length of the footer, "PAR1"
//
// Rows are held until a row group is full, so that memory is bounded. A code is the place of
// a value among the distinct ones of its row group, which stand in the order of appearance.
// Codes have as many bits as the largest needs. gzip compresses each page. Headers of pages
// and the footer are structs of Thrift, in its compact protocol.
//
// References: https://parquet.apache.org/docs/file-format/ and its parquet.thrift, which has
// the numbers of fields and enumerations; the document thrift-compact-protocol of Thrift.

// groupRows makes the page of values of a full row group 1 MiB.
const groupRows = 1 << 17

// These are the numbers of parquet.thrift.
const (
	int64Type, doubleType, byteArrayType         int32 = 2, 5, 6
	utf8Converted, int64Converted                int32 = 0, 18
	plainEncoding, levelEncoding, codeEncoding   int32 = 0, 3, 8
	dataPage, dictionaryPage                     int32 = 0, 2
	requiredRepetition, gzipCodec, formatVersion int32 = 0, 2, 2
)

// A kind is a type of columns: how it is stored, and what more the schema says of it.
type kind struct {
	physical int32
	logical  structure
}

var (
	text    = kind{byteArrayType, structure{{6, utf8Converted}, {10, structure{{1, structure{}}}}}}
	integer = kind{int64Type, structure{
		{6, int64Converted}, {10, structure{{10, structure{{1, int8(64)}, {2, true}}}}},
	}}
	number = kind{doubleType, nil}
)

// Parquet writes the long form with the version of its columns in the metadata.
func Parquet(w io.Writer, x Selection) error {
	version := func(p store.Provenance) string { return p.Version }
	return writeParquet(w, groupRows, programs(x.Results, version), x.samples)
}

// writeParquet writes rows that a program of some version has computed, in row groups of a
// length.
func writeParquet(w io.Writer, groupRows int, version string,
	rows func(func(sample) error) error) error {
	f := &file{w: w, groupRows: groupRows, zip: gzip.NewWriter(nil)}
	f.write([]byte("PAR1"))
	if err := rows(f.add); err != nil {
		return err
	}
	return f.close(version)
}

// A file is one that is being written. Its columns have the rows of the next row group.
type file struct {
	experiment, algorithm, problem, metric codes[string]
	replicate, horizon, t                  codes[int64]
	value                                  numbers

	groupRows int   // of a full row group
	rows      int64 // in groups
	groups    list  // the row groups that are written

	w      io.Writer
	offset int64
	err    error        // the first one of w
	packed bytes.Buffer // the page that is written
	zip    *gzip.Writer
}

// column is a column of the schema.
type column struct {
	name string
	kind kind
	rows interface{ take() chunk } // take empties it
}

// A chunk is a column of a row group. Without a dictionary, data are values, and not codes.
type chunk struct {
	dictionary []byte
	distinct   int // values in the dictionary
	data       []byte
	statistics structure
}

// columns are in the order of the schema.
func (f *file) columns() []column {
	return []column{
		{"experiment", text, &f.experiment},
		{"algorithm", text, &f.algorithm},
		{"problem", text, &f.problem},
		{"replicate", integer, &f.replicate},
		{"horizon", integer, &f.horizon},
		{"t", integer, &f.t},
		{"metric", text, &f.metric},
		{"value", number, &f.value},
	}
}

// add adds a row, and writes the row group that it fills.
func (f *file) add(s sample) error {
	f.experiment.add(s.Experiment)
	f.algorithm.add(s.Algorithm)
	f.problem.add(s.Problem)
	f.replicate.add(s.Replicate)
	f.horizon.add(s.Horizon)
	f.t.add(s.T)
	f.metric.add(s.Metric)
	f.value = append(f.value, s.Value)
	if len(f.value) == f.groupRows {
		f.flush()
	}
	return f.err
}

// flush writes the rows that are held as a row group.
func (f *file) flush() {
	rows, start := len(f.value), f.offset
	var unpacked int64
	var chunks list
	for _, c := range f.columns() {
		x, at, encoding := c.rows.take(), f.offset, plainEncoding
		encodings, size := list{plainEncoding}, int64(0)
		if x.dictionary != nil {
			encoding, encodings = codeEncoding, list{plainEncoding, codeEncoding}
			header := structure{{1, int32(x.distinct)}, {2, plainEncoding}}
			size = f.page(dictionaryPage, field{7, header}, x.dictionary)
		}
		data := f.offset
		header := structure{{1, int32(rows)}, {2, encoding}, {3, levelEncoding}, {4, levelEncoding}}
		size += f.page(dataPage, field{5, header}, x.data)
		meta := structure{
			{1, c.kind.physical}, {2, encodings}, {3, list{c.name}}, {4, gzipCodec},
			{5, int64(rows)}, {6, size}, {7, f.offset - at}, {9, data},
		}
		if x.dictionary != nil {
			meta = append(meta, field{11, at})
		}
		meta = append(meta, field{12, x.statistics})
		chunks = append(chunks, structure{{2, int64(0)}, {3, meta}})
		unpacked += size
	}
	f.groups = append(f.groups, structure{
		{1, chunks}, {2, unpacked}, {3, int64(rows)}, {5, start}, {6, f.offset - start},
	})
	f.rows += int64(rows)
}

// page writes a page with its header, and returns its size without compression.
func (f *file) page(kind int32, header field, data []byte) (size int64) {
	f.packed.Reset()
	f.zip.Reset(&f.packed)
	f.zip.Write(data) // a buffer takes all
	f.zip.Close()
	head, _ := encode(structure{
		{1, kind}, {2, int32(len(data))}, {3, int32(f.packed.Len())},
		{4, int32(crc32.ChecksumIEEE(f.packed.Bytes()))}, header,
	})
	f.write(head)
	f.write(f.packed.Bytes())
	return int64(len(head) + len(data))
}

// close writes the rows that are held, and the footer.
func (f *file) close(version string) error {
	if len(f.value) > 0 {
		f.flush()
	}
	columns := f.columns()
	schema := list{structure{{4, "sample"}, {5, int32(len(columns))}}}
	var orders list
	for _, c := range columns {
		element := structure{{1, c.kind.physical}, {3, requiredRepetition}, {4, c.name}}
		schema = append(schema, append(element, c.kind.logical...))
		orders = append(orders, structure{{1, structure{}}}) // that of the type
	}
	footer, _ := encode(structure{
		{1, formatVersion}, {2, schema}, {3, f.rows}, {4, f.groups},
		{5, list{structure{{1, "ocobench.schema"}, {2, strconv.Itoa(Schema)}}}},
		{6, fmt.Sprintf("ocobench version %s(build )", version)}, {7, orders},
	})
	f.write(footer)
	f.write(binary.LittleEndian.AppendUint32(nil, uint32(len(footer))))
	f.write([]byte("PAR1"))
	return f.err
}

func (f *file) write(data []byte) {
	if f.err == nil {
		_, f.err = f.w.Write(data)
		f.offset += int64(len(data))
	}
}

// numbers is a column that is written as it is.
type numbers []float64

// take has no least and largest value among the statistics, since NaN has no place in them.
func (n *numbers) take() chunk {
	data := make([]byte, 0, 8*len(*n))
	for _, v := range *n {
		data = binary.LittleEndian.AppendUint64(data, math.Float64bits(v))
	}
	*n = (*n)[:0]
	return chunk{data: data, statistics: structure{{3, int64(0)}}}
}

// codes is a column of values that repeat.
type codes[T string | int64] struct {
	distinct []T
	of       map[T]uint32 // codes of the distinct values
	rows     []uint32     // codes
}

func (c *codes[T]) add(v T) {
	if n := len(c.rows); n > 0 && c.distinct[c.rows[n-1]] == v {
		c.rows = append(c.rows, c.rows[n-1])
		return
	}
	code, known := c.of[v]
	if !known {
		if c.of == nil {
			c.of = make(map[T]uint32)
		}
		code = uint32(len(c.distinct))
		c.of[v], c.distinct = code, append(c.distinct, v)
	}
	c.rows = append(c.rows, code)
}

func (c *codes[T]) take() chunk {
	var dictionary []byte
	for _, v := range c.distinct {
		b := plain(v)
		if _, sized := any(v).(string); sized {
			dictionary = binary.LittleEndian.AppendUint32(dictionary, uint32(len(b)))
		}
		dictionary = append(dictionary, b...)
	}
	x := chunk{dictionary, len(c.distinct), packed(c.rows, len(c.distinct)), structure{
		{3, int64(0)}, {5, plain(slices.Max(c.distinct))}, {6, plain(slices.Min(c.distinct))},
	}}
	*c = codes[T]{rows: c.rows[:0]}
	return x
}

// plain has the bytes of a value.
func plain[T string | int64](v T) string {
	if n, ok := any(v).(int64); ok {
		return string(binary.LittleEndian.AppendUint64(nil, uint64(n)))
	}
	return any(v).(string)
}

// packed are codes of some distinct values in the hybrid encoding: the number of bits of a
// code, and one run of groups of eight codes, the first in the lowest bits.
func packed(codes []uint32, distinct int) []byte {
	width := max(1, bits.Len(uint(distinct-1)))
	groups := (len(codes) + 7) / 8
	data := binary.AppendUvarint([]byte{byte(width)}, uint64(groups)<<1|1)
	var pending uint64 // bits that fill no byte yet, fewer than 8 + width
	held := 0
	for i := range 8 * groups {
		if i < len(codes) {
			pending |= uint64(codes[i]) << held
		}
		for held += width; held >= 8; held -= 8 {
			data = append(data, byte(pending))
			pending >>= 8
		}
	}
	return data
}

// A structure is a struct of Thrift, its fields in the order of their numbers. A value is one
// of the types that encode has.
type structure []field

type field struct {
	number int
	value  any
}

type list []any

// encode returns a value in the compact protocol, and the number of its type. Integers are
// in zigzag, which is the Varint of encoding/binary.
func encode(v any) (data []byte, kind byte) {
	switch v := v.(type) {
	case bool:
		return nil, 1 // true: no field here is false
	case int8:
		return []byte{byte(v)}, 3
	case int32:
		return binary.AppendVarint(nil, int64(v)), 5
	case int64:
		return binary.AppendVarint(nil, v), 6
	case string:
		return append(binary.AppendUvarint(nil, uint64(len(v))), v...), 8
	case list: // how many, in four bits or after them; their type; they
		kind = 12 // the one list that may be empty, of row groups, has structs
		for _, element := range v {
			var b []byte
			b, kind = encode(element)
			data = append(data, b...)
		}
		head := []byte{byte(min(len(v), 15))<<4 | kind}
		if len(v) >= 15 {
			head = binary.AppendUvarint(head, uint64(len(v)))
		}
		return append(head, data...), 9
	case structure: // of each field the distance from the number before, and the type; a zero
		last := 0
		for _, f := range v {
			b, kind := encode(f.value)
			data = append(append(data, byte(f.number-last)<<4|kind), b...)
			last = f.number
		}
		return append(data, 0), 12
	}
	panic(fmt.Sprintf("export: %T has no type of Thrift", v))
}
