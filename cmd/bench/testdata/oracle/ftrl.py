"""Solves every round of Penalised FTRL anew on the rounds of standard input.

usage: ftrl.py [gamma=25|adaptive] [kappa=1] [penalty=average|per-round|difference]
               [burn-in=0] [x0=0] < rounds.jsonl

The action of round τ+1 is the minimiser over the domain of

    κ√τ‖x−x0‖² + Σ_{i≤τ} f_i(x) + γ Σ_k w_k max(0, a_k·x + b_k),

where the hinges are those of the penalty. Of what is printed, the functions of
the rounds enter, and no action. Prints the largest difference from the actions
printed, the largest defect of the solutions found here, and how far cvxopt
alone was from these at most.
"""

import json
import sys

import numpy as np

import hinges
import rounds


def replay(game, gamma=25.0, kappa=1.0, penalty="average", burn_in=0, x0=0.0):
    """Returns the actions, the largest defect and the largest move."""
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

    actions, defects, moves = [game.domain.project(center)], [0.0], [0.0]
    adaptive = gamma == "adaptive"
    weight, clean, frozen = 1.0 if adaptive else gamma, 0, False
    for tau in range(1, T):
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
        actions.append(x), defects.append(defect), moves.append(moved)
    return np.array(actions), max(defects), max(moves)


options = dict(arg.split("=") for arg in sys.argv[1:])
options = {key.replace("-", "_"): value if key == "penalty" or value == "adaptive" else float(value) for key, value in options.items()}
options["burn_in"] = int(options.get("burn_in", 0))
game = rounds.Game(sys.stdin)
if game.loss.opaque or any(g.opaque or g.quad is not None for g in game.constraints):
    raise SystemExit("constraints must be affine, and losses affine or quadratic")
x, defect, moved = replay(game, **options)
off = np.max(np.abs(x - game.x), axis=1)
json.dump({"rounds": game.T, "difference": np.max(off), "at": int(np.argmax(off)) + 1, "defect": defect, "moved": moved}, sys.stdout)
