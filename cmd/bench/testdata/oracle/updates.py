"""Replays first-order algorithms on the rounds of standard input.

usage: updates.py primal-dual|primal-dual-average|ogd step=S [x0=0] < rounds.jsonl

Every action is computed from the actions and multipliers computed here, never
from those printed. Prints the largest difference from those printed.
"""

import json
import sys

import numpy as np

import rounds


def replay(game, algorithm, step, x0=0.0):
    gradient = lambda f, t, x: f.lin[t] + (0 if f.quad is None else f.quad[t] @ x)
    value = lambda f, t, x: f.const[t] + f.lin[t] @ x + (0 if f.quad is None else x @ f.quad[t] @ x / 2)
    if algorithm == "primal-dual-average":
        for g in game.constraints:
            t = np.arange(1, game.T + 1)
            g.const, g.lin = np.cumsum(g.const) / t, np.cumsum(g.lin, axis=0) / t[:, None]
            if g.quad is not None:
                g.quad = np.cumsum(g.quad, axis=0) / t[:, None, None]
    constraints = [] if algorithm == "ogd" else game.constraints
    x = game.domain.project(np.full(game.n, x0))
    dual = np.zeros(len(constraints))
    actions = []
    for t in range(game.T):
        actions.append(x)
        alpha = step / np.sqrt(t + 1)
        d = gradient(game.loss, t, x)
        for j, g in enumerate(constraints):
            d = d + dual[j] * gradient(g, t, x)
        x = game.domain.project(x - alpha * d)
        for j, g in enumerate(constraints):
            dual[j] = max(0.0, dual[j] + alpha * value(g, t, x))
    return np.array(actions)


game = rounds.Game(sys.stdin)
if game.loss.opaque or any(g.opaque for g in game.constraints):
    raise SystemExit("functions must be affine or quadratic")
options = {key: float(value) for key, value in (arg.split("=") for arg in sys.argv[2:])}
off = np.max(np.abs(replay(game, sys.argv[1], **options) - game.x), axis=1)
json.dump({"rounds": game.T, "difference": np.max(off), "at": int(np.argmax(off)) + 1}, sys.stdout)
