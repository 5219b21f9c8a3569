package recorded

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"ocobench/convex"
	"ocobench/convex/vec"
	"ocobench/internal/input"
)

// Logistic makes rounds of features h_t and labels y_t = ±1, with weights x in the ball of the
// radius R = √(1+2ρ) − 1 about 0, the smallest that contains {g ≤ 0}:
//
//	f_t(x) = log(1 + exp(−y_t h_t·x)) + ½α‖x‖²
//	g(x)   = ‖x‖₁ + ½‖x‖² − ρ
//
// The file has two labels, of which the larger number, or the later word in the alphabet, becomes
// 1. With Positive it may have more labels: Positive becomes 1 and all others −1.
type Logistic struct {
	Intercept   bool    // there is a last feature that is 1
	Standardise bool    // features have their mean subtracted, and are divided by their deviation
	Positive    string  // "": there are two labels
	L2          float64 // α
	Rho         float64 // ρ
}

// Read implements [Kind], with the column of the label and those of the features.
func (g Logistic) Read(s *input.Sheet, c Columns) (*Import, error) {
	classes := &labels{index: make(map[string]int), manyAllowed: g.Positive != ""}
	read, err := c.readFeatures(s, input.Column{Expected: "a label", Parse: classes.parse})
	if err != nil {
		return nil, err
	}
	positive, err := classes.positiveIndex(g.Positive)
	if err != nil {
		return nil, fmt.Errorf("%s: %s: %w", s.Name, read.names[0], err)
	}
	count := 0
	for _, row := range read.rows {
		if row[0] == float64(positive) {
			row[0], count = 1, count+1
		} else {
			row[0] = -1
		}
	}
	read.noteFeatures(fmt.Sprintf("the label, +1 for %s (%s) and -1 for %s (%d)",
		input.Shown(classes.words[positive]), input.Plural(count, "line"), classes.others(positive),
		len(read.rows)-count))
	if g.Standardise {
		if err := read.standardise(s, read.own); err != nil {
			return nil, err
		}
	}
	if g.Intercept {
		read.addIntercept()
	}
	return g.rounds(read)
}

// labels holds the different labels of a file, in the order in which they come.
type labels struct {
	index       map[string]int // of a label in words
	words       []string
	manyAllowed bool // there may be more than two
}

// parse returns the index of a label, which it adds if it is new.
func (l *labels) parse(text string) (float64, error) {
	word := labelOf(text)
	k, ok := l.index[word]
	switch {
	case ok:
		return float64(k), nil
	case !l.manyAllowed && len(l.words) == 2:
		return 0, fmt.Errorf("%s is a third label, beside %s (expected two; --positive WORD takes one "+
			"class against the rest)", input.Shown(word), l.others(-1))
	}
	k = len(l.words)
	l.index[word] = k
	l.words = append(l.words, word)
	return float64(k), nil
}

// labelOf returns a label in the form in which labels are compared: 1.0 and 1 are equal.
func labelOf(text string) string {
	if v, err := input.ParseNumber(text); err == nil {
		return strconv.FormatFloat(v, 'g', -1, 64)
	}
	return text
}

// positiveIndex returns the index of the label that becomes 1; word is Logistic.Positive.
func (l *labels) positiveIndex(word string) (int, error) {
	k, ok := l.index[labelOf(word)]
	switch {
	case word != "" && !ok:
		return 0, fmt.Errorf("--positive: no line has the label %s (labels: %s)", input.Shown(word),
			l.others(-1))
	case len(l.words) < 2:
		return 0, fmt.Errorf("all lines have the label %s (expected two labels)", input.Shown(l.words[0]))
	case word != "":
		return k, nil
	}
	a, errA := input.ParseNumber(l.words[0])
	b, errB := input.ParseNumber(l.words[1])
	isFirstLater := l.words[0] > l.words[1]
	if areNumbers := errA == nil && errB == nil; areNumbers {
		isFirstLater = a > b
	}
	if isFirstLater {
		return 0, nil
	}
	return 1, nil
}

// others names all labels except the one with this index; -1 excepts none.
func (l *labels) others(index int) string {
	var names []string
	for k, word := range l.words {
		if k != index {
			names = append(names, input.Shown(word))
		}
	}
	return input.Few(names, ", ")
}

// rounds returns the rounds of the lines, whose labels are ±1.
func (g Logistic) rounds(read *sheetNumbers) (*Import, error) {
	n := len(read.rows[0]) - 1
	radius := math.Sqrt(1+float64(2*g.Rho)) - 1
	domain, err := convex.NewBall(make([]float64, n), radius)
	if err != nil {
		return nil, fmt.Errorf("--rho: %w", err)
	}
	steepest := 0.0
	for _, row := range read.rows {
		steepest = max(steepest, vec.Norm(row[1:]))
	}
	norm1Factor := math.Sqrt(float64(n)) // ‖x‖₁ ≤ √n ‖x‖
	facts := convex.Facts{
		LossLipschitz:       steepest + float64(g.L2*radius),
		LossRange:           float64(steepest*radius) + float64(g.L2*radius*radius/2),
		ConstraintLipschitz: norm1Factor + radius,
		ConstraintBound: max(g.Rho,
			float64(norm1Factor*radius)+float64(radius*radius/2)-g.Rho),
		Slater: g.Rho, Feasible: true, Fixed: true, KnownConstraints: true,
	}
	net := convex.NewBasis(&convex.ElasticNet{L1: 1, L2: 1, Offset: -g.Rho})
	penalty := convex.NewBasis(&convex.HalfSquaredDistance{Weight: g.L2, Center: make([]float64, n)})
	bases := []*convex.Basis{net}
	if g.L2 > 0 {
		bases = append(bases, penalty)
	}
	r := newImport(read, domain, 1, func(line []float64) convex.Round {
		a := slices.Clone(line[1:])
		vec.Scale(a, -line[0])
		loss := convex.Func(&convex.Single{Of: &convex.Ridge{Curve: convex.Softplus{}, Weight: 1, A: a}})
		if g.L2 > 0 {
			loss = &convex.Composite{Parts: []convex.Part{
				{Scale: 1, Func: loss}, {Scale: 1, Func: penalty}}}
		}
		return convex.Round{Loss: loss, Constraints: []convex.Func{net}}
	})
	r.facts, r.bases = &facts, bases
	return r, nil
}
