package stats

import (
	"math"
	"math/rand/v2"
)

// A planted model draws replicates of a curve whose mean is known. The mean
// need not be a power law: what an interval is to cover is the slope of the
// line through the log of the true mean.
type planted struct {
	name  string
	mean  func(t float64) float64
	paths func(rng *rand.Rand, t, y []float64)
	// heavy: a few rare replicates carry the mean, and no interval made from
	// a small sample can know of those it has not seen.
	heavy bool
}

var models = []planted{
	{
		name: "t^¾ × lognormal level and noise",
		mean: func(t float64) float64 { return math.Pow(t, 0.75) * math.Exp(0.18) },
		paths: func(rng *rand.Rand, t, y []float64) {
			level := math.Exp(0.5 * rng.NormFloat64())
			for k := range t {
				y[k] = math.Pow(t[k], 0.75) * level * math.Exp(math.Sqrt(0.11)*rng.NormFloat64())
			}
		},
	},
	{
		name: "√t × geometric walk in log t",
		mean: func(t float64) float64 { return math.Pow(t, 0.52) },
		paths: func(rng *rand.Rand, t, y []float64) {
			walk(rng, logs(t), y)
			for k := range t {
				y[k] = math.Sqrt(t[k]) * math.Exp(0.2*y[k])
			}
		},
	},
	ofWalk("3√t + walk", func(t float64) float64 { return 3 * math.Sqrt(t) }, nil),
	ofWalk("t^¾ + walk", powerOf(0.75), nil),
	ofWalk("|walk|", func(t float64) float64 { return math.Sqrt(2 / math.Pi * t) }, math.Abs),
	{
		name: "running maximum of a walk",
		mean: func(t float64) float64 { return math.Sqrt(2 / math.Pi * t) },
		paths: func(rng *rand.Rand, t, y []float64) {
			walk(rng, t, y)
			before, at, top := 0.0, 0.0, 0.0
			for k := range t {
				rise, span := y[k]-before, t[k]-at
				before, at = y[k], t[k]
				// The maximum of a Brownian bridge with this rise, by inversion.
				bridge := (rise + math.Sqrt(rise*rise-2*span*math.Log(1-rng.Float64()))) / 2
				top = max(top, y[k]-rise+bridge)
				y[k] = top
			}
		},
	},
	{
		name: "bounded: level + stationary noise",
		mean: func(t float64) float64 { return 5 },
		paths: func(rng *rand.Rand, t, y []float64) {
			level, x := 4*rng.ExpFloat64(), rng.NormFloat64()
			for k := range t {
				if k > 0 {
					keep := t[k-1] / t[k]
					x = keep*x + math.Sqrt(1-keep*keep)*rng.NormFloat64()
				}
				y[k] = level + math.Exp(x-0.5)
			}
		},
	},
	ofWalk("walk²", powerOf(1), func(w float64) float64 { return w * w }),
	{
		name:  "t^p, p normal(½, 0.1²)",
		heavy: true,
		mean: func(t float64) float64 {
			return math.Sqrt(t) * math.Exp(0.005*math.Log(t)*math.Log(t))
		},
		paths: func(rng *rand.Rand, t, y []float64) {
			p := 0.5 + 0.1*rng.NormFloat64()
			for k := range t {
				y[k] = math.Pow(t[k], p)
			}
		},
	},
	{
		name:  "√t, one in five t/10",
		heavy: true,
		mean:  func(t float64) float64 { return 0.8*math.Sqrt(t) + 0.02*t },
		paths: sometimesLinear(0.2),
	},
}

// further models are calibrated too. The mean of the first is often not positive in
// few replicates.
var further = []planted{
	ofWalk("√t/2 + walk", func(t float64) float64 { return math.Sqrt(t) / 2 }, nil),
	{
		name:  "√t, one in twenty t/10",
		heavy: true,
		mean:  func(t float64) float64 { return 0.95*math.Sqrt(t) + 0.005*t },
		paths: sometimesLinear(0.05),
	},
	{
		name:  "t: sum of Pareto 1.5",
		heavy: true,
		mean:  func(t float64) float64 { return t },
		paths: paretoSum,
	},
}

// ofWalk returns the model whose paths are a function of a walk, which has this mean; without a
// function, the mean plus the walk.
func ofWalk(name string, mean func(t float64) float64, f func(w float64) float64) planted {
	return planted{name: name, mean: mean, paths: func(rng *rand.Rand, t, y []float64) {
		walk(rng, t, y)
		for k := range t {
			if f != nil {
				y[k] = f(y[k])
			} else {
				y[k] += mean(t[k])
			}
		}
	}}
}

