package analysis

import (
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strings"
)

// The image of a value is what an analysis is kept as: binary, since JSON takes longer to read
// than the analysis may take in all. It has the exported fields that are no functions, in their
// order, and distinguishes nil from empty, so that the JSON of what is read has the same bytes.
// Numbers have their bits. Lists of numbers that are equal, such as the same t of many bands, are
// written once.
//
//	bool, string, integer     1 byte; its length and bytes; a varint
//	number                    8 bytes, little endian
//	pointer                   0, or 1 and what it points to
//	list, map                 0 for nil, or 1 + its length and the elements, maps by key
//	list of numbers           0 for nil, 1 + its length and the numbers, or 2 + its place
//
// The image does not say what it is of. [layout] does.

// imageOf returns the image of a value, or of what a pointer points to.
func imageOf(v any) []byte {
	e := imager{fields: make(map[reflect.Type][]int), lists: make(map[string]uint64)}
	e.write(reflect.Indirect(reflect.ValueOf(v)))
	return e.data
}

// imager writes an image.
type imager struct {
	data   []byte
	fields map[reflect.Type][]int
	lists  map[string]uint64 // of numbers, by their bytes
	list   []byte
}

func (e *imager) size(n int) { e.data = binary.AppendUvarint(e.data, uint64(n)) }

func (e *imager) write(v reflect.Value) {
	switch v.Kind() {
	case reflect.Bool:
		e.data = append(e.data, 0)
		if v.Bool() {
			e.data[len(e.data)-1] = 1
		}
	case reflect.Int, reflect.Int64:
		e.data = binary.AppendVarint(e.data, v.Int())
	case reflect.Uint8, reflect.Uint64:
		e.data = binary.AppendUvarint(e.data, v.Uint())
	case reflect.Float64:
		e.data = binary.LittleEndian.AppendUint64(e.data, math.Float64bits(v.Float()))
	case reflect.String:
		e.size(v.Len())
		e.data = append(e.data, v.String()...)
	case reflect.Pointer:
		if v.IsNil() {
			e.size(0)
			return
		}
		e.size(1)
		e.write(v.Elem())
	case reflect.Slice:
		e.writeList(v)
	case reflect.Map:
		if v.IsNil() {
			e.size(0)
			return
		}
		e.size(1 + v.Len())
		keys := v.MapKeys()
		slices.SortFunc(keys, func(a, b reflect.Value) int {
			return strings.Compare(a.String(), b.String())
		})
		for _, k := range keys {
			e.write(k)
			e.write(v.MapIndex(k))
		}
	case reflect.Array:
		for k := range v.Len() {
			e.write(v.Index(k))
		}
	case reflect.Struct:
		for _, k := range fieldsOf(v.Type(), e.fields) {
			e.write(v.Field(k))
		}
	default:
		panic(fmt.Sprintf("analysis: the image of %s", v.Type()))
	}
}

// writeList writes a list.
func (e *imager) writeList(v reflect.Value) {
	switch {
	case v.IsNil():
		e.size(0)
	case v.Type().Elem().Kind() != reflect.Float64:
		e.size(1 + v.Len())
		for k := range v.Len() {
			e.write(v.Index(k))
		}
	default:
		e.list = e.list[:0]
		for k := range v.Len() {
			e.list = binary.LittleEndian.AppendUint64(e.list, math.Float64bits(v.Index(k).Float()))
		}
		if at, known := e.lists[string(e.list)]; known {
			e.size(2)
			e.size(int(at))
			return
		}
		e.lists[string(e.list)] = uint64(len(e.lists))
		e.size(1)
		e.size(v.Len())
		e.data = append(e.data, e.list...)
	}
}

// fieldsOf returns the exported fields of a struct that are no functions.
func fieldsOf(t reflect.Type, known map[reflect.Type][]int) []int {
	all, ok := known[t]
	if !ok {
		for k := range t.NumField() {
			if f := t.Field(k); f.IsExported() && f.Type.Kind() != reflect.Func {
				all = append(all, k)
			}
		}
		known[t] = all
	}
	return all
}

// readImage sets what v points to to the value of an image of the same layout.
func readImage(data []byte, v any) error {
	d := image{data: data, fields: make(map[reflect.Type][]int)}
	d.read(reflect.ValueOf(v).Elem())
	if d.short || len(d.data) > 0 {
		return errors.New("it is not the image of an analysis")
	}
	return nil
}

