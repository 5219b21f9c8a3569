//go:build rescan

package convex

func init() { rescan = true }
