package export

import (
	"errors"
	"io"
	"iter"
	"strconv"

	"github.com/parquet-go/parquet-go"

	"ocobench/harness/store"
)

// groupRows bounds the memory of a row group: its page of values has 1 MiB.
const groupRows = 1 << 17

// Parquet writes the long form with the version of its columns in the metadata.
func Parquet(w io.Writer, x Selection) error {
	version := programNames(x.Results, func(p store.Provenance) string { return p.Version })
	return writeParquet(w, groupRows, version, x.samples)
}

// writeParquet writes rows that a program of the given version computed, in row groups of groupRows
// rows. The values have no bounds: statistics leave out NaN, which DuckDB takes for the largest
// number, so that filters would skip row groups with NaN.
func writeParquet(w io.Writer, groupRows int64, version string,
	rows iter.Seq[sample]) error {
	out := parquet.NewGenericWriter[sample](w,
		parquet.Compression(&parquet.Gzip), parquet.DataPageVersion(1),
		parquet.MaxRowsPerRowGroup(groupRows), parquet.SkipPageBounds("value"),
		parquet.KeyValueMetadata("ocobench.schema", strconv.Itoa(Schema)),
		parquet.CreatedBy("ocobench", version, ""))
	batch := make([]sample, 0, 1024)
	for s := range rows {
		if batch = append(batch, s); len(batch) == cap(batch) {
			if _, err := out.Write(batch); err != nil {
				return err
			}
			batch = batch[:0]
		}
	}
	_, err := out.Write(batch)
	return errors.Join(err, out.Close())
}
