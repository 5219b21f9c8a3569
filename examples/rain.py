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