// image is what has not been read of an image.
type image struct {
	data   []byte
	short  bool // it ended too soon
	fields map[reflect.Type][]int
	lists  [][]byte
}

// take returns the next n bytes, nil where there are fewer.
func (d *image) take(n uint64) []byte {
	if n > uint64(len(d.data)) {
		d.short, d.data = true, nil
		return nil
	}
	taken := d.data[:n]
	d.data = d.data[n:]
	return taken
}

func (d *image) size() uint64 {
	v, n := binary.Uvarint(d.data)
	if n <= 0 {
		d.short, d.data = true, nil
		return 0
	}
	d.data = d.data[n:]
	return v
}

// length is the length of a list or a map, every element of which has at least a byte.
func (d *image) length() (n int, isNil bool) {
	size := d.size()
	if size > uint64(len(d.data))+1 {
		d.short, d.data = true, nil
		return 0, true
	}
	return int(size) - 1, size == 0
}

func (d *image) read(v reflect.Value) {
	switch v.Kind() {
	case reflect.Bool:
		b := d.take(1)
		v.SetBool(b != nil && b[0] == 1)
	case reflect.Int, reflect.Int64:
		u := d.size() // zig-zag, as a varint
		v.SetInt(int64(u>>1) ^ -int64(u&1))
	case reflect.Uint8, reflect.Uint64:
		v.SetUint(d.size())
	case reflect.Float64:
		if b := d.take(8); b != nil {
			v.SetFloat(math.Float64frombits(binary.LittleEndian.Uint64(b)))
		}
	case reflect.String:
		v.SetString(string(d.take(d.size())))
	case reflect.Pointer:
		if d.size() == 1 {
			v.Set(reflect.New(v.Type().Elem()))
			d.read(v.Elem())
		}
	case reflect.Slice:
		d.readList(v)
	case reflect.Map:
		n, isNil := d.length()
		if isNil {
			return
		}
		v.Set(reflect.MakeMapWithSize(v.Type(), n))
		for range n {
			key := reflect.New(v.Type().Key()).Elem()
			value := reflect.New(v.Type().Elem()).Elem()
			d.read(key)
			d.read(value)
			v.SetMapIndex(key, value)
		}
	case reflect.Array:
		for k := range v.Len() {
			d.read(v.Index(k))
		}
	case reflect.Struct:
		for _, k := range fieldsOf(v.Type(), d.fields) {
			d.read(v.Field(k))
		}
	}
}

// readList reads a list.
func (d *image) readList(v reflect.Value) {
	if v.Type().Elem().Kind() != reflect.Float64 {
		n, isNil := d.length()
		if isNil {
			return
		}
		v.Set(reflect.MakeSlice(v.Type(), n, n))
		for k := range n {
			d.read(v.Index(k))
		}
		return
	}
	var list []byte
	switch d.size() {
	case 0:
		return
	case 1:
		list = d.take(min(d.size(), 1<<40) * 8)
		d.lists = append(d.lists, list)
	default:
		at := d.size()
		if at >= uint64(len(d.lists)) {
			d.short, d.data = true, nil
			return
		}
		list = d.lists[at]
	}
	n := len(list) / 8
	v.Set(reflect.MakeSlice(v.Type(), n, n))
	for k := range n {
		v.Index(k).SetFloat(math.Float64frombits(binary.LittleEndian.Uint64(list[8*k:])))
	}
}

// layout says of which types an image is: names and types of all fields.
func layout(t reflect.Type) string {
	known := make(map[reflect.Type]string)
	var describe func(t reflect.Type) string
	describe = func(t reflect.Type) string {
		switch t.Kind() {
		case reflect.Pointer, reflect.Slice, reflect.Array:
			return t.Kind().String() + " " + describe(t.Elem())
		case reflect.Map:
			return "map " + describe(t.Key()) + " " + describe(t.Elem())
		case reflect.Struct:
		default:
			return t.Kind().String()
		}
		if _, ok := known[t]; !ok {
			known[t] = "" // it may have a pointer to itself
			text := ""
			for _, k := range fieldsOf(t, make(map[reflect.Type][]int)) {
				text += t.Field(k).Name + " " + describe(t.Field(k).Type) + "; "
			}
			known[t] = text
		}
		return t.String()
	}
	text := describe(t)
	for _, t := range slices.SortedFunc(maps.Keys(known), func(a, b reflect.Type) int {
		return strings.Compare(a.String(), b.String())
	}) {
		text += "\n" + t.String() + ": " + known[t]
	}
	return text
}
