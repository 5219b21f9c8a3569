"""Solves every round of Penalised FTRL anew on the rounds of standard input.

usage: ftrl.py [gamma=25|adaptive] [kappa=1] [penalty=average|per-round|difference]
               [burn-in=0] [x0=0] [every=1] < rounds.jsonl

The action of round τ+1 is the minimiser over the domain of

    κ√τ‖x−x0‖² + Σ_{i≤τ} f_i(x) + γ Σ_k w_k max(0, a_k·x + b_k),

where the hinges are those of the penalty. Of what is printed, the functions of
the rounds enter, and no action. Solved are the first 12 rounds, the last, and every
every-th between; all, if gamma is adaptive. Prints how many rounds there are, the largest
difference from the actions printed, the largest defect of the solutions found here, and
how far cvxopt alone was from these at most.
"""

import json
import sys

import numpy as np

import hinges
import rounds


def replay(game, gamma=25.0, kappa=1.0, penalty="average", burn_in=0, x0=0.0, every=1):
    """Returns the rounds solved, from 0, their actions, the largest defect and move."""
    n, T = game.n, game.T
    center = np.full(n, x0)
    const = np.stack([g.const for g in game.constraints])  # m×T
    lin = np.stack([g.lin for g in game.constraints])  # m×T×n
    t = np.arange(1, T + 1)
    if penalty != "per-round":
        const, lin = np.cumsum(const, axis=1), np.cumsum(lin, axis=1)
    if penalty == "average":
        const, lin = const / t, lin / t[:, None]
    loss = np.cumsum(game.loss.lin, axis=0)
    curvature = np.zeros((T, n, n)) if game.loss.quad is None else np.cumsum(game.loss.quad, axis=0)

    solved, actions, defects, moves = [0], [game.domain.project(center)], [0.0], [0.0]
    adaptive = gamma == "adaptive"
    weight, clean, frozen = 1.0 if adaptive else gamma, 0, False
    for tau in range(1, T):
        if not adaptive and tau >= 12 and tau % every and tau < T - 1:
            continue
        first = max(burn_in, tau - 1) if penalty == "difference" else burn_in
        a, b = lin[:, first:tau].reshape(-1, n), const[:, first:tau].ravel()
        # Divided by τ, all numbers are of order 1 or less.
        prox = 2 * kappa / np.sqrt(tau)
        P, q = prox * np.eye(n) + curvature[tau - 1] / tau, loss[tau - 1] / tau - prox * center
        solve = lambda: hinges.Program(P, q, a, b, np.full(len(b), weight / tau), game.domain).solve()
        x, defect, moved = solve()
        if adaptive and not frozen:
            clean += 1
            while np.sum(np.maximum(0, a @ x + b)) > 1e-6 and weight < 2**20:
                clean, weight = 0, 2 * weight
                x, defect, moved = solve()
            frozen = clean > 0 and clean >= np.ceil(np.sqrt(tau))
        solved.append(tau), actions.append(x), defects.append(defect), moves.append(moved)
    return np.array(solved), np.array(actions), max(defects), max(moves)


options = dict(arg.split("=") for arg in sys.argv[1:])
options = {key.replace("-", "_"): value if key == "penalty" or value == "adaptive" else float(value) for key, value in options.items()}
for key in ("burn_in", "every"):
    if key in options:
        options[key] = int(options[key])
game = rounds.Game(sys.stdin)
if game.loss.opaque or any(g.opaque or g.quad is not None for g in game.constraints):
    raise SystemExit("constraints must be affine, and losses affine or quadratic")
solved, x, defect, moved = replay(game, **options)
off = np.max(np.abs(x - game.x[solved]), axis=1)
json.dump({"rounds": game.T, "difference": np.max(off), "at": int(solved[np.argmax(off)]) + 1, "defect": defect, "moved": moved}, sys.stdout)
