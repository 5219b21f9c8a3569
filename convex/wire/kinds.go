package wire

import "ocobench/convex"

// This file has the functions that a FUNC is a key for, such as {"ridge":{"curve":"exp","a":[…]}}:
// what their members are called, and where their values are. The writer and the reader follow it.

// kind says how a function is written. The weight of a function that has one is the scale of its
// term, and the offset the constant of its FORM.
type kind struct {
	key            string // of the FUNC, or "" if the function has to be a FORM
	weight, offset *float64
	fields         []field // in the order in which they are written; a Max, a list of FORMs, has none
}

// field is a member of a function. Its value is a *convex.Curve, a *float64, a *nonNegative, an
// *int, which is an index of a coordinate, a *[]float64, of the dimension of the functions, a *list
// or a *matrix. One that is not required is absent if it is zero.
type field struct {
	key      string
	value    any
	required bool
}

type (
	nonNegative float64   // a number ≥ 0
	list        []float64 // a vector of any length, which is never sparse
	matrix      []float64 // any number of rows, one after the other
)

// funcKeys are the keys of a FUNC.
var funcKeys = []string{"ridge", "separable", "halfsquares", "distance", "halfsquareddistance",
	"elasticnet", "linear", "max", "form"}

// kindOf returns the kind of a function, with pointers to its fields.
func kindOf(f convex.Evaluator) kind {
	switch f := f.(type) {
	case *convex.Ridge:
		return kind{"ridge", &f.Weight, nil, []field{{"curve", &f.Curve, true},
			{"a", &f.A, true}, {"b", &f.B, false}}}
	case *convex.Separable:
		return kind{"separable", &f.Weight, nil, []field{{"curve", &f.Curve, true},
			{"first", &f.First, false}, {"rate", (*list)(&f.Rate), true},
			{"offset", &f.Offset, false}}}
	case *convex.LeastSquares:
		return kind{"halfsquares", nil, nil, []field{{"rows", (*matrix)(&f.H), true},
			{"y", (*list)(&f.Y), true}}}
	case *convex.Distance:
		return kind{"distance", &f.Weight, &f.Offset, []field{{"center", &f.Center, true}}}
	case *convex.HalfSquaredDistance:
		return kind{"halfsquareddistance", &f.Weight, &f.Offset,
			[]field{{"center", &f.Center, true}}}
	case *convex.ElasticNet:
		return kind{"elasticnet", nil, &f.Offset, []field{{"l1", (*nonNegative)(&f.L1), false},
			{"l2", (*nonNegative)(&f.L2), false}}}
	case *convex.Linear:
		return kind{"linear", nil, nil, []field{{"a", (*list)(&f.A), true},
			{"first", &f.First, false}}}
	case *convex.Max:
		return kind{key: "max"}
	}
	return kind{}
}

// newFunction makes a zero function, with the weight 1, for each key that has fields.
var newFunction = map[string]func() convex.Evaluator{
	"ridge":               func() convex.Evaluator { return &convex.Ridge{Weight: 1} },
	"separable":           func() convex.Evaluator { return &convex.Separable{Weight: 1} },
	"halfsquares":         func() convex.Evaluator { return new(convex.LeastSquares) },
	"distance":            func() convex.Evaluator { return &convex.Distance{Weight: 1} },
	"halfsquareddistance": func() convex.Evaluator { return &convex.HalfSquaredDistance{Weight: 1} },
	"elasticnet":          func() convex.Evaluator { return new(convex.ElasticNet) },
	"linear":              func() convex.Evaluator { return new(convex.Linear) },
}

// The curves of ridges and separable functions, with their names in the same order.
var (
	curves     = []convex.Curve{convex.NegLog{}, convex.Softplus{}, convex.Exp{}}
	curveNames = []string{"neglog", "softplus", "exp"}
)
