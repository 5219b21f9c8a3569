// Package report makes a page of analyses: one HTML file that needs no network, with
// tables, curves and the data behind them. The page computes nothing but its layout.
package report

// Schema names the form of the data in a page.
const Schema = "ocobench report 1"
