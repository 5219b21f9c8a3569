package page

import (
	"ocobench/harness/analysis"
	"ocobench/harness/regression"
	"ocobench/harness/run"
	"ocobench/harness/store"
)

// pageData holds the data of a page. Means along a curve and bounds have five significant digits,
// the ends of their intervals, which are rounded outwards, and local exponents four, and single
// replicates three. Each list of their t's is kept once, in T. A curve of a metric that is neither
// shown nor fitted has no interval. Every other number is that of the analysis.
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
	Words     []string            `json:"words"`  // what came out, in sentences, the first ones first
	Method    []string            `json:"method"` // how the verdicts on √t come about
	Focus     analysis.Focus      `json:"focus"`
	Baseline  int                 `json:"own"`    // an index of Algorithms
	Opens     int                 `json:"opens"`  // the index of the problem that is shown first
	Shared    string              `json:"shared"` // what the titles of all problems begin with, or ""
	Computed  []run.Computed      `json:"computed"`
	Missing   int                 `json:"missing"`
	Cells     string              `json:"cells_digest"`
	// the YAML that asks for it again, or "" if none can
	File       string            `json:"file"`
	Command    string            `json:"command"` // that runs it again, or ""
	Metrics    []analysis.Metric `json:"metrics"`
	Algorithms []algorithm       `json:"algorithms"`
	Problems   []problem         `json:"problems"`
	T          [][]float64       `json:"t"`
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
	// the difference, first less second, with its interval and its corrected p-value; null where there
	// is none
	Value compactNumbers `json:"v"`
	Lower compactNumbers `json:"l"`
	Upper compactNumbers `json:"u"`
	P     compactNumbers `json:"p_adjusted"`
	Sign  []int          `json:"sign"`  // −1: the first is shown to have less; 1: more; 0: neither
	Doubt []int          `json:"doubt"` // the indices of those that are shown and have warnings
}

// problemAnswer lists the algorithms of a problem by the verdict on regret and violation together,
// each list in the order of their violation.
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
	Resolved      string   `json:"resolved,omitempty"` // with the numbers of the expressions
	Deterministic bool     `json:"deterministic"`
	Replicates    int      `json:"replicates"`
	Played        int      `json:"played"`
	Failed        int      `json:"failed"`
	Failure       string   `json:"failure,omitempty"`
	Verdict       string   `json:"verdict"` // the key of that on both claims
	Root          string   `json:"root"`    // the key of that on the growth of both like √t
	// by metric; those with state missing are left out
	Series    map[string]*series `json:"series"`
	Regret    judgement          `json:"regret"`
	Violation judgement          `json:"violation"`
	// where something is claimed of the dynamic regret
	Dynamic *judgement `json:"dynamic,omitempty"`
	// the command that plays the first replicate, whose number is at its end; "" for another store's
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
	Why        string            `json:"why,omitempty"`    // what evidence it lacks
	Never      bool              `json:"never,omitempty"`  // shown to be never positive
	Mean       *band             `json:"mean"`
	Across     *band             `json:"across,omitempty"` // ends of games of several T, if the fit is across T
	Ends       *band             `json:"ends,omitempty"`   // the same, if the fit is along t
	Fit        *analysis.Fit     `json:"fit"`              // all digits
	Slopes     *band             `json:"slopes,omitempty"`
	Runs       *runs             `json:"runs,omitempty"`
}

// band holds a curve with an interval.
type band struct {
	T     int            `json:"t"` // the index of its list
	Value compactNumbers `json:"v"`
	Lower compactNumbers `json:"l,omitempty"` // left out where there is none
	Upper compactNumbers `json:"u,omitempty"`
}

// runs hold the curves of single replicates.
type runs struct {
	T         int              `json:"t"`
	Replicate []int            `json:"replicate"`
	Value     []compactNumbers `json:"v"`
}

// A judgement is the verdict on what is claimed of a metric.
type judgement struct {
	Metric string `json:"metric"`
	Claim  string `json:"claim,omitempty"` // such as "t^0.5 log t"
	// of the claim; null where its growth is no power of t
	Exponent analysis.Number `json:"exponent"`
	Log      float64         `json:"log"` // the power of log t in the claim
	Note     string          `json:"note,omitempty"`
	Verdict  string          `json:"verdict,omitempty"`
	Why      string          `json:"why,omitempty"`
	// the least multiple of the claimed rate that the mean keeps in the window, such as "0.2 GΔ·t^0.5"
	Keeps   string          `json:"keeps,omitempty"`
	P       analysis.Number `json:"p"` // the p-value of the verdict
	Bound   *bound          `json:"bound,omitempty"`
	NoBound string          `json:"no_bound,omitempty"`
}

// A bound compares a metric with the bound of the proof.
type bound struct {
	State     string            `json:"state"`
	Formula   string            `json:"formula"`
	Reason    string            `json:"reason,omitempty"`
	Ratio     analysis.Estimate `json:"ratio"`
	At        float64           `json:"at,omitempty"` // t
	Replicate int               `json:"replicate,omitempty"`
	Horizon   int               `json:"horizon,omitempty"`
	Curve     *band             `json:"mean,omitempty"` // b(t)
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
