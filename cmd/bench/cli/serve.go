package cli

import (
	"os"

	"ocobench/harness/external"
)

// serveCmd holds the flags of bench serve.
type serveCmd struct{ externalFlags }

// Run implements the verb. When it is interrupted, the message that is being answered
// still is.
func (*serveCmd) Run(e *env) error {
	return external.Serve(e.ctx, e.catalog, os.Stdin, e.stdout, e.printError)
}
