package page

import (
	"ocobench/harness/analysis"
	"ocobench/harness/regression"
	"ocobench/harness/run"
	"ocobench/harness/store"
)

// pageData holds the data of a page. The numbers of curves are rounded ([curveDigits]), and their
// lists of t are kept once each, in [experimentData.T]. A curve of a metric that is neither shown
// nor fitted has no interval. Every other number has all digits of the analysis.
type pageData struct {
	Schema      string           `json:"schema"`
	Program     store.Provenance `json:"program"`
	Verdicts    []verdictData    `json:"verdicts"`
	Experiments []experimentData `json:"experiments,omitempty"`
}

// verdictData holds the texts and signs of a verdict on the page.
type verdictData struct {
	Key      string `json:"key"` // names it in the data, the address and the style: at-most
	Sign     string `json:"sign"`
	Word     string `json:"word"`     // on growth like √t
	Claim    string `json:"claim"`    // on the growth that is claimed
	Severity int    `json:"severity"` // the larger, the worse, in the order of [stats.Worst]
	Doc      string `json:"-"`        // what it means, in sentences
}

// experimentData holds an analysis as a page shows it. Algorithms, problems and lists of t are
// referred to by their index.
type experimentData struct {
	Requested analysis.Experiment `json:"asked"` // name, description, seed, …
	Settings  string              `json:"settings"`
	Sentences []string            `json:"words"`  // what came out, the most important first
	Method    []string            `json:"method"` // sentences on how the verdicts on √t come about
	Focus     analysis.Focus      `json:"focus"`
	Baseline  int                 `json:"own"`    // an index of Algorithms
	Opens     int                 `json:"opens"`  // the index of the problem that is shown first
	Shared    string              `json:"shared"` // what the titles of all problems begin with, or ""
	Computed  []run.Computed      `json:"computed"`
	Missing   int                 `json:"missing"` // the number of cells that the store lacks
	Cells     string              `json:"cells_digest"`
	// The experiment file that asks for the results again, in YAML, and the command that runs it; ""
	// if none can.
	File       string            `json:"file"`
	Command    string            `json:"command"`
	Metrics    []analysis.Metric `json:"metrics"`
	Algorithms []algorithm       `json:"algorithms"`
	Problems   []problem         `json:"problems"`
	T          [][]float64       `json:"t"` // the lists of t of all curves
	Pairs      []pair            `json:"pairs"`
	Unplayed   []unmetPair       `json:"unplayed,omitempty"`
	Fronts     []front           `json:"fronts"`
	Ranks      []rank            `json:"ranks"`
	Profiles   []profile         `json:"profiles"`
	Compared   []comparisonList  `json:"compared"`
	Beside     *regression.Joint `json:"beside,omitempty"` // the comparison with another store

	answers []problemAnswer // by problem
}

// comparisonList holds the comparisons of every two algorithms on a problem by a metric. Of n
// algorithms they are in the order (0,1), (0,2), …, (0,n−1), (1,2), …
type comparisonList struct {
	Problem    int    `json:"p"`
	Metric     string `json:"metric"`
	Algorithms []int  `json:"of"`
	// The differences, first less second, with their intervals and corrected p-values. What does not
	// exist is null.
	Value analysis.Numbers `json:"v"`
	Lower analysis.Numbers `json:"l"`
	Upper analysis.Numbers `json:"u"`
	P     analysis.Numbers `json:"p_adjusted"`
	Sign  []int            `json:"sign"`  // −1: the first is shown to have less; 1: more; 0: neither
	Doubt []int            `json:"doubt"` // indices of differences that are shown and have warnings
}

// problemAnswer lists the algorithms on a problem by the verdict on regret and violation together,
// each list in the order of their violation. All numbers are indices of [experimentData].
type problemAnswer struct {
	Problem   int
	AtMost    []int
	Undecided []int // or with too little evidence
	Above     []int // or slowing
}

// An algorithm holds what the page shows of an algorithm.
type algorithm struct {
	Spec     string   `json:"spec"`
	Title    string   `json:"title"` // the display name, in Unicode
	Doc      string   `json:"doc"`
	Feedback string   `json:"feedback"`
	Anytime  bool     `json:"anytime"`
	Claims   []string `json:"claims"` // such as "regret vs Xmin = O(t^0.5)"
	Assumes  []string `json:"assumes"`
	Params   any      `json:"params"`
	Tuned    string   `json:"tuned,omitempty"`
	Source   string   `json:"source,omitempty"`
}

// A problem holds what the page shows of a problem.
type problem struct {
	Spec          string   `json:"spec"`
	Title         string   `json:"title"`
	Short         string   `json:"short"` // the title without what those of all problems share
	Doc           string   `json:"doc"`
	Facts         []string `json:"facts"` // such as "fixed constraints"
	Deterministic bool     `json:"deterministic"`
	Params        any      `json:"params"`
}

