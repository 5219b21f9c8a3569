# The algorithm of Yu, Lee and Lee (2026) with the scales of the authors' program: γ_t is
# multiplied by gamma, the regulariser of the queue by regulariser, and the term 12γ_tG² of the
# queue is left out. With the constants of the paper both scales are 1. See docs/published.md.
#
# γ_t = gamma·min{1/(12G√t), 1/(24ΔL), 1},  Φ' = γ_t exp(γ_tQ_t),  S_t = Σ_{τ≤t} Φ'_τ²
# x_{t+1} = Π(x_t − η_t(∇f_t + Φ'∇g_t)),  η_t = Δ/√(2(1 + Σ_{τ≤t}‖∇f_τ + Φ'_τ∇g_τ‖²))
# Q_{t+1} = Q_t + g_t(x_t) − regulariser·4ΔL(√S_t − √S_{t−1})/Φ'
import json
import math
import sys

DECLARATION = {
    "protocol": 1, "name": "Yu, Lee, Lee with the scales of their program", "version": 1,
    "anytime": True,
    "parameters": [
        {"name": "gamma", "type": "number", "default": 300, "above": 0, "doc": "scale of γ_t"},
        {"name": "regulariser", "type": "number", "default": 0.001, "min": 0, "doc": "scale of the regulariser"},
        {"name": "lipschitz", "type": "number", "default": 1.4142135623730951, "above": 0, "doc": "L"},
        {"name": "bound", "type": "number", "default": 4, "above": 0, "doc": "G bounds the constraint"},
    ],
}


class Game:
    def __init__(self, game):
        self.box, self.p = game["domain"]["box"], game["parameters"]
        self.delta = math.dist(self.box["lower"], self.box["upper"])
        self.x = [(l + u) / 2 for l, u in zip(self.box["lower"], self.box["upper"])]
        self.queue = self.gradients = self.weights = 0.0

    def tell(self, t, loss, constraint):
        reach = self.delta * self.p["lipschitz"]
        gamma = self.p["gamma"] * min(1 / (12 * self.p["bound"] * math.sqrt(t)), 1 / (24 * reach), 1)
        weight = gamma * math.exp(gamma * self.queue)
        d = [f + weight * g for f, g in zip(loss["subgradient"], constraint["subgradient"])]
        self.gradients += sum(v * v for v in d)
        eta = self.delta / math.sqrt(2 * (1 + self.gradients))
        before, self.weights = math.sqrt(self.weights), self.weights + weight * weight
        regulariser = 4 * reach * (math.sqrt(self.weights) - before) / weight
        self.queue += constraint["value"] - self.p["regulariser"] * regulariser
        self.x = [min(max(v - eta * s, l), u)
                  for v, s, l, u in zip(self.x, d, self.box["lower"], self.box["upper"])]


for line in sys.stdin:
    call = json.loads(line)
    method, params = call["method"], call.get("params")
    answer = {"jsonrpc": "2.0", "id": call.get("id")}
    if method == "initialize":
        game = params.get("game")
        if game and ("box" not in game["domain"] or game["constraints"] != 1):
            answer["error"] = {"code": -32602, "message": "the domain is not a box, or there is not one constraint"}
        else:
            answer["result"] = DECLARATION
            if game:
                state = Game(game)
    elif method == "ask":
        answer["result"] = {"x": state.x}
    elif method == "tell":
        state.tell(params["t"], params["loss"], params["constraints"][0])
        answer["result"] = {"x": state.x}
    elif method == "shutdown":
        break
    else:
        answer["error"] = {"code": -32601, "message": "there is no method " + method}
    print(json.dumps(answer, separators=(",", ":"), ensure_ascii=False), flush=True)
