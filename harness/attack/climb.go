package attack

import (
	"context"
	"slices"

	"gonum.org/v1/gonum/floats"
)

// climbCoordinates maximises a score by steps along coordinates, from a point with the given value.
// It scores all 2n moves by ±step at once, takes the best move, or all that help together if that
// is better, and halves the step where none helps. It ends after so many evaluations, or once the
// step is below leastStep. It returns no point: scores sees every point, and keeps the best. (The
// local methods of gonum score one point at a time; here every worker has one.)
func climbCoordinates(ctx context.Context, start []float64, value, step, leastStep float64,
	evaluations int, scores func([][]float64) ([]float64, error)) error {
	at := slices.Clone(start)
	for ; step >= leastStep && evaluations > 0; evaluations -= 2 * len(at) {
		var points [][]float64
		for i := range at {
			for _, move := range []float64{step, -step} {
				p := slices.Clone(at)
				p[i] += move
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
		best, joint := floats.MaxIdx(values), slices.Clone(at)
		if !(values[best] > value) {
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
		jointScore, err := scores([][]float64{joint})
		if err != nil {
			return err
		}
		evaluations--
		if jointScore[0] > values[best] {
			at, value = joint, jointScore[0]
		} else {
			at, value = points[best], values[best]
		}
	}
	return nil
}
