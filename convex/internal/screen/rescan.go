//go:build rescan

package screen

func init() { Off = true }
