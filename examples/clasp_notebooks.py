# CLASP-I (Ferreira, Soares, Xavier 2026), RECOO (Guo, Liu, Wei, Ying 2022) and AdaGrad (Sinha,
# Vaze 2024) as the notebooks have them that draw the figures of CLASP: of a constraint max_j g_j
# they use the row that is largest at x_t, RECOO has γ_t = (t−1)^{ε/2} instead of t^{1/2+ε} and no γ
# in the queue, and the diameter is √2. The first action is uniformly random. See
# docs/published.md.
#
# With a the slope of that row, on a box D:
# clasp   x_{t+1} is the point of D with g(x_t) + a·(x − x_t) ≤ 0 nearest to x_t − ∇f_t(x_t)/√t
# recoo   x_{t+1} minimises ∇f_t(x_t)·x + Q_t γ_t [g(x_t) + a·(x − x_t)]₊ + √t ‖x − x_t‖² on D,
#         Q_t = max(Q_{t−1} + [g(x_t)]₊, √t)
# adagrad x_{t+1} = Π(x_t − η_t∇_t), ∇_t = β∇f_t(x_t) + λ exp(λQ_t)·βa [g(x_t) > 0], β = 1/(2GΔ),
#         Q_t = Q_{t−1} + β[g(x_t)]₊, λ = 1/(2√T), η_t = Δ/√(2Σ‖∇‖²), Δ = √2, G = 100
# The first two have a dual of one variable λ, at most Q_t γ_t for recoo: x(λ) = Π(x_t − s(∇f_t + λa)) with
# s = 1/√t for clasp and 1/(2√t) for recoo, and g(x_t) + a·(x(λ) − x_t) decreases in λ. Bisection finds λ.
import json
import math
import random
import sys

DECLARATION = {
    "protocol": 1, "name": "CLASP-I, RECOO and AdaGrad of CLASP's notebooks", "version": 1,
    "anytime": False, "draws": True,
    "parameters": [
        {"name": "rule", "type": "string", "default": "clasp", "enum": ["clasp", "recoo", "adagrad"],
         "doc": "which of them"},
        {"name": "epsilon", "type": "number", "default": 0.001, "min": 0, "doc": "ε of γ_t"},
    ],
}


class Game:
    def __init__(self, game):
        self.box, self.p, self.horizon = game["domain"]["box"], game["parameters"], game["horizon"]
        self.queue = self.squares = 0.0
        draw = random.Random(game["seed"])
        self.x = [l + (u - l) * draw.random() for l, u in zip(self.box["lower"], self.box["upper"])]

    def adagrad(self, loss, row):
        delta, multiplier, scale = math.sqrt(2), 1 / (2 * math.sqrt(self.horizon)), 1 / (200 * math.sqrt(2))
        weight = 0.0
        if row["value"] > 0:
            self.queue += scale * row["value"]
            weight = multiplier * math.exp(multiplier * self.queue)
        d = [scale * (f + weight * g) for f, g in zip(loss["subgradient"], row["subgradient"])]
        self.squares += sum(v * v for v in d)
        if self.squares > 0:
            eta = delta / math.sqrt(2 * self.squares)
            self.x = [min(max(v - eta * s, l), u)
                      for v, s, l, u in zip(self.x, d, self.box["lower"], self.box["upper"])]

    def tell(self, t, loss, constraints):
        row = max(constraints, key=lambda g: g["value"])
        if self.p["rule"] == "adagrad":
            self.adagrad(loss, row)
            return
        value, a = row["value"], row["subgradient"]
        scale, largest = 1 / math.sqrt(t), 1.0  # of λ; for clasp it is doubled below
        if self.p["rule"] == "recoo":
            self.queue = max(self.queue + max(value, 0.0), math.sqrt(t))
            scale, largest = scale / 2, self.queue * ((t - 1) ** (self.p["epsilon"] / 2) if t > 1 else 0.0)

        def action(multiplier):
            return [min(max(v - scale * (d + multiplier * s), l), u) for v, d, s, l, u in zip(
                self.x, loss["subgradient"], a, self.box["lower"], self.box["upper"])]

        def excess(y):
            return value + sum(s * (w - v) for s, w, v in zip(a, y, self.x))

        if self.p["rule"] == "clasp":  # until the row is satisfied, which some action does
            while excess(action(largest)) > 0 and largest < 1e12:
                largest *= 2
        low, high = 0.0, largest
        if excess(action(0.0)) <= 0:
            high = 0.0
        elif excess(action(largest)) <= 0:
            for _ in range(100):
                middle = (low + high) / 2
                if excess(action(middle)) > 0:
                    low = middle
                else:
                    high = middle
        self.x = action(high)


for line in sys.stdin:
    call = json.loads(line)
    method, params = call["method"], call.get("params")
    answer = {"jsonrpc": "2.0", "id": call.get("id")}
    if method == "initialize":
        game = params.get("game")
        if game and ("box" not in game["domain"] or not game["constraints"] or not game["horizon"]):
            answer["error"] = {"code": -32602, "message": "the domain is not a box, or there is no constraint or no horizon"}
        else:
            answer["result"] = DECLARATION
            if game:
                state = Game(game)
    elif method == "ask":
        answer["result"] = {"x": state.x}
    elif method == "tell":
        state.tell(params["t"], params["loss"], params["constraints"])
        answer["result"] = {"x": state.x}
    elif method == "shutdown":
        break
    else:
        answer["error"] = {"code": -32601, "message": "there is no method " + method}
    print(json.dumps(answer, separators=(",", ":"), ensure_ascii=False), flush=True)
