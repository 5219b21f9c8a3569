package algorithms

// Feedback is what an algorithm uses of a round.
type Feedback string

const (
	FirstOrder     Feedback = "FO"  // values and subgradients at x_t
	FirstOrderPlus Feedback = "FO+" // and the values g_t(x_{t+1})
	FullInfo       Feedback = "FI"  // whole functions

	// TwoPoint is the feedback of [Algorithm.WithTwoPoint].
	TwoPoint Feedback = "two-point"

	// Recorded is the feedback of actions that were played elsewhere. It is not known
	// what they were computed from. The learner that plays them back is given the horizon,
	// since there must be as many actions. It is started for every replicate before the first
	// game, so that missing or wrong actions are reported as bad input at once.
	Recorded Feedback = "recorded"
)

// Doc says what the learner uses.
func (f Feedback) Doc() string {
	switch f {
	case FirstOrder:
		return "first order: values and subgradients of the loss and of the constraints at the action x_t"
	case FirstOrderPlus:
		return "first order, and the values of the constraints of round t at the next action x_{t+1}"
	case FullInfo:
		return "full information: the loss and the constraints as whole functions"
	case TwoPoint:
		return "two values of the loss and of each constraint, at points on both sides of the action " +
			"x_t in a random direction"
	case Recorded:
		return "what the actions were computed from is not known"
	}
	return ""
}
