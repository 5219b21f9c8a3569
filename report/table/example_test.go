package table_test

import (
	"fmt"
	"os"

	"ocobench/report/table"
)

func Example() {
	t := &table.Table{
		Columns: []table.Column{
			{Name: table.Plain("algorithm")},
			{Name: table.Text{Plain: "V_T", TeX: `$V_T$`}, Align: table.Right},
		},
		Rows: [][]table.Text{
			{table.Plain("penalised-ftrl:gamma=25"), table.Exponent(0.52, 0.49, 0.55)},
			{table.Plain("primal_dual"), table.Exponent(0.8, 0.71, 0.9)},
		},
	}
	table.WriteTerminal(os.Stdout, t, table.Width)
	fmt.Println()
	table.WriteLaTeX(os.Stdout, t)
	// Output:
	// ┌─────────────────────────┬───────────────────┐
	// │ algorithm               │               V_T │
	// ├─────────────────────────┼───────────────────┤
	// │ penalised-ftrl:gamma=25 │ 0.52 [0.49, 0.55] │
	// │ primal_dual             │ 0.80 [0.71, 0.90] │
	// └─────────────────────────┴───────────────────┘
	//
	// % Needs the lines of preamble.tex.
	// \ococaption{}
	// \ocotable{52}{\ocotext{l}{62}{51}\oconoted{1.2}}{%
	// algorithm & \multicolumn{1}{c}{$V_T$} \\
	// }{%
	// penalised-\allowbreak{}ftrl:\allowbreak{}gamma=\allowbreak{}25 & \ocovalue{0.52}{$[0.49,\,0.55]$} \\
	// primal\_dual & \ocovalue{0.80}{$[0.71,\,0.90]$} \\
	// }
}
