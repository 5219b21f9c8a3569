#!/usr/bin/env bash
# Makes the article about Penalised FTRL: bench paper with the flags given, and then its
# PDF, OUT/paper/article.pdf. It compiles in two fresh folders and compares the bytes, and
# fails on an overfull box or a reference to nothing.
#
#	scripts/paper.sh [--quick] [--out DIR] [--store DIR] …
#
# With --docs it also writes docs/claims.md, docs/published.md and the pictures of the article in
# docs/.
set -euo pipefail
cd "$(dirname "$0")/.."

packages="texlive-latex-base texlive-latex-recommended texlive-pictures texlive-science lmodern"
lacking=""
command -v pdflatex >/dev/null || lacking=pdflatex
for file in booktabs.sty microtype.sty caption.sty hyperref.sty siunitx.sty lmodern.sty; do
	kpsewhich $file >/dev/null || lacking="$lacking $file"
done
if [ -n "$lacking" ]; then
	echo "scripts/paper.sh: missing: $lacking; on Debian: apt-get install --no-install-recommends $packages" >&2
	exit 2
fi

docs=""
if [ "${1:-}" = --docs ]; then
	docs=yes
	shift
fi
out=out
store=results
previous=""
for flag in "$@"; do
	case $previous in --out) out=$flag ;; --store) store=$flag ;; esac
	case $flag in --out=*) out=${flag#--out=} ;; --store=*) store=${flag#--store=} ;; esac
	previous=$flag
done

go run ./cmd/bench paper "$@" ${docs:+--formats png}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export SOURCE_DATE_EPOCH=1 FORCE_SOURCE_DATE=1
for k in 1 2; do
	cp -r "$out/paper" "$work/$k"
	(
		cd "$work/$k"
		rm -f article.aux article.out article.log article.pdf
		for _ in 1 2 3; do # references settle
			pdflatex -interaction=nonstopmode -halt-on-error article >terminal.txt || {
				tail -n 30 terminal.txt >&2
				exit 1
			}
		done
	)
done
if grep -E '^(Overfull|LaTeX Warning: (Reference|Citation|There were undefined)|No number)' "$work/1/article.log" >&2; then
	echo "scripts/paper.sh: the log of LaTeX has these" >&2
	exit 1
fi
if ! cmp "$work/1/article.pdf" "$work/2/article.pdf"; then
	echo "scripts/paper.sh: two compilations differ" >&2
	exit 1
fi
cp "$work/1/article.pdf" "$out/paper/article.pdf"
grep -oE 'Output written on article.pdf \([0-9]+ pages' "$work/1/article.log" | sed "s|.*(|$out/paper/article.pdf: |"
if [ -n "$docs" ]; then
	cp "$out/paper/claims.md" docs/claims.md
	go run ./cmd/bench claims --of published --store "$store" --out "$out/published" \
		--external clasp-notebooks='python3 examples/clasp_notebooks.py' \
		--external yu-lee-lee-as-coded='python3 examples/yu_lee_lee_as_coded.py' >/dev/null
	cp "$out/published/published.md" docs/published.md
	cp "$out/paper/frequency/figures/example.png" docs/frequency.png
	cp "$out/paper/frequency/figures/plane.png" docs/plane.png
fi
