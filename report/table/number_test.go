package table_test

import (
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"ocobench/report/table"
)

// plain returns a number without uncertainty.
func plain(v float64) table.Text { return table.Number(v, math.NaN()) }

func TestNumbersKeepThreeDigitsAndTheirSign(t *testing.T) {
	for _, c := range []struct {
		name                      string
		text                      table.Text
		plain, tex, number, small string
	}{
		{"whole", plain(19), "19.0", "$19.0$", "19.0", ""},
		{"small", plain(0.0066), "0.00660", "$0.00660$", "0.00660", ""},
		{"negative", plain(-12.5), "-12.5", "$-12.5$", "-12.5", ""},
		{"thousands", plain(123456.7), "123457", "$123457$", "123457", ""},
		{"zero", plain(math.Copysign(0, -1)), "0", "$0$", "0", ""},
		{"tiny", plain(-1.9e-7), "-1.90·10⁻⁷", `$-1.90\cdot 10^{-7}$`, "", ""},
		{"other tiny", plain(2e-7), "2.00·10⁻⁷", `$2.00\cdot 10^{-7}$`, "", ""},
		{"large", plain(1.9e13), "1.90·10¹³", `$1.90\cdot 10^{13}$`, "", ""},
		{"rounded up to a million", plain(999_999.9), "1.00·10⁶", `$1.00\cdot 10^{6}$`, "", ""},
		{"none", plain(math.NaN()), "–", `$\mbox{--}$`, "", ""},
		{"infinite", plain(math.Inf(-1)), "-∞", `$-\infty$`, "", ""},
		{"with uncertainty", table.Number(10.52, 6.71), "10.5 ± 6.7", "$10.5$", "10.5", `$\pm 6.7$`},
		{"with a fine uncertainty", table.Number(0.0523, 0.000391), "0.05230 ± 0.00039", "$0.05230$",
			"0.05230", `$\pm 0.00039$`},
		{"with a coarse uncertainty", table.Number(-0.31, 42), "-0.310 ± 42", "$-0.310$", "-0.310",
			`$\pm 42$`},
		{"without spread", table.Number(3, 0), "3.00 ± 0", "$3.00$", "3.00", `$\pm 0$`},
		{"large with uncertainty", table.Number(1.9e13, 5.1e11), "1.900·10¹³ ± 5.1·10¹¹",
			`$1.900\cdot 10^{13}$`, "", `$\pm 5.1\cdot 10^{11}$`},
		{"interval", table.Interval(3.21, 3.16, 3.27), "3.210 [3.160, 3.270]", "$3.210$", "3.210",
			`$[3.160,\,3.270]$`},
		{"interval around zero", table.Interval(0.04, -0.0001, 9), "0.0400 [-0.0001, 9.0]", "$0.0400$",
			"0.0400", `$[-0.0001,\,9.0]$`},
		{"open interval", table.Interval(1, math.Inf(-1), math.Inf(1)), "1.00 [-∞, ∞]", "$1.00$",
			"1.00", `$[-\infty,\,\infty]$`},
		{"exponent", table.Exponent(0.523, 0.491, 0.554), "0.52 [0.49, 0.55]", "$0.52$", "0.52",
			`$[0.49,\,0.55]$`},
		{"exponent just below 0", table.Exponent(-0.001, math.NaN(), math.NaN()), "-0.00", "$-0.00$",
			"-0.00", ""},
		{"p-value", table.PValue(0.0301), "0.030", "$0.030$", "0.030", ""},
		{"small p-value", table.PValue(1e-7), "< 0.001", "$<0.001$", "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := c.text
			if small := strings.Join(got.Small, "|"); got.Plain != c.plain || got.TeX != c.tex ||
				got.Number != c.number || small != c.small {
				t.Errorf("got %q, %q, %q and %q, want %q, %q, %q and %q", got.Plain, got.TeX,
					got.Number, small, c.plain, c.tex, c.number, c.small)
			}
		})
	}
}

// Equal texts are of numbers that are equal to three digits, and a text is a number within half a
// unit of its last digit.
func TestTextsOfNumbersReadBack(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 100_000 {
		v := (2*rng.Float64() - 1) * math.Pow(10, 40*rng.Float64()-20)
		text := plain(v).Plain
		back := readBack(t, text)
		if math.Abs(back-v) > 0.00501*math.Abs(v) || math.Signbit(back) != math.Signbit(v) {
			t.Fatalf("%v: got %s, want three digits, and a power of ten only far from 1", v, text)
		}
		if size := math.Abs(v); strings.Contains(text, "·10") != (size < 0.9995e-4 || size >= 1e6) {
			t.Fatalf("%v: got %s, want three digits, and a power of ten only far from 1", v, text)
		}
	}
}

// readBack reads a number such as -1.90·10⁻⁷.
func readBack(t *testing.T, text string) float64 {
	t.Helper()
	for k, r := range []rune("⁰¹²³⁴⁵⁶⁷⁸⁹") {
		text = strings.ReplaceAll(text, string(r), strconv.Itoa(k))
	}
	text = strings.NewReplacer("·10", "e", "⁻", "-").Replace(text)
	v, err := strconv.ParseFloat(text, 64)
	if err != nil {
		t.Fatal(err)
	}
	return v
}
