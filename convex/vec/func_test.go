package vec

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// elementary is what the tests know of one function. Those of one argument
// ignore y.
type elementary struct {
	name   string
	f      func(x, y float64) float64
	std    func(x, y float64) float64
	ref    func(x, y float64) *big.Float
	sample func(r *rand.Rand) (x, y float64)
	// The promised error in ulps, over all results and over those that are
	// not subnormal.
	all, normal float64
}

var elementaries = []elementary{
	{"Exp", unary(Exp), unary(math.Exp), bigUnary(bigExp), sampleExp, 0.77, 0.53},
	{"Log", unary(Log), unary(math.Log), bigUnary(bigLog), sampleLog, 0.51, 0.51},
	{"Pow", Pow, math.Pow, bigPow, samplePow, 0.8, 0.58},
	{"Sin", unary(Sin), unary(math.Sin), bigUnary(bigSin), sampleAngle, 0.9, 0.9},
	{"Cos", unary(Cos), unary(math.Cos), bigUnary(bigCos), sampleAngle, 0.9, 0.9},
}

func unary(f func(float64) float64) func(x, y float64) float64 {
	return func(x, _ float64) float64 { return f(x) }
}

func bigUnary(f func(*big.Float) *big.Float) func(x, y float64) *big.Float {
	return func(x, _ float64) *big.Float { return f(exact(x)) }
}

func bigPow(x, y float64) *big.Float {
	p := bigExp(newBig().Mul(exact(y), bigLog(exact(math.Abs(x)))))
	if x < 0 && isOddInteger(y) {
		p.Neg(p)
	}
	return p
}

// The samples are part of the golden values, so they too are drawn with every
// product rounded.

// uniform returns a number of [-a, a).
func uniform(r *rand.Rand, a float64) float64 {
	return float64(r.Float64()*2*a) - a
}

// anyFinite returns a positive finite number, subnormal or not, of any
// magnitude.
func anyFinite(r *rand.Rand) float64 {
	return math.Float64frombits(1 + r.Uint64N(math.Float64bits(math.MaxFloat64)))
}

// nearOne returns a number that is not one but may be as near as the next.
func nearOne(r *rand.Rand) float64 {
	bits := math.Float64bits(1)
	away := 1 + r.Uint64N(1<<r.IntN(52))
	if r.IntN(2) == 0 {
		return math.Float64frombits(bits - away)
	}
	return math.Float64frombits(bits + away)
}

func sampleExp(r *rand.Rand) (x, y float64) {
	switch r.IntN(4) {
	case 0:
		return uniform(r, 746), 0
	case 1:
		return math.Copysign(anyFinite(r), uniform(r, 1)), 0
	case 2:
		return math.Ldexp(uniform(r, 1), -r.IntN(60)), 0
	}
	return uniform(r, 20), 0
}

func sampleLog(r *rand.Rand) (x, y float64) {
	switch r.IntN(4) {
	case 0:
		return anyFinite(r), 0
	case 1:
		return math.Float64frombits(1 + r.Uint64N(1<<52)), 0
	case 2:
		return nearOne(r), 0
	}
	return 1 + uniform(r, 0.9), 0
}

func samplePow(r *rand.Rand) (x, y float64) {
	switch r.IntN(5) {
	case 0: // results of every magnitude
		x = anyFinite(r)
		return x, uniform(r, 746) / Log(x)
	case 1: // large exponents
		x = nearOne(r)
		return x, uniform(r, 746) / Log(x)
	case 2: // negative bases
		return uniform(r, 1000), float64(r.IntN(60) - 30)
	case 3: // subnormal results
		x = anyFinite(r)
		return x, (uniform(r, 20) - 727) / Log(x)
	}
	return float64(r.Float64() * 100), uniform(r, 3)
}

func sampleAngle(r *rand.Rand) (x, y float64) {
	switch r.IntN(5) {
	case 0:
		return uniform(r, 10), 0
	case 1:
		return uniform(r, 1e6), 0
	case 2:
		return math.Copysign(anyFinite(r), uniform(r, 1)), 0
	case 3: // as near a multiple of π/2 as float64 comes
		return float64(r.IntN(1<<r.IntN(40))) * (math.Pi / 2), 0
	}
	return math.Ldexp(uniform(r, 1), -r.IntN(60)), 0
}

func TestFunctionsAreWithinTheirErrors(t *testing.T) {
	n := 20000
	if testing.Short() {
		n = 2000
	}
	for _, e := range elementaries {
		t.Run(e.name, func(t *testing.T) {
			t.Parallel()
			r := rand.New(rand.NewPCG(1, 2))
			var worst, worstNormal float64
			for range n {
				x, y := e.sample(r)
				got := e.f(x, y)
				if math.IsNaN(got) {
					t.Fatalf("%s(%v, %v) = NaN, want a number", e.name, x, y)
				}
				err := ulps(got, e.ref(x, y))
				worst = max(worst, err)
				if math.Abs(got) >= minNormal {
					worstNormal = max(worstNormal, err)
				}
				if err > e.all || math.Abs(got) >= minNormal && err > e.normal {
					t.Fatalf("%s(%v, %v) = %v, off by %.4f ulp, want at most %v, %v where normal", e.name, x, y,
						got, err, e.all, e.normal)
				}
			}
			t.Logf("worst error %.4f ulp, %.4f where normal", worst, worstNormal)
		})
	}
}

