import json
import math
import sys

DECLARATION = {
    "protocol": 1, "name": "projected gradient descent", "version": 1, "anytime": True,
    "parameters": [{"name": "step", "type": "number", "default": 1, "above": 0, "doc": "steps are step/√t"}],
    "claims": [{"metric": "regret_domain", "exponent": 0.5, "bound": "(Delta^2/(2*step) + step*G^2)*sqrt(t)"}],
}


def project(x):
    """The point of the box of the game nearest to x."""
    return [min(max(v, l), u) for v, l, u in zip(x, box["lower"], box["upper"])]


for line in sys.stdin:
    call = json.loads(line)
    method, params = call["method"], call.get("params")
    answer = {"jsonrpc": "2.0", "id": call.get("id")}
    if method == "initialize":
        game = params.get("game")
        if game and "box" not in game["domain"]:
            answer["error"] = {"code": -32602, "message": "the domain is not a box"}
        else:
            answer["result"] = DECLARATION
            if game:
                box, step = game["domain"]["box"], game["parameters"]["step"]
                x = project([0.0] * len(box["lower"]))
    elif method == "ask":
        answer["result"] = {"x": x}
    elif method == "tell":
        eta = step / math.sqrt(params["t"])
        x = project([v - eta * g for v, g in zip(x, params["loss"]["subgradient"])])
        answer["result"] = {"x": x}
    elif method == "shutdown":
        break
    else:
        answer["error"] = {"code": -32601, "message": "there is no method " + method}
    print(json.dumps(answer, separators=(",", ":"), ensure_ascii=False), flush=True)
