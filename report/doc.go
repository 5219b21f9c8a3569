// Package report turns an analysis into what people read: the summary that a run prints, tables,
// figures with captions, macros of TeX, and their files. It estimates nothing.
//
//	analysis → analysisView → summary, tables, figures, macros → files
//
//	analysis_view.go            the analysis with lookups for tables and figures
//	summary.go, ranking.go      the tables that a run prints
//	tables.go, tablebuilder.go  the tables of files, and how a table is built
//	pivot.go                    the tables of bench table
//	sweep.go                    parameters that take several values
//	horizons.go                 sweeps across T
//	compare.go, pairwise.go     comparisons with a baseline, and of two algorithms
//	figures.go, captions.go     the figures of a run, and captions
//	growthpanel.go              the curves of a metric in a panel
//	claimfigures.go, plane.go   local exponents and bounds, and regret against violation
//	outlines.go                 the figure of the comparator sets
//	plot.go                     the figures of bench figure
//	numbers.go                  every number and sign as text
//	names.go                    names of algorithms, problems and metrics, in text and in TeX
//	notes.go                    the sentences below tables: how they are chosen and written
//	pairnotes.go, tablenotes.go the sentences on pairs, and on the cells of each table
//	macros.go                   numbers as macros of TeX
//	output.go, manifest.go      the files of a run, and their list
//
// The other files render one verb each, such as diagnosis.go for bench diagnose. Packages table,
// figure and tex know no analysis; page writes the HTML page, and export the files for programs.
package report
