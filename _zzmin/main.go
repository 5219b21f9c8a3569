package main

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"time"
	"runtime/pprof"

	"ocobench/algorithms"
	"ocobench/harness"
	"ocobench/harness/spec"
	"ocobench/harness/store"
	"ocobench/problems"
)

func main() {
	T, _ := strconv.Atoi(os.Args[3])
	n, _ := strconv.Atoi(os.Args[4])
	use := func(s string) []spec.Use {
		u, err := spec.ParseSpec(s)
		if err != nil {
			panic(err)
		}
		return []spec.Use{u}
	}
	e := &spec.Experiment{Name: "bench", Horizon: []int{T}, Replicates: 1, Seed: 1}
	e.Algorithms, e.Problems = use(os.Args[1]), use(os.Args[2])
	plan, err := harness.NewPlan(harness.Catalog{Algorithms: algorithms.All, Problems: problems.All}, e)
	if err != nil {
		panic(err)
	}
	if f := os.Getenv("PROF"); f != "" {
		w, _ := os.Create(f)
		pprof.StartCPUProfile(w)
		defer pprof.StopCPUProfile()
	}
	for _, c := range plan.Cells {
		if c.Kind != store.Game {
			continue
		}
		best := time.Hour
		for range n {
			t := time.Now()
			cell, err := c.Compute(context.Background())
			if err != nil {
				panic(err)
			}
			best = min(best, time.Since(t))
			_ = cell
		}
		fmt.Printf("%.1f ", float64(best.Nanoseconds())/float64(T))
	}
}
