package cli

import (
	"os"

	"ocobench/harness/external"
)

type serveCmd struct{ externalFlags }

// Help implements the verb's help.
func (*serveCmd) Help() string {
	return `bench serve is the environment of learners in other programs. It reads messages of
JSON-RPC 2.0 from its standard input, one a line, and answers each on its standard
output, until its input ends:

    {"jsonrpc":"2.0","id":1,"method":"new","params":{"problem":"iid","horizon":100}}
    {"jsonrpc":"2.0","id":2,"method":"step","params":{"game":1,"x":[0,0]}}
    {"jsonrpc":"2.0","id":3,"method":"result","params":{"game":1}}

The methods:

    initialize  {"protocol":1}: the version of the protocol and of the program
    new         a game; "seed" and "replicate" are 1, and "feedback" is "FO", unless
                given; "FI" shows whole functions, "FO+" the constraints ahead
    step        plays x, and shows the round and all metrics so far
    result      the metrics, and the regret against every comparator set, certified
    close       ends a game

Several games can be open at once. The rounds are those of bench play and bench run
with the same problem, seed and replicate.`
}

// Run implements the verb. When it is interrupted, the message that is being answered
// still is.
func (*serveCmd) Run(e *env) error {
	return external.Serve(e.ctx, e.catalog, os.Stdin, e.stdout, e.fail)
}
