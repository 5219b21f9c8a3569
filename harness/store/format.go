package store

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// The formats of the files. A program reads no newer version. In records of version 1
// every cell serves one horizon; they are read, too.
const (
	cellFormat     = "ocobench cell 1"
	recordFormat   = "ocobench record 2"
	failureFormat  = "ocobench failure 1"
	analysisFormat = "ocobench cached analysis 1"
)

// A NewerError says that a newer program wrote a file of the store.
type NewerError struct {
	Path   string
	Format string // of the file
}

// Error implements error.
func (e *NewerError) Error() string {
	return fmt.Sprintf("store: %s has the format %q, of a newer program: use that one or name "+
		"another store", e.Path, e.Format)
}

// checkFormat compares the format of a file whose digest is right with the one that this program
// reads. Both end with a version. Older versions are read, too.
func checkFormat(got, want string) error {
	k := strings.LastIndexByte(want, ' ') + 1
	newest, _ := strconv.Atoi(want[k:])
	v, err := strconv.Atoi(strings.TrimPrefix(got, want[:k]))
	switch {
	case err == nil && v > newest:
		return &NewerError{Format: got}
	case err != nil || v < 1:
		return fmt.Errorf("its format is %q where this program reads %q", got, want)
	}
	return nil
}

// textHeader is written as the first line of a record, a failure or an analysis.
type textHeader struct {
	Format string `json:"format"`
	Of     string `json:"of"` // the name of the experiment, or the key of the cell or analysis
}

// encodeText makes a file of text: a line with its format and what it is of, the
// text as it is, a line break, and the digest.
func encodeText(format, of string, text []byte) []byte {
	data, err := json.Marshal(textHeader{format, of})
	if err != nil {
		panic(err) // strings can be written
	}
	data = append(data, '\n')
	data = append(data, text...)
	return appendDigest(append(data, '\n'))
}

// decodeText returns the text of a file that [encodeText] made with this format, or an older
// version of it, and this subject.
func decodeText(format, of string, data []byte) ([]byte, error) {
	body, err := checkDigest(data)
	if err != nil {
		return nil, err
	}
	first, text, _ := strings.Cut(body, "\n")
	text, endsLine := strings.CutSuffix(text, "\n")
	var header textHeader
	if err := json.Unmarshal([]byte(first), &header); err != nil || !endsLine {
		return nil, errors.New("it does not begin with its format")
	}
	if err := checkFormat(header.Format, format); err != nil {
		return nil, err
	}
	if header.Of != of {
		return nil, fmt.Errorf("it is of %s", header.Of)
	}
	return []byte(text), nil
}

// The last line of every file is its digest, after a prefix.
const (
	sealPrefix = "sha256 "
	sealLength = len(sealPrefix) + 2*sha256.Size + len("\n")
)

// appendDigest appends the line with the digest of all lines before it.
func appendDigest(body []byte) []byte {
	sum := sha256.Sum256(body)
	body = append(body, sealPrefix...)
	body = hex.AppendEncode(body, sum[:])
	return append(body, '\n')
}

// checkDigest compares the last line with the digest of the lines before it, and returns these.
func checkDigest(data []byte) (string, error) {
	cut := len(data) - sealLength
	if cut < 0 || string(data[cut:cut+len(sealPrefix)]) != sealPrefix || data[len(data)-1] != '\n' {
		return "", fmt.Errorf("it does not end with its digest (cut short at %d bytes?)", len(data))
	}
	if string(KeyOf(data[:cut])) != digestIn(data) {
		return "", errors.New("its digest does not match its content")
	}
	return string(data[:cut]), nil
}

// digestIn returns the digest that a file ends with.
func digestIn(data []byte) string {
	return string(data[len(data)-sealLength+len(sealPrefix) : len(data)-1])
}
