package cli

type playCmd struct{ streamFlags }

func (c *playCmd) Run(e *env) error { return nil }
