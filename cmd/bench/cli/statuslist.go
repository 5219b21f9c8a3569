package cli

import (
	"encoding/json"
	"fmt"
	"slices"

	"ocobench/harness/cluster"
	"ocobench/harness/run"
	"ocobench/harness/store"
	"ocobench/report/table"
)

// list prints a line for each experiment of the store.
func (c *statusCmd) list(e *env, s *store.Store) error {
	names, unread, err := run.Recorded(s)
	if err != nil {
		return err
	}
	e.warn(unread)
	names = slices.DeleteFunc(names, run.IsInternal)
	t := &table.Table{Columns: []table.Column{{Name: table.Plain("experiment")}}}
	for _, name := range []string{"cells", "done", "failed", "running", "waiting", "missing"} {
		t.Columns = append(t.Columns, table.Column{Name: table.Plain(name), Align: table.Right})
	}
	all := []cluster.Status{}
	for _, name := range names {
		r, err := run.LoadRecord(s, name)
		if err != nil {
			return err
		}
		st, err := c.look(e, s, r)
		if err != nil {
			return err
		}
		all = append(all, st)
		t.Rows = append(t.Rows, table.Plains(name, fmt.Sprint(st.Cells), fmt.Sprint(st.Done),
			fmt.Sprint(st.Failed), fmt.Sprint(st.Running), fmt.Sprint(st.Waiting), fmt.Sprint(st.Missing)))
	}
	switch {
	case c.JSON:
		err = json.NewEncoder(e.stdout).Encode(all)
	case len(all) > 0:
		err = e.show(t, table.Width)
	}
	if err == nil && unread != nil {
		err = &failedError{errDamagedRecords}
	}
	return err
}
