package claims

import "math"

// sqrt returns √t.
func sqrt(t int) float64 { return math.Sqrt(float64(t)) }

// root4 returns t^(1/4).
func root4(t int) float64 { return math.Sqrt(sqrt(t)) }
