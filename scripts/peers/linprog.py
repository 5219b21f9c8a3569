"""Solves for the best fixed actions with scipy's linprog (HiGHS).

usage: linprog.py HINDSIGHT.json EVERY < rounds.jsonl

The rounds are those that `bench play` prints, of affine functions on a box.
HINDSIGHT.json is {"columns":[…],"rows":[[…],…]}: the values that ocobench finds
for X^min, X̂^max and X^max at its checkpoints. At every EVERY-th of these
checkpoints, counted from the last, the three programs are solved from scratch;
the CPU seconds of the others are taken from their neighbours, by the
trapezoidal rule over the checkpoints.

Prints JSON: seconds (of all, by that rule), solved, checkpoints, difference
(the largest, of the values, relative to max(1, |value|)).
"""

import json
import sys
import time

import numpy as np
from scipy.optimize import linprog

# The values are to agree to 1e-8; the defaults, 1e-7, allow less.
OPTIONS = {"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10}


def main():
    with open(sys.argv[1]) as file:
        ours = json.load(file)
    header = json.loads(sys.stdin.readline())
    m, box = header["constraints"], header["domain"]["box"]
    bounds = list(zip(box["lower"], box["upper"]))
    n = len(bounds)
    loss, constraints = [], []
    form = lambda f: f["form"].get("lin", [0.0] * n) + [f["form"].get("const", 0.0)]
    for line in sys.stdin:
        r = json.loads(line)
        loss.append(form(r["loss"]))
        constraints.append([form(c) for c in r["constraints"]])
    loss, g = np.cumsum(loss, axis=0), np.array(constraints)
    prefix = np.cumsum(g, axis=0)

    checkpoints = ours["rows"][:: -int(sys.argv[2])][::-1]
    seconds, difference = [], 0.0
    for row in checkpoints:
        found = dict(zip(ours["columns"], row))
        t = int(found["t"])
        rows = {"xmin": g[:t], "xhat": prefix[:t], "xmax": prefix[t - 1 : t]}
        start = time.process_time()
        values = {}
        for name, r in rows.items():
            r = r.reshape(-1, n + 1)
            sol = linprog(loss[t - 1, :n], r[:, :n], -r[:, n], bounds=bounds, method="highs", options=OPTIONS)
            values[name] = sol.fun + loss[t - 1, n] if sol.status == 0 else None
        seconds.append(time.process_time() - start)
        for name, value in values.items():
            mine = found[name + "_value"]  # null where the set is empty
            if (value is None) != (mine is None):
                difference = np.inf
            elif value is not None:
                difference = max(difference, abs(value - mine) / max(1, abs(value)))
    seconds, total = np.array(seconds), len(ours["rows"])
    at = np.arange(total)[:: -int(sys.argv[2])][::-1]
    estimate = np.interp(np.arange(total), at, seconds).sum()
    json.dump({"seconds": estimate, "solved": len(at), "checkpoints": total, "difference": difference}, sys.stdout)


main()
