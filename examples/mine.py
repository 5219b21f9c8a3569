import json
import math
import sys

DECLARATION = {
    "protocol": 1, "name": "projected gradient descent", "version": 1, "anytime": True,
    "parameters": [{"name": "step", "type": "number", "default": 1, "above": 0, "doc": "steps are step/√t"}],
}


def project(x):
    return [min(max(v, l), u) for v, l, u in zip(x, box["lower"], box["upper"])]


for line in sys.stdin:
    call = json.loads(line)
    method, params = call["method"], call.get("params")
    if method == "initialize":
        result = DECLARATION
        if "game" in params:
            box = params["game"]["domain"]["box"]
            step = params["game"]["parameters"]["step"]
            x = project([0.0] * len(box["lower"]))
    elif method == "ask":
        result = {"x": x}
    elif method == "tell":
        eta = step / math.sqrt(params["t"])
        x = project([v - eta * g for v, g in zip(x, params["loss"]["subgradient"])])
        result = {"x": x}
    else:
        break  # shutdown
    answer = {"jsonrpc": "2.0", "id": call["id"], "result": result}
    print(json.dumps(answer, separators=(",", ":"), ensure_ascii=False), flush=True)
