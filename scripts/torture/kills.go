//go:build linux

package main

import (
	"fmt"
	"syscall"
	"time"
)

// small is an experiment whose run takes a few tenths of a second, half of them to
// compute and half to draw.
const small = `name: small
horizon: 600
replicates: 4
problems: [{use: iid, dim: 2}]
algorithms: [{use: ogd}, {use: primal-dual}, {use: penalised-ftrl}]
`

// kills kills one to three processes on one store at random moments. Then the same
// command finishes, and everything is as if nothing had happened.
func kills(r *rack) error {
	u, err := r.runUndisturbedExpecting(0, "bench", small)
	if err != nil {
		return err
	}
	isolated := func(i int) bool { return i%2 == 1 }
	processes := func(i int) int { return 1 + i/2%3 }
	r.runTrials(r.trials(72, 16), func(i int) string {
		return fmt.Sprintf("kill %d of %d processes, isolate %v", i, processes(i), isolated(i))
	}, func(t *trial, i int) error {
		if err := t.write("e.yaml", u.experiment); err != nil {
			return err
		}
		var flags []string
		if isolated(i) {
			flags = []string{"--isolate"}
		}
		// Some are killed twice and more, before they finish.
		for range 1 + t.rand.IntN(2) {
			var running []*process
			for range processes(i) {
				p := t.command("bench", u.runArgs(append(flags, "--workers",
					fmt.Sprint(1+t.rand.IntN(3)))...)...)
				if err := p.start(); err != nil {
					return err
				}
				running = append(running, p)
			}
			for k, p := range running {
				p.waitFor(time.Duration(t.rand.Float64() * float64(u.took) / float64(k+1)))
				if i%6 == 5 { // workers have to notice that their host is no more
					p.Process.Kill()
				} else {
					p.signalGroup(syscall.SIGKILL)
				}
			}
			for _, p := range running {
				<-p.done
			}
			if err := t.checkOrphans(); err != nil {
				return err
			}
		}
		return u.checkFinishes(t, flags...)
	})
	return nil
}
