//go:build !race

package convex_test

const raceEnabled = false
