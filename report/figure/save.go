package figure

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"image/color"
	"image/png"
	"io"
	"os"
	"path/filepath"
	"time"

	"codeberg.org/go-pdf/fpdf"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgpdf"
	"gonum.org/v1/plot/vg/vgsvg"

	"ocobench/internal/file"
)

// A Format is the format of a file.
type Format string

// The formats of a figure. PDF and SVG have outlines, also of texts. PNG has 300 dots
// per inch.
const (
	PDF Format = "pdf"
	SVG Format = "svg"
	PNG Format = "png"
)

// Formats lists all formats of a figure.
var Formats = []Format{PDF, SVG, PNG}

// The resolution of PNG, and limits of the size of a figure.
const (
	dpi     = 300
	maxSide = 14400.0 // the largest width or height of a page of PDF, in points
	maxDots = 1e8     // the largest number of dots of a PNG, which takes 400 MB while it is drawn
)

// Save writes f in some formats into dir, such as base.pdf, base.svg and base.png, and returns the
// paths of these files. It creates dir if necessary. A file is written completely or not at all.
// Nothing is written if f is not valid.
func (f *Figure) Save(dir, base string, formats ...Format) (files []string, err error) {
	contents := make([]bytes.Buffer, len(formats))
	d, err := f.layout()
	if err != nil {
		return nil, err
	}
	for i, format := range formats {
		if err := d.write(&contents[i], format); err != nil {
			return nil, err
		}
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	for i, format := range formats {
		path := filepath.Join(dir, base+"."+string(format))
		if err := file.Write(path, file.Bytes(contents[i].Bytes())); err != nil {
			return files, err
		}
		files = append(files, path)
	}
	return files, nil
}

// Write writes f in one format. Equal figures give equal bytes.
func (f *Figure) Write(w io.Writer, format Format) error {
	d, err := f.layout()
	if err != nil {
		return err
	}
	return d.write(w, format)
}

// write writes the drawing in one format.
func (d *drawing) write(w io.Writer, format Format) (err error) {
	width, height := vg.Length(d.width), vg.Length(d.height)
	switch format {
	case PDF:
		c := vgpdf.New(width, height)
		d.draw(c)
		_, err = c.WriteTo(w)
	case SVG:
		c := vgsvg.New(width, height)
		d.draw(c)
		_, err = c.WriteTo(w)
	case PNG:
		if n := (d.width / 72 * dpi) * (d.height / 72 * dpi); n > maxDots {
			return fmt.Errorf("figure: a PNG of %.2g dots is larger than %.2g", n, maxDots)
		}
		c := vgimg.NewWith(vgimg.UseWH(width, height), vgimg.UseDPI(dpi),
			vgimg.UseBackgroundColor(color.White))
		d.draw(c)
		var b bytes.Buffer
		// The compression takes half of the time of a figure at the default level.
		if err = (&png.Encoder{CompressionLevel: png.BestSpeed}).Encode(&b, c.Image()); err == nil {
			_, err = w.Write(withResolution(b.Bytes()))
		}
	default:
		err = fmt.Errorf("figure: unknown format %q", format)
	}
	return err
}

// withResolution adds the resolution to a PNG, which image/png leaves out, so that LaTeX and
// editors know its size on paper.
func withResolution(content []byte) []byte {
	const afterHeader = 8 + 25 // the signature and the chunk IHDR
	const perMetre = 11811     // 300 dots per inch
	chunk := []byte("pHYs")
	chunk = binary.BigEndian.AppendUint32(chunk, perMetre)
	chunk = binary.BigEndian.AppendUint32(chunk, perMetre)
	chunk = append(chunk, 1) // the unit is the metre

	out := append([]byte{}, content[:afterHeader]...)
	out = binary.BigEndian.AppendUint32(out, uint32(len(chunk)-len("pHYs")))
	out = append(out, chunk...)
	out = binary.BigEndian.AppendUint32(out, crc32.ChecksumIEEE(chunk))
	return append(out, content[afterHeader:]...)
}

// The bytes of a PDF may not depend on the clock or on the order of maps. The PDF
// backend does not export its document, so the defaults of fpdf are set, before any
// goroutine draws.
func init() {
	fpdf.SetDefaultCreationDate(time.Unix(1, 0).UTC())
	fpdf.SetDefaultModificationDate(time.Unix(1, 0).UTC())
	fpdf.SetDefaultCatalogSort(true)
}
