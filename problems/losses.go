package problems

import (
	"math"
	"math/rand/v2"

	"ocobench/convex"
	"ocobench/convex/vec"
)

// Losses are the parameters of i.i.d. losses that decrease, on average, in one
// direction: that of a unit vector d, the drift; see [lossesDefinition].
type Losses struct {
	LossNoise float64 `name:"loss-noise" doc:"size of the noise of the losses, whose mean has size 1" min:"0" max:"1e6"`
	Curvature float64 `name:"curvature" doc:"0: losses are linear; else σ of the losses ½σ‖x−θ_t‖²" min:"0" max:"1e6"`
}

// lossesDefinition states the losses of [Losses].
var lossesDefinition = []string{
	"$f_t(x) = −(d + ε·v_t)·x$ for $σ = 0$, else $f_t(x) = ½σ‖x − θ_t‖²$ with $θ_t = z + R(d + " +
		"ε·v_t)$,",
	"where $σ = curvature$, $ε = loss-noise$ and $v_t$ is uniform on $[−1, 1]^n/√n$, independent.",
}

// losses draws the functions of [Losses].
type losses struct {
	drift     []float64 // d
	noise     float64   // ε/√n
	curvature float64   // σ
	center    []float64 // z
	radius    float64   // R

	slope, target []float64 // −(d + ε·v_t) and θ_t of the round
	linear        convex.Affine
	squared       convex.HalfSquaredDistance
}

// newLosses returns the losses with this drift on a domain of this radius.
func newLosses(p Losses, s space, radius float64, drift []float64) *losses {
	return &losses{
		drift:     drift,
		noise:     p.LossNoise / math.Sqrt(float64(s.n)),
		curvature: p.Curvature,
		center:    s.center,
		radius:    radius,
		slope:     make([]float64, s.n),
		target:    make([]float64, s.n),
	}
}

// declare sets the facts about these losses.
func (p Losses) declare(f *convex.Facts, s space, radius float64) {
	f.LossLipschitz = 1 + p.LossNoise
	if p.Curvature > 0 {
		f.LossLipschitz = p.Curvature * (s.reach + float64(radius*(1+p.LossNoise)))
	}
	f.LossRange = f.LossLipschitz * s.set.Diameter()
	f.Curvature = p.Curvature
}

// draw returns the loss of the next round. It is valid until the next draw.
func (l *losses) draw(rng *rand.Rand) convex.Func {
	a, noise := l.slope[:len(l.drift)], l.noise
	for i, d := range l.drift {
		a[i] = -(d + float64(noise*centredUniform(rng)))
	}
	if l.curvature == 0 {
		l.linear = convex.Affine{A: a}
		return &l.linear
	}
	vec.AxpyTo(l.target, -l.radius, a, l.center)
	l.squared = convex.HalfSquaredDistance{Weight: l.curvature, Center: l.target}
	return &l.squared
}
