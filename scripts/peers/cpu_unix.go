//go:build unix

package main

import "syscall"

// cpu returns the seconds of CPU time that this process has used.
func cpu() float64 { return usage(syscall.RUSAGE_SELF) }

// childrenCPU returns the seconds of CPU time of the processes that it has started, and that have
// ended.
func childrenCPU() float64 { return usage(syscall.RUSAGE_CHILDREN) }

// usage returns the CPU time of this process or of its children, in seconds.
func usage(who int) float64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(who, &u); err != nil {
		panic(err)
	}
	seconds := func(t syscall.Timeval) float64 { return float64(t.Sec) + 1e-6*float64(t.Usec) }
	return seconds(u.Utime) + seconds(u.Stime)
}
