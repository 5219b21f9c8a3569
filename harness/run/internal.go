package run

import "strings"

// Some verbs play experiments for a purpose of their own. What they played is in the store, for
// the next time, and under names of its own, so that it takes the place of no experiment that
// the user ran. It is shown where its name is given.

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
