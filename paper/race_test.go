//go:build race

package paper

const raceDetector = true
