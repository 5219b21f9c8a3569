#!/usr/bin/env bash
# Prints a drawing of the packages of the module and their imports, in Mermaid.
#
# An import that follows from the others is left out: where a imports b and c,
# and b imports c, the drawing has a → b → c. Tests are not drawn.
set -euo pipefail
cd "$(dirname "$0")/.."
echo '```mermaid'
echo 'flowchart TD'
go list -f '{{if .GoFiles}}{{.ImportPath}}{{range .Imports}} {{.}}{{end}}{{end}}' ./... | sed 's/ocobench\///g' | LC_ALL=C sort | awk '
	{ package[NR] = $1; known[$1] = 1; for (i = 2; i <= NF; i++) imports[NR, i - 1] = $i; count[NR] = NF - 1 }
	function id(p) { gsub(/[^a-z0-9]/, "_", p); return p }
	# reaches reports whether p imports q, through others if need be.
	function reaches(p, q, i) {
		if ((p, q) in reach) return reach[p, q]
		reach[p, q] = 0
		for (i = 1; i <= size[p]; i++)
			if (edge[p, i] == q || reaches(edge[p, i], q)) return reach[p, q] = 1
		return 0
	}
	END {
		for (k = 1; k <= NR; k++) {
			printf "    %s[\"%s\"]\n", id(package[k]), package[k]
			for (i = 1; i <= count[k]; i++) if (imports[k, i] in known) edge[package[k], ++size[package[k]]] = imports[k, i]
		}
		for (k = 1; k <= NR; k++) {
			p = package[k]
			for (i = 1; i <= size[p]; i++) {
				follows = 0
				for (j = 1; j <= size[p]; j++) if (reaches(edge[p, j], edge[p, i])) follows = 1
				if (!follows) printf "    %s --> %s\n", id(p), id(edge[p, i])
			}
		}
	}'
echo '```'