// TestAnglesNearMultiplesOfHalfPiAreAccurate tries the arguments next to multiples of π/2, among
// them the double closest to one (Kahan; Muller, Elementary Functions, section 11.1).
func TestAnglesNearMultiplesOfHalfPiAreAccurate(t *testing.T) {
	angles := []float64{
		math.Ldexp(6381956970095103, 797),
		math.MaxFloat64, 0x1p1023, math.Pi / 4, math.Nextafter(math.Pi/4, 1),
		math.Pi / 2, math.Pi, 2 * math.Pi, 22, 355, 5319372648326541, 0x1p120,
	}
	for _, x := range angles {
		for _, e := range elementaries[3:] {
			if err := ulps(e.f(x, 0), e.ref(x, 0)); err > e.all {
				t.Errorf("%s(%v) = %v, off by %.4f ulp, want at most %v", e.name, x, e.f(x, 0), err, e.all)
			}
		}
	}
}

// TestExactPowersHaveNoError tries powers that are float64 numbers.
func TestExactPowersHaveNoError(t *testing.T) {
	for x := 2.0; x <= 40; x++ {
		want := 1.0
		for y := 0.0; want < 1<<53; y++ {
			if got := Pow(x, y); got != want {
				t.Errorf("Pow(%v, %v) = %v, want %v", x, y, got, want)
			}
			want *= x
		}
	}
	for k := -1074; k < 1024; k++ {
		if got, want := Pow(2, float64(k)), math.Ldexp(1, k); got != want {
			t.Errorf("Pow(2, %d) = %v, want %v", k, got, want)
		}
	}
	for x := range 1000 {
		if got := Pow(float64(x*x), 0.5); got != float64(x) {
			t.Errorf("Pow(%d, 0.5) = %v, want %d", x*x, got, x)
		}
	}
}

// TestSpecialCasesAgreeWithMath compares with package math every function at every pair of
// arguments where something special may happen, but for subnormal ones: on amd64
// math.Log(5e-324) is -709.
func TestSpecialCasesAgreeWithMath(t *testing.T) {
	var args []float64
	for _, x := range []float64{
		0, minNormal, 1e-300, 0.25, 0.5,
		math.Nextafter(1, 0), 1, math.Nextafter(1, 2), 1.5, 2, 3, 3.5, 1e10, 1e300,
		709, 709.79, 745.1, 745.14, 1000,
		1<<53 - 1, 1 << 53, 1<<53 + 2, 1 << 62, 1 << 63, 1 << 64,
		math.MaxFloat64, math.Inf(1),
	} {
		args = append(args, x, -x)
	}
	args = append(args, math.NaN())
	for _, e := range elementaries {
		for _, x := range args {
			for _, y := range args {
				if got, want := e.f(x, y), e.std(x, y); !agree(got, want) {
					t.Errorf("%s(%v, %v) = %v, want %v", e.name, x, y, got, want)
				}
			}
		}
	}
}

// agree reports whether got and want are the same special value, with the same
// sign, or finite and much the same: how accurate they are is tested elsewhere,
// and math.Pow loses ten digits where bases are next to one.
func agree(got, want float64) bool {
	if want == 0 || math.IsNaN(want) || math.IsInf(want, 0) {
		return canonical(got) == canonical(want)
	}
	return math.Abs(got-want) <= 1e-5*math.Abs(want)
}

// canonical returns the bits of x, with one pattern for every NaN.
func canonical(x float64) uint64 {
	if math.IsNaN(x) {
		return math.Float64bits(math.NaN())
	}
	return math.Float64bits(x)
}

// TestConstantsAreThoseComputedAgain recomputes every constant that is not its own definition.
func TestConstantsAreThoseComputedAgain(t *testing.T) {
	for j, e := range exp2Table {
		want := bigExp(newBig().Mul(bigLog(exact(2)), exact(float64(j)/32)))
		checkPair(t, fmt.Sprintf("2^(%d/32)", j), e.hi, e.lo, want)
	}
	for i, e := range logTable {
		j := float64(logTableStart + i)
		checkPair(t, fmt.Sprintf("log(%v/32)", j), e.hi, e.lo, bigLog(exact(j/32)))
		checkMultiple(t, e.hi)
	}
	checkPair(t, "log 2", ln2Hi, ln2Lo, bigLog(exact(2)))
	checkPair(t, "log(2)/32", stepHi, stepLo, newBig().Mul(bigLog(exact(2)), exact(1./32)))
	checkMultiple(t, ln2Hi)
	checkMultiple(t, stepHi)

	// ⌊2^1216 · 2/π⌋
	words := new(big.Float).SetPrec(reductionBits).Quo(exact(2), bigPi())
	words.SetMantExp(words, 1216)
	want, _ := words.Int(nil)
	got := new(big.Int)
	for _, w := range twoOverPi {
		got.Lsh(got, 64).Or(got, new(big.Int).SetUint64(w))
	}
	if got.Cmp(want) != 0 {
		t.Error("twoOverPi: got another number, want 2/π")
	}
}

// checkPair checks that hi + lo is as near to want as lo can make it.
func checkPair(t *testing.T, what string, hi, lo float64, want *big.Float) {
	t.Helper()
	rest := newBig().Sub(want, exact(hi))
	if w, _ := rest.Float64(); w != lo {
		t.Errorf("%s: low part %x, want %x", what, lo, w)
	}
}

// checkMultiple checks that x is a multiple of 2⁻⁴².
func checkMultiple(t *testing.T, x float64) {
	t.Helper()
	if y := x * (1 << 42); y != math.Trunc(y) {
		t.Errorf("got %x, want a multiple of 2⁻⁴²", x)
	}
}
