//go:build linux

package main

func hostile(r *rack) error           { return nil }
func signals(r *rack) error           { return nil }
func disks(r *rack) error             { return nil }
func tortureDisk(args []string) error { return nil }
