package tool

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

// A test that needs LaTeX is told what is missing: pdflatex, kpsewhich, or a file that a
// document includes. The programs are stubs.
func TestLaTeX(t *testing.T) {
	const (
		whole   = "exit 0"
		without = "case $1 in lmodern.sty) exit 1;; esac; echo /texmf/$1"
		none    = "exit 1"
	)
	for _, c := range []struct {
		name      string
		kpsewhich string // "" for none
		pdflatex  bool
		fault     string
	}{
		{"whole", whole, true, ""},
		{"without lmodern", without, true,
			"pdflatex is there, and lacks lmodern.sty, which is in Debian's lmodern"},
		{"without anything", none, true, "pdflatex is there, and lacks " +
			"array.sty, which is in Debian's texlive-latex-base; " +
			"article.cls, which is in Debian's texlive-latex-base; " +
			"booktabs.sty, which is in Debian's texlive-latex-recommended; " +
			"fontenc.sty, which is in Debian's texlive-latex-base; " +
			"graphicx.sty, which is in Debian's texlive-latex-base; " +
			"lmodern.sty, which is in Debian's lmodern; " +
			"siunitx.sty, which is in Debian's texlive-science"},
		{"without kpsewhich", "", true,
			"kpsewhich is not on PATH: install Debian's texlive-binaries"},
		{"without pdflatex", whole, false,
			"pdflatex is not on PATH: install Debian's texlive-latex-base"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			t.Setenv("PATH", dir)
			if c.pdflatex {
				stub(t, dir, "pdflatex", whole)
			}
			if c.kpsewhich != "" {
				stub(t, dir, "kpsewhich", c.kpsewhich)
			}
			path, fault := latex()
			if fault != c.fault || (path == filepath.Join(dir, "pdflatex")) != (fault == "") {
				t.Errorf("%s: %q, want %q", path, fault, c.fault)
			}
		})
	}
}

// A program that does not run is incomplete.
func TestFind(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("PATH", dir)
	stub(t, dir, "solver", "case $1 in --version) exit 0;; esac; echo no licence >&2; exit 3")
	for _, c := range []struct {
		name  string
		args  []string
		fault string
	}{
		{"solver", nil, ""},
		{"solver", []string{"--version"}, ""},
		{"solver", []string{"-c", "x"}, "solver does not run: install Debian's solvers, whole (" +
			filepath.Join(dir, "solver") + " -c x: exit status 3: no licence\n)"},
		{"other", []string{"--version"}, "other is not on PATH: install Debian's solvers"},
	} {
		if path, fault := find("solvers", c.name, c.args); fault != c.fault ||
			(path == "") != (fault != "") {
			t.Errorf("%s %q: %s, %q, want %q", c.name, c.args, path, fault, c.fault)
		}
	}
}

// stub writes a program that is a script.
func stub(t *testing.T, dir, name, script string) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("scripts are no programs here")
	}
	if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+script+"\n"),
		0o777); err != nil {
		t.Fatal(err)
	}
}
