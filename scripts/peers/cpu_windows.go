package main

import "syscall"

// cpu returns the seconds of CPU time that this process has used.
func cpu() float64 {
	self, err := syscall.GetCurrentProcess()
	if err != nil {
		panic(err)
	}
	var created, exited, kernel, user syscall.Filetime
	if err := syscall.GetProcessTimes(self, &created, &exited, &kernel, &user); err != nil {
		panic(err)
	}
	// A Filetime counts units of 100 ns.
	seconds := func(t syscall.Filetime) float64 {
		return 1e-7 * float64(uint64(t.HighDateTime)<<32|uint64(t.LowDateTime))
	}
	return seconds(kernel) + seconds(user)
}

// childrenCPU returns 0: the time of processes that have ended is not kept here.
func childrenCPU() float64 { return 0 }