// sometimesLinear returns paths √t of which this share is t/10.
func sometimesLinear(share float64) func(rng *rand.Rand, t, y []float64) {
	return func(rng *rand.Rand, t, y []float64) {
		linear := rng.Float64() < share
		for k := range t {
			y[k] = math.Sqrt(t[k])
			if linear {
				y[k] = t[k] / 10
			}
			y[k] *= math.Exp(0.2*rng.NormFloat64() - 0.02)
		}
	}
}

// draw returns a curve of the model.
func (m planted) draw(rng *rand.Rand, t []float64, replicates int) Curve {
	y := make([][]float64, replicates)
	for r := range y {
		y[r] = make([]float64, len(t))
		m.paths(rng, t, y[r])
	}
	return Curve{t, y}
}

// slope returns the exponent to be found at these checkpoints, by sums that
// owe nothing to the package.
func (m planted) slope(t []float64) float64 {
	var n, sx, sy, sxx, sxy float64
	for _, t := range t {
		x, y := math.Log(t), math.Log(m.mean(t))
		n, sx, sy, sxx, sxy = n+1, sx+x, sy+y, sxx+x*x, sxy+x*y
	}
	return (n*sxy - sx*sy) / (n*sxx - sx*sx)
}

// times returns the model of a mean times a noise of mean one.
func times(name string, mean func(t float64) float64,
	noise func(rng *rand.Rand, t, y []float64)) planted {
	return planted{name: name, mean: mean, paths: factor(mean, noise)}
}

// factor returns the paths of a mean times a noise of mean one.
func factor(mean func(t float64) float64,
	noise func(rng *rand.Rand, t, y []float64)) func(rng *rand.Rand, t, y []float64) {
	return func(rng *rand.Rand, t, y []float64) {
		noise(rng, t, y)
		for k := range t {
			y[k] *= mean(t[k])
		}
	}
}

// lognormal writes a level, apart at every replicate, and a noise at every
// checkpoint.
func lognormal(rng *rand.Rand, t, y []float64) {
	level := math.Exp(0.5*rng.NormFloat64() - 0.125)
	for k := range t {
		y[k] = level * math.Exp(0.33*rng.NormFloat64()-0.05445)
	}
}

// geometric writes a geometric walk in log t from t = 1 on.
func geometric(rng *rand.Rand, t, y []float64, size float64) {
	x := logs(t)
	walk(rng, x, y)
	for k := range t {
		y[k] = math.Exp(size*y[k] - size*size*x[k]/2)
	}
}

// walk writes a Brownian path at the times t.
func walk(rng *rand.Rand, t, w []float64) {
	at, now := 0.0, 0.0
	for k := range t {
		now += math.Sqrt(t[k]-at) * rng.NormFloat64()
		at, w[k] = t[k], now
	}
}

func logs(t []float64) []float64 {
	x := make([]float64, len(t))
	for k := range t {
		x[k] = math.Log(t[k])
	}
	return x
}

// checkpoints returns 16 a decade, rounded to integers.
func checkpoints(from, to float64) []float64 {
	var t []float64
	for k := 0; ; k++ {
		v := math.Round(from * math.Pow(10, float64(k)/16))
		if v > to {
			return t
		}
		if len(t) == 0 || v > t[len(t)-1] {
			t = append(t, v)
		}
	}
}

// power returns replicates that are all scale·t^p.
func power(t []float64, scale, p float64, replicates int) Curve {
	y := make([][]float64, replicates)
	for r := range y {
		y[r] = make([]float64, len(t))
		for k := range t {
			y[r][k] = scale * math.Pow(t[k], p)
		}
	}
	return Curve{t, y}
}

// reflected writes the running maximum of a random walk with the drift −0.05 that
// is reflected at 0. Its mean is near √t at first, and 10·log t in the limit.
func reflected(rng *rand.Rand, t, y []float64) {
	at, top := 0.0, 0.0
	k := 0
	for s := 1.0; k < len(t); s++ {
		at = max(0, at+rng.NormFloat64()-0.05)
		top = max(top, at)
		if s == t[k] {
			y[k] = top
			k++
		}
	}
}

// paretoSum writes the sum of t increments of mean 1 with a tail of index 1.5, so
// that their variance is infinite.
func paretoSum(rng *rand.Rand, t, y []float64) {
	sum := 0.0
	k := 0
	for s := 1.0; k < len(t); s++ {
		sum += pareto(rng, 1.5)
		if s == t[k] {
			y[k] = sum
			k++
		}
	}
}

// pareto draws a number of mean 1 with a tail of this index.
func pareto(rng *rand.Rand, index float64) float64 {
	return (index - 1) / index * math.Pow(1-rng.Float64(), -1/index)
}
