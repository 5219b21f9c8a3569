# RECOO (Guo, Liu, Wei, Ying 2022) with the weights of the program that draws the figures of
# CLASP: γ_t = (t−1)^{ε/2} instead of t^{1/2+ε}, no γ in the queue, and the hinge of the
# constraint that is largest at x_t. See docs/published.md.
#
# x_{t+1} minimises ∇f_t(x_t)·x + Q_t γ_t [g(x_t) + a·(x − x_t)]₊ + √t ‖x − x_t‖² on a box, with
# Q_t = max(Q_{t−1} + [g(x_t)]₊, √t). Its dual has one variable λ in [0, Q_t γ_t]: x(λ) is the
# projection of x_t − (∇f + λa)/(2√t), and g(x_t) + a·(x(λ) − x_t) decreases in λ.
import json
import math
import sys

DECLARATION = {
    "protocol": 1, "name": "RECOO with the weights of CLASP's program", "version": 1, "anytime": True,
    "parameters": [{"name": "epsilon", "type": "number", "default": 0.001, "min": 0,
                    "doc": "ε of γ_t = (t−1)^{ε/2}"}],
}


def step(x, loss, constraints, t, queue, epsilon):
    largest = max(constraints, key=lambda g: g["value"])
    value, a = largest["value"], largest["subgradient"]
    queue = max(queue + max(value, 0.0), math.sqrt(t))
    weight = queue * ((t - 1) ** (epsilon / 2) if t > 1 else 0.0)

    def action(multiplier):
        return [min(max(v - (d + multiplier * s) / (2 * math.sqrt(t)), l), u)
                for v, d, s, l, u in zip(x, loss["subgradient"], a, box["lower"], box["upper"])]

    def excess(y):
        return value + sum(s * (w - v) for s, w, v in zip(a, y, x))

    low, high = 0.0, weight
    if excess(action(low)) <= 0:
        return action(low), queue
    if excess(action(high)) >= 0:
        return action(high), queue
    for _ in range(100):
        middle = (low + high) / 2
        if excess(action(middle)) > 0:
            low = middle
        else:
            high = middle
    return action(high), queue


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
                box, epsilon, queue = game["domain"]["box"], game["parameters"]["epsilon"], 0.0
                x = [(l + u) / 2 for l, u in zip(box["lower"], box["upper"])]
    elif method == "ask":
        answer["result"] = {"x": x}
    elif method == "tell":
        x, queue = step(x, params["loss"], params["constraints"], params["t"], queue, epsilon)
        answer["result"] = {"x": x}
    elif method == "shutdown":
        break
    else:
        answer["error"] = {"code": -32601, "message": "there is no method " + method}
    print(json.dumps(answer, separators=(",", ":"), ensure_ascii=False), flush=True)
