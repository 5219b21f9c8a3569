package attack

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/optimize"
)

// evolve maximises a score by CMA-ES from a starting point, a generation at a time, so
// that a generation can be computed on many workers. It ends after so many evaluations,
// or when the best score has not risen for a while, or when the distribution has
// collapsed. A score of −Inf is that of a point that cannot be played.
func evolve(ctx context.Context, start []float64, step float64, evaluations int, src rand.Source, scores func([][]float64) ([]float64, error)) error {
	n := len(start)
	population := 4 + int(3*math.Log(float64(n)))
	method := &optimize.CmaEsChol{InitStepSize: step, Population: population, Src: src}
	method.Init(n, population)
	tasks := make([]optimize.Task, population)
	for i := range tasks {
		tasks[i] = optimize.Task{ID: i, Location: &optimize.Location{X: slices.Clone(start)}}
	}
	operations, results := make(chan optimize.Task), make(chan optimize.Task)
	go method.Run(operations, results, tasks)
	defer func() { // the method ends when it is told to, and closes operations
		results <- optimize.Task{Op: optimize.PostIteration}
		close(results)
		for range operations {
		}
	}()
	best, stale := math.Inf(-1), 0
	for patience := 10 + 30*n/population; evaluations > 0 && stale < patience; evaluations -= population {
		generation := make([]optimize.Task, 0, population)
		var points [][]float64
		for len(generation) < population {
			task := <-operations
			generation = append(generation, task)
			points = append(points, slices.Clone(task.X))
		}
		values, err := scores(points)
		if err != nil {
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		stale++
		for _, v := range values {
			if v > best {
				best, stale = v, 0
			}
		}
		for i, task := range generation {
			task.F = -values[i]
			results <- task
		}
		if task := <-operations; task.Op == optimize.MethodDone {
			return nil
		} else if evaluations > population && stale < patience {
			results <- task
		}
	}
	return nil
}

// climb maximises a score from a point by steps along coordinates: of all 2n moves by ±step
// it takes the best, and halves the step where none is better. It ends after so many
// evaluations, or once the step is below least.
func climb(ctx context.Context, start []float64, value, step, least float64, evaluations int, scores func([][]float64) ([]float64, error)) error {
	at := slices.Clone(start)
	for ; step >= least && evaluations > 0; evaluations -= 2 * len(at) {
		var points [][]float64
		for i := range at {
			for _, by := range []float64{step, -step} {
				p := slices.Clone(at)
				p[i] += by
				points = append(points, p)
			}
		}
		values, err := scores(points)
		if err != nil {
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		// All moves that help are made together where that is better than the best of them.
		best := -1
		joint := slices.Clone(at)
		for k, v := range values {
			if v > value && (best < 0 || v > values[best]) {
				best = k
			}
		}
		if best < 0 {
			step /= 2
			continue
		}
		for i := range at {
			up, down := values[2*i], values[2*i+1]
			switch {
			case up > value && up >= down:
				joint[i] += step
			case down > value:
				joint[i] -= step
			}
		}
		both, err := scores([][]float64{joint})
		if err != nil {
			return err
		}
		evaluations--
		if both[0] > values[best] {
			at, value = joint, both[0]
		} else {
			at, value = points[best], values[best]
		}
	}
	return nil
}
