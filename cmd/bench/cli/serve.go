package cli

import (
	"os"

	"ocobench/harness/external"
)

// serveCmd holds the flags of bench serve, which plays rounds with another program over standard
// input and output.
type serveCmd struct{ externalFlags }

// Run implements the verb. An interrupt ends it after the message that is being answered.
func (*serveCmd) Run(e *env) error {
	return external.Serve(e.ctx, e.catalog, os.Stdin, e.stdout, e.printError)
}
