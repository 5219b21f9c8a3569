package store_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"math"
	"os"

	"ocobench/harness/store"
)

func Example() {
	dir, err := os.MkdirTemp("", "results")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	s, err := store.Open(dir)
	if err != nil {
		log.Fatal(err)
	}

	// What determines the numbers, in a struct: its fields have an order.
	identity, err := json.Marshal(struct {
		Algorithm string `json:"algorithm"`
		Seed      int    `json:"seed"`
	}{"primal-dual", 1})
	if err != nil {
		log.Fatal(err)
	}
	key := store.KeyOf(identity)

	cell, err := s.Get(key)
	if errors.Is(err, store.ErrNotFound) {
		cell = &store.Cell{
			Kind:       store.Game,
			Identity:   identity,
			Provenance: store.Provenance{Version: "v1.0.0", Go: "go1.26.8", GOARCH: "amd64"},
			Columns:    []string{"t", "loss"},
			Rows:       [][]float64{{1, 0.5}, {2, math.NaN()}},
		}
		err = s.Put(key, cell)
	}
	if err != nil {
		log.Fatal(err)
	}

	// A disk loses the end of the file.
	if err := os.Truncate(s.Path(key), 150); err != nil {
		log.Fatal(err)
	}
	var damaged *store.DamagedError
	if _, err := s.Get(key); errors.As(err, &damaged) {
		fmt.Println(damaged.Reason)
	}
	if err := s.Put(key, cell); err != nil {
		log.Fatal(err)
	}
	text, err := os.ReadFile(s.Path(key))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s", text)
	// Output:
	// it does not end with its digest (cut short at 150 bytes?)
	// {"format":"ocobench cell 1","kind":"game","rows":2,"version":"v1.0.0","go":"go1.26.8","goarch":"amd64"}
	// {"algorithm":"primal-dual","seed":1}
	//
	// t	loss
	// 1	0.5
	// 2	NaN
	// sha256 b5af3bcbe6d0c4a0f3b785155fd6dd45727f60066b3e03c817f544011063960a
}
