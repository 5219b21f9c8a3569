# The problem rain as a program without the client library: one call of JSON-RPC a line on standard
# input, one answer a line on standard output. A call of initialize without a game asks for the
# declaration alone; with a game it starts a stream of rounds. shutdown has no answer.
import json
import math
import random
import sys

DECLARATION = {
    "protocol": 1, "role": "problem", "name": "rain", "version": 1,
    "doc": "two reservoirs sell water, and release no more than it rains; early rounds are dry",
    "parameters": [{"name": "drought", "type": "number", "default": 0.25, "min": 0, "below": 0.5, "doc": "it rains drought/√t less in round t"}],
}

for line in sys.stdin:
    call = json.loads(line)
    method, params = call["method"], call.get("params")
    answer = {"jsonrpc": "2.0", "id": call.get("id")}
    if method == "initialize":
        answer["result"] = DECLARATION
        if "game" in params:
            rng = random.Random(params["game"]["seed"])
            drought = params["game"]["parameters"]["drought"]
            # Prices are at most 2, so that the slope of the loss is at most 2√2 and its range 4. The
            # slope of the constraint is √2. As 0 ≤ rain ≤ 1.5, its values are between −1.5 and 2, and
            # at x = 0 at most drought − 0.5.
            answer["result"] = DECLARATION | {"instance": {
                "domain": {"box": {"lower": [0, 0], "upper": [1, 1]}}, "constraints": 1,
                "facts": {"loss_lipschitz": 3, "loss_range": 4, "constraint_lipschitz": 1.5, "constraint_bound": 2,
                          "slater": 0.5 - drought, "affine": True, "perturbed": True},
            }}
    elif method == "reveal":
        prices = [1 + rng.random(), 1 + rng.random()]
        rain = 0.5 + rng.random() - drought / math.sqrt(params["t"])
        answer["result"] = {"loss": {"form": {"lin": [-p for p in prices]}},
                            "constraints": [{"form": {"const": -rain, "lin": [1, 1]}}]}
    elif method == "shutdown":
        break
    else:
        answer["error"] = {"code": -32601, "message": "there is no method " + method}
    print(json.dumps(answer, separators=(",", ":"), ensure_ascii=False), flush=True)
