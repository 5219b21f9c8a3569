"""Plays Penalised FTRL by solving every round anew with cvxopt.

usage: resolve_cvxopt.py SOLVES < rounds.jsonl

The rounds are those that `bench play --algorithm penalised-ftrl` prints, of
affine functions on a box. The action of round τ+1 minimises over the box

    √τ‖x‖² + Σ_{i≤τ} f_i(x) + 25 Σ_{i≤τ} Σ_j max(0, G_i^j(x)/i),   G_i = Σ_{k≤i} g_k,

a quadratic program with a variable for each of the τ·m hinges, in sparse
matrices. All T−1 programs take long: of them, SOLVES are solved, evenly spaced
with both ends, and the CPU seconds of all are their integral over the rounds
by the trapezoidal rule.

Prints JSON: seconds (of all, by that integral), solved, rounds, difference
(the largest, of the actions solved for from those printed).
"""

import json
import math
import sys
import time

import numpy as np
from cvxopt import matrix, solvers, spmatrix

GAMMA, KAPPA = 25.0, 1.0

# The default tolerances do not agree to 1e-5: an interior point stops short of
# the minimiser by about the square root of its gap.
solvers.options.update(show_progress=False, abstol=1e-10, reltol=1e-10, feastol=1e-10)


def solve(tau, loss, a, b, lower, upper):
    """The action after tau rounds; hinges are the rows of a·x + b."""
    n, k = len(lower), len(b)
    P = spmatrix(2 * KAPPA * math.sqrt(tau), range(n), range(n), (n + k, n + k))
    q = matrix(np.concatenate([loss, np.full(k, GAMMA)]))
    # a·x − s ≤ −b, −s ≤ 0, x ≤ upper, −x ≤ −lower
    i = np.concatenate([np.repeat(np.arange(k), n), np.arange(k), k + np.arange(k), 2 * k + np.arange(2 * n)])
    j = np.concatenate([np.tile(np.arange(n), k), n + np.arange(k), n + np.arange(k), np.arange(n), np.arange(n)])
    v = np.concatenate([a.ravel(), -np.ones(2 * k), np.ones(n), -np.ones(n)])
    G = spmatrix(v, i.astype(int), j.astype(int), (2 * k + 2 * n, n + k))
    h = matrix(np.concatenate([-b, np.zeros(k), upper, -lower]))
    return np.array(solvers.qp(P, q, G, h)["x"]).ravel()[:n]


def main():
    header = json.loads(sys.stdin.readline())
    rounds = [json.loads(line) for line in sys.stdin]
    T, m = len(rounds), header["constraints"]
    lower, upper = (np.array(header["domain"]["box"][side], float) for side in ("lower", "upper"))
    t = np.arange(1, T + 1)[:, None]
    form = lambda f: f["form"].get("lin", [0.0] * len(lower)) + [f["form"].get("const", 0.0)]
    loss = np.cumsum([form(r["loss"])[:-1] for r in rounds], axis=0)
    g = np.cumsum([[form(c) for c in r["constraints"]] for r in rounds], axis=0) / t[:, :, None]
    x = np.array([r["x"] for r in rounds])

    taus = np.unique(np.linspace(1, T - 1, min(int(sys.argv[1]), T - 1)).round().astype(int))
    seconds, difference = [], 0.0
    for tau in taus:
        start = time.process_time()
        h = g[:tau].reshape(tau * m, -1)
        action = solve(tau, loss[tau - 1], h[:, :-1], h[:, -1], lower, upper)
        seconds.append(time.process_time() - start)
        difference = max(difference, np.max(np.abs(action - x[tau])))
    seconds = np.array(seconds)
    total = np.sum(seconds) if len(taus) == T - 1 else np.sum(np.diff(taus) * (seconds[1:] + seconds[:-1]) / 2)
    json.dump({"seconds": total, "solved": len(taus), "rounds": T - 1, "difference": difference}, sys.stdout)


main()
