package game

import (
	"fmt"
	"runtime/debug"

	"ocobench/internal/input"
)

// A CrashError says that code panicked, did not end in time, or ended its process. The
// other errors of a job are returned by the code itself.
type CrashError struct {
	Reason string
	Stack  string // of a panic
}

// Error implements error.
func (e *CrashError) Error() string { return e.Reason }

// Panicked returns the error of a panic, where it is recovered with the value v.
func Panicked(v any) *CrashError {
	return &CrashError{input.Cut(fmt.Sprintf("panic: %v", v)), string(debug.Stack())}
}
