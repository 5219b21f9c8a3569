import json
import math
import sys

DECLARATION = {
    "protocol": 1, "name": "projected gradient descent", "version": 1, "anytime": True,
    "parameters": [{"name": "step", "type": "number", "default": 1, "above": 0, "doc": "steps are step/√t"}],
    "claims": [{"metric": "regret_domain", "exponent": 0.5}],
}


def project(x):
    return [min(max(v, l), u) for v, l, u in zip(x, box["lower"], box["upper"])]


for line in sys.stdin:
    call = json.loads(line)
    method, params = call["method"], call.get("params")
    if method == "initialize":
        answer = {"result": DECLARATION}
        if "game" in params:
            box = params["game"]["domain"].get("box")
            step = params["game"]["parameters"]["step"]
            if box:
                x = project([0.0] * len(box["lower"]))
            else:
                answer = {"error": {"code": -32602, "message": "the domain is not a box"}}
    elif method == "ask":
        answer = {"result": {"x": x}}
    elif method == "tell":
        eta = step / math.sqrt(params["t"])
        x = project([v - eta * g for v, g in zip(x, params["loss"]["subgradient"])])
        answer = {"result": {"x": x}}
    else:
        break  # shutdown
    answer = {"jsonrpc": "2.0", "id": call["id"], **answer}
    print(json.dumps(answer, separators=(",", ":"), ensure_ascii=False), flush=True)