// A pair holds the results of an algorithm on a problem.
type pair struct {
	Problem       int      `json:"p"`
	Algorithm     int      `json:"a"`
	Unmet         []string `json:"unmet"`
	Resolved      string   `json:"resolved,omitempty"` // the SPEC with the values of its expressions
	Deterministic bool     `json:"deterministic"`
	Replicates    int      `json:"replicates"`
	Played        int      `json:"played"`
	Failed        int      `json:"failed"`
	Failure       string   `json:"failure,omitempty"`
	// The keys of two verdicts on regret and violation together: on their claims, and on growth like
	// √t.
	Verdict   string             `json:"verdict"`
	Root      string             `json:"root"`
	Series    map[string]*series `json:"series"` // by metric, without those that are missing
	Regret    judgement          `json:"regret"`
	Violation judgement          `json:"violation"`
	Dynamic   *judgement         `json:"dynamic,omitempty"` // where dynamic regret is claimed
	// Play is the command that plays the first replicate, and ends with its number. It is empty for a
	// pair of another store.
	Play string `json:"play"`
}

// unmetPair names a pair that was not played because the problem lacks what the algorithm assumes.
type unmetPair struct {
	Problem   int      `json:"p"`
	Algorithm int      `json:"a"`
	Lacks     []string `json:"lacks"`
}

// A series holds the curve of a metric of a pair, with its fit and its verdict.
type series struct {
	State      string            `json:"state"`
	Replicates int               `json:"replicates"`
	Of         int               `json:"of"`               // the replicates that were to be played
	Final      analysis.Estimate `json:"final"`            // all digits
	Rank       analysis.Number   `json:"rank"`             // among the algorithms of the problem
	Lead       bool              `json:"lead"`             // significantly less than every other
	Doubts     []string          `json:"doubts,omitempty"` // about the lead
	Root       string            `json:"root"`             // the key of the verdict on growth like √t
	Why        string            `json:"why,omitempty"`    // the reason of this verdict, or of none
	Never      bool              `json:"never,omitempty"`  // whether it is never positive
	Mean       *band             `json:"mean"`
	// The means at the ends of games of several T: Across if the growth is fitted to them, and Ends
	// if it is fitted along t.
	Across *band         `json:"across,omitempty"`
	Ends   *band         `json:"ends,omitempty"`
	Fit    *analysis.Fit `json:"fit"` // all digits
	Slopes *band         `json:"slopes,omitempty"`
	Runs   *runs         `json:"runs,omitempty"`
}

// band holds a curve with an interval.
type band struct {
	T     int              `json:"t"` // the index of its list of t
	Value analysis.Numbers `json:"v"`
	Lower analysis.Numbers `json:"l,omitempty"` // left out where there is none
	Upper analysis.Numbers `json:"u,omitempty"`
}

// runs hold the curves of single replicates.
type runs struct {
	T         int                `json:"t"`
	Replicate []int              `json:"replicate"`
	Value     []analysis.Numbers `json:"v"`
}

// A judgement is the verdict on what is claimed of a metric.
type judgement struct {
	Metric string `json:"metric"`
	Claim  string `json:"claim,omitempty"` // such as "t^0.5 log t"
	// Exponent is the claimed one. It is null where the claimed growth is no power of t.
	Exponent analysis.Number `json:"exponent"`
	Log      float64         `json:"log"` // the power of log t in the claim
	Note     string          `json:"note,omitempty"`
	Verdict  string          `json:"verdict,omitempty"`
	Why      string          `json:"why,omitempty"` // the reason of the verdict
	// Keeps is the least multiple of the claimed rate that bounds the mean in the window, such as
	// "0.2 GΔ·t^0.5".
	Keeps   string          `json:"keeps,omitempty"`
	P       analysis.Number `json:"p"` // the p-value of the verdict
	Bound   *bound          `json:"bound,omitempty"`
	NoBound string          `json:"no_bound,omitempty"`
}

// A bound compares a metric with the bound of the proof.
type bound struct {
	State   string `json:"state"`
	Formula string `json:"formula"`
	Reason  string `json:"reason,omitempty"`
	// Ratio is the largest of the metric to the bound, and At, Replicate and Horizon are the t, the
	// replicate (0: the mean) and the T of the game where it is.
	Ratio     analysis.Estimate `json:"ratio"`
	At        float64           `json:"at,omitempty"`
	Replicate int               `json:"replicate,omitempty"`
	Horizon   int               `json:"horizon,omitempty"`
	Curve     *band             `json:"mean,omitempty"` // the bound along t
}

// A front lists the Pareto-optimal algorithms of a problem by two metrics.
type front struct {
	Problem    int    `json:"p"`
	Regret     string `json:"regret"` // metrics
	Violation  string `json:"violation"`
	Algorithms []int  `json:"algorithms"`
}

// A rank is the mean rank of an algorithm by a metric.
type rank struct {
	Problem   int               `json:"p"` // -1: the mean over problems
	Metric    string            `json:"metric"`
	Algorithm int               `json:"a"`
	Rank      analysis.Estimate `json:"rank"`
	Of        int               `json:"of"`       // how many algorithms are ranked
	Problems  int               `json:"problems"` // over how many problems the mean is
}

// A profile is the curve of a performance profile: the share of problems on which an algorithm is
// at most so many times as bad as the best one.
type profile struct {
	Metric    string            `json:"metric"`
	Algorithm int               `json:"a"`
	Ratio     []analysis.Number `json:"ratio"`
	Share     []analysis.Number `json:"share"`
}
