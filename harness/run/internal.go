package run

import "strings"

// bench tune, claims and paper play experiments for purposes of their own. The store keeps them
// under names with a suffix, so that they replace no experiment that the user ran. Other verbs
// show them only where their name is given.

const (
	// tuningSuffix ends the name of the experiment that is played to tune another.
	tuningSuffix = "-tuning"
	// paperSuffix ends the name under which an experiment is recorded that bench claims or bench
	// paper plays.
	paperSuffix = "-paper"
)

// PaperRecord returns the name under which an experiment is recorded that is played for the paper.
func PaperRecord(name string) string { return name + paperSuffix }

// IsInternal reports whether the record of this name is of an experiment that is shown only where
// it is named: it was played to tune another, or for the paper.
func IsInternal(name string) bool {
	return strings.HasSuffix(name, tuningSuffix) || strings.HasSuffix(name, paperSuffix)
}
