"""An opaque problem for bench, by docs/protocol.md: functions known by values and subgradients."""

import json
import random
import sys

DECLARATION = {
    "protocol": 1, "role": "problem", "name": "pursuit", "version": 1,
    "doc": "a point pursues a target within a curve that widens and narrows",
}
# On [−1, 1]², with |c_i| ≤ 1 and 0.5 ≤ b ≤ 1.5: |x_i − c_i| ≤ 2, so that ‖∇f‖ ≤ 3·2²·√2 < 18 and
# 0 ≤ f ≤ 2·2³; ‖∇g‖ ≤ 4·√2 < 6, |g| ≤ 1.5 < 2, and g(0) = −b ≤ −0.5.
FACTS = {"loss_lipschitz": 18, "loss_range": 16, "constraint_lipschitz": 6, "constraint_bound": 2, "slater": 0.5, "iid": True, "opaque": True}
rounds = []  # (c, b) of each round


def oracle(value, gradient):
    """What the protocol has of a function at a point."""
    return {"value": value, "subgradient": gradient}


def functions(t, x):
    """f_t(x) = Σ_i |x_i − c_i|³ and g_t(x) = Σ_i x_i⁴ − b, with c and b of round t."""
    c, b = rounds[t - 1]
    away = [v - w for v, w in zip(x, c)]
    return [
        oracle(sum(abs(d) ** 3 for d in away), [3 * d * abs(d) for d in away]),
        oracle(sum(v**4 for v in x) - b, [4 * v**3 for v in x]),
    ]


def plus(f, g):
    """The value and the gradient of f + g, from those of f and g at one point."""
    return oracle(f["value"] + g["value"], [u + v for u, v in zip(f["subgradient"], g["subgradient"])])


def sums(asked, x):
    """For each T asked: Σ f_t, Σ g_t, max_{t≤T} g_t and max_{s≤T} Σ_{t≤s} g_t at x, the maxima with
    the round that reaches them first."""
    zero = oracle(0, [0] * len(x))
    loss, total, largest, prefix = zero, zero, None, None
    for t in range(1, max(asked, default=0) + 1):
        f, g = functions(t, x)
        loss, total = plus(loss, f), plus(total, g)
        largest = g | {"round": t} if t == 1 or g["value"] > largest["value"] else largest
        prefix = total | {"round": t} if t == 1 or total["value"] > prefix["value"] else prefix
        if t in asked:
            yield {"loss": loss, "total": [total], "largest": [largest], "prefix": [prefix]}


for line in sys.stdin:
    call = json.loads(line)
    method, params = call["method"], call.get("params")
    answer = {"jsonrpc": "2.0", "id": call.get("id")}
    if method == "initialize":
        answer["result"] = DECLARATION
        if "game" in params:  # without a game, only the declaration is asked for
            rng, rounds = random.Random(params["game"]["seed"]), []
            answer["result"] = DECLARATION | {"instance": {
                "domain": {"box": {"lower": [-1, -1], "upper": [1, 1]}}, "constraints": 1, "facts": FACTS}}
    elif method in ("reveal", "value"):
        if method == "reveal":
            rounds.append(([2 * rng.random() - 1, 2 * rng.random() - 1], 0.5 + rng.random()))
        loss, constraint = functions(params["t"], params["x"])
        answer["result"] = {"loss": loss, "constraints": [constraint]}
    elif method == "evaluate":
        single = [[functions(t, params["x"])[1]] for t in params.get("single", [])]
        answer["result"] = {"sums": list(sums(params["rounds"], params["x"])), "single": single}
    elif method == "shutdown":
        break
    else:
        answer["error"] = {"code": -32601, "message": "there is no method " + method}
    print(json.dumps(answer, separators=(",", ":"), ensure_ascii=False), flush=True)
