package run

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"math"

	"ocobench/algorithms"
	"ocobench/harness/experiment"
	"ocobench/harness/experiment/spec"
	"ocobench/harness/run/process"
)

// request names a task of a cell in JSON: what a host asks of a worker.
type request struct {
	Task                 task       `json:"task"`
	Kind                 string     `json:"kind"`
	Algorithm            *entrySpec `json:"algorithm,omitempty"`
	AlgorithmFingerprint string     `json:"code,omitempty"`
	Problem              *entrySpec `json:"problem"`
	ProblemFingerprint   string     `json:"fingerprint,omitempty"`
	Seed                 uint64     `json:"seed"`
	Replicate            int        `json:"replicate"`
	Horizon              int        `json:"horizon"`
	// Also lists other horizons, whose rows the cell has, too.
	Also []int `json:"also,omitempty"`
	// Requested lists the metrics on request that a trace must have.
	Requested []algorithms.Metric `json:"asked,omitempty"`
}

// entrySpec names an algorithm or a problem.
type entrySpec struct {
	Spec string `json:"spec"`
	// Params has all parameters as the host resolved them; those of the worker must be equal.
	Params string `json:"params"`
}

// requestOf returns what a worker is asked for.
func requestOf(c *experiment.Cell, t task) request {
	r := request{
		Task: t, Kind: c.Kind, Problem: &entrySpec{c.Problem.PlayedAs(), c.Problem.Resolved()},
		ProblemFingerprint: c.Fingerprint,
		Seed:               c.Seed, Replicate: c.Replicate, Horizon: c.Horizon, Also: c.Also,
		Requested: c.Requested,
	}
	if c.Algorithm != nil {
		r.Algorithm = &entrySpec{c.Algorithm.PlayedAs(), c.Algorithm.Resolved()}
		r.AlgorithmFingerprint = c.Algorithm.Fingerprint
	}
	return r
}

// exactRows keeps the bits of its numbers in JSON, whose own numbers are never NaN or infinite.
type exactRows [][]float64

// MarshalJSON implements [json.Marshaler].
func (n exactRows) MarshalJSON() ([]byte, error) {
	rows := make([][]byte, len(n))
	for i, row := range n {
		for _, v := range row {
			rows[i] = binary.LittleEndian.AppendUint64(rows[i], math.Float64bits(v))
		}
	}
	return json.Marshal(rows)
}

// UnmarshalJSON implements [json.Unmarshaler].
func (n *exactRows) UnmarshalJSON(data []byte) error {
	var rows [][]byte
	if err := json.Unmarshal(data, &rows); err != nil {
		return err
	}
	*n = make(exactRows, len(rows))
	for i, row := range rows {
		for ; len(row) >= 8; row = row[8:] { // MarshalJSON writes 8 bytes for each number
			(*n)[i] = append((*n)[i], math.Float64frombits(binary.LittleEndian.Uint64(row)))
		}
	}
	return nil
}

// Serve answers, as a worker, the requests that a host of another process writes to in, until in
// ends. It resolves algorithms and problems by the catalog, which must be that of the host.
func Serve(c experiment.Catalog, in io.Reader, out io.Writer) error {
	s := &server{c, make(map[entrySpec]*experiment.Problem), make(map[entrySpec]*experiment.Algorithm),
		make(map[*experiment.Problem]string)}
	return process.Serve(in, out, func(r request) (process.Job[taskResult], error) {
		cell, err := s.resolveCell(r)
		return jobOf(cell, r.Task), err
	})
}

// server keeps what requests have named so far.
type server struct {
	catalog    experiment.Catalog
	problems   map[entrySpec]*experiment.Problem
	algorithms map[entrySpec]*experiment.Algorithm
	// fingerprints holds the fingerprints of the problems that have read their files.
	fingerprints map[*experiment.Problem]string
}

// resolveCell returns the cell of a request, without its identity. It is an error if a file has
// changed since the run began.
func (s *server) resolveCell(r request) (c *experiment.Cell, err error) {
	c = &experiment.Cell{Kind: r.Kind, Seed: r.Seed, Replicate: r.Replicate, Horizon: r.Horizon,
		Also:      r.Also,
		Requested: r.Requested}
	if c.Problem, err = resolveOnce(s.problems, *r.Problem, s.catalog.ResolveProblems,
		(*experiment.Problem).Resolved); err != nil {
		return nil, err
	}
	// Resolving shortens the SPEC: messages would leave out a swept parameter at its default.
	c.Problem.Spec = r.Problem.Spec
	fingerprint, known := s.fingerprints[c.Problem]
	if !known {
		if fingerprint, err = c.Problem.LoadReloadable(); err != nil {
			return nil, err
		}
		s.fingerprints[c.Problem] = fingerprint
	}
	if fingerprint != r.ProblemFingerprint {
		return nil, fmt.Errorf("problem %s: its file has changed since the run began", c.Problem.Spec)
	}
	if r.Algorithm != nil {
		if c.Algorithm, err = resolveOnce(s.algorithms, *r.Algorithm, s.catalog.ResolveAlgorithms,
			(*experiment.Algorithm).Resolved); err != nil {
			return nil, err
		}
		if c.Algorithm.Fingerprint != r.AlgorithmFingerprint {
			return nil, fmt.Errorf("algorithm %s: its files have changed since the run began",
				r.Algorithm.Spec)
		}
		c.Algorithm.Spec = r.Algorithm.Spec
	}
	return c, nil
}

// resolveOnce returns the algorithm or the problem that an entrySpec names, and keeps it for the
// next requests. It is an error if the SPEC does not give the parameters of the host.
func resolveOnce[T any](known map[entrySpec]*T, p entrySpec, resolve func(spec.Use) ([]T, error),
	resolved func(*T) string) (*T, error) {
	if v := known[p]; v != nil {
		return v, nil
	}
	u, err := spec.ParseSpec(p.Spec)
	if err != nil {
		return nil, err
	}
	all, err := resolve(u)
	switch {
	case err != nil:
		return nil, err
	case len(all) != 1 || resolved(&all[0]) != p.Params:
		return nil, fmt.Errorf("%s does not say all parameters, which are %s: it cannot be computed in "+
			"a process of its own", p.Spec, p.Params)
	}
	known[p] = &all[0]
	return known[p], nil
}
