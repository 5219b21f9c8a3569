package analysis

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"

	"ocobench/stats"
)

// Number is a float in JSON, in shortest round-trip form. It is "Infinity" or "-Infinity"
// where the replicates give no bound, and null where there is no number.
type Number float64

// MarshalJSON implements [json.Marshaler].
func (n Number) MarshalJSON() ([]byte, error) {
	v := float64(n)
	switch {
	case math.IsNaN(v):
		return []byte("null"), nil
	case math.IsInf(v, 1):
		return []byte(`"Infinity"`), nil
	case math.IsInf(v, -1):
		return []byte(`"-Infinity"`), nil
	}
	return strconv.AppendFloat(nil, v, 'g', -1, 64), nil
}

// UnmarshalJSON implements [json.Unmarshaler].
func (n *Number) UnmarshalJSON(data []byte) error {
	switch text := string(data); text {
	case "null":
		*n = Number(math.NaN())
	case `"Infinity"`:
		*n = Number(math.Inf(1))
	case `"-Infinity"`:
		*n = Number(math.Inf(-1))
	default:
		var v float64
		if err := json.Unmarshal(data, &v); err != nil {
			return fmt.Errorf("%s is not a number", text)
		}
		*n = Number(v)
	}
	return nil
}

// Defined reports whether there is a number, finite or infinite.
func (n Number) Defined() bool { return !math.IsNaN(float64(n)) }

func numbers(v []float64) []Number {
	out := make([]Number, len(v))
	for i, x := range v {
		out[i] = Number(x)
	}
	return out
}

// Estimate is a number with its interval, whose ends are null where there is
// none.
type Estimate struct {
	Value Number `json:"value"`
	Lower Number `json:"lower"`
	Upper Number `json:"upper"`
}

// EstimateOf takes over an estimate of package stats.
func EstimateOf(e stats.Estimate) Estimate {
	return Estimate{Number(e.Value), Number(e.Lower), Number(e.Upper)}
}
