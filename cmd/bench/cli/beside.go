package cli

import (
	"context"

	"ocobench/harness"
	"ocobench/harness/analysis"
	"ocobench/harness/store"
)

func readBeside(ctx context.Context, catalog harness.Catalog, path string) (all []*analysis.Analysis, err error) {
	s, err := store.Open(path)
	if err != nil {
		return nil, err
	}
	rs, err := harness.Load(s)
	for _, r := range rs {
		a, err := analysis.Of(ctx, catalog, r)
		if err != nil {
			return nil, err
		}
		all = append(all, a)
	}
	return all, err
}
