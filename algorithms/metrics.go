package algorithms

// Metric names what a claim bounds: the regret against a set of fixed actions,
// or a notion of violation. The table of metrics in package harness/game says
// how each is measured.
type Metric string

const (
	RegretXMin Metric = "regret_xmin" // against actions that are feasible in every round
	// against actions for which every prefix of the constraints sums to ≤ 0
	RegretXHat Metric = "regret_xhat"
	RegretXMax Metric = "regret_xmax" // against actions for which the constraints sum to ≤ 0
	// against actions for which the constraints are ≤ 0 in expectation
	RegretXE     Metric = "regret_xe"
	RegretDomain Metric = "regret_domain" // against all actions of the domain
	// against an action that the problem declares, which is not certified; no claim is about it
	RegretDeclared Metric = "regret_declared"

	// RegretDynamic is Σ f_t(x_t) − Σ f_t(x*_t), where x*_t minimises f_t over the
	// actions of D that are feasible in round t.
	RegretDynamic Metric = "regret_dynamic"

	SoftViolation    Metric = "violation_soft"    // Σ_j [Σ_t g_{t,j}(x_t)]₊
	HardViolation    Metric = "violation_hard"    // Σ_t Σ_j [g_{t,j}(x_t)]₊
	PenaltyViolation Metric = "violation_penalty" // Σ_t Σ_j [(1/t) Σ_{i≤t} g_{i,j}(x_t)]₊
	SquaredViolation Metric = "violation_squared" // Σ_t Σ_j [g_{t,j}(x_t)]₊²
	MaxViolation     Metric = "violation_max"     // max_{t,j} [g_{t,j}(x_t)]₊
	// CCViolation is the cumulative constraint violation (CCV), Σ_t max_j [g_{t,j}(x_t)]₊: of each
	// round, that of the constraint that is violated most.
	CCViolation   Metric = "violation_ccv"
	NormViolation Metric = "violation_norm" // Σ_t ‖[g_t(x_t)]₊‖₂
)

// Regrets, DynamicRegrets and Violations are the metrics that claims may name.
var (
	Regrets        = []Metric{RegretXMin, RegretXHat, RegretXMax, RegretXE, RegretDomain}
	DynamicRegrets = []Metric{RegretDynamic}
	Violations     = []Metric{SoftViolation, HardViolation, PenaltyViolation, SquaredViolation,
		MaxViolation, CCViolation, NormViolation}
)
