package game

import (
	"fmt"
	"runtime/debug"

	"ocobench/internal/input"
)

// CrashError reports that the code of a learner or a stream panicked, did not end in time, or ended
// its process. Every other error of a game was returned by that code, or by a check of the loop.
type CrashError struct {
	Reason string
	Stack  string // of a panic
}

// Error implements error.
func (e *CrashError) Error() string { return e.Reason }

// Panicked returns the error of a panic, with its stack. It is called where the panic is recovered
// with the value v.
func Panicked(v any) *CrashError {
	return &CrashError{input.Cut(fmt.Sprintf("panic: %v", v)), string(debug.Stack())}
}
