"""Solves for the best fixed actions on the rounds of standard input.

usage: hindsight.py ANSWER.json < rounds.jsonl

ANSWER.json is what `bench hindsight --json` says of the same rounds. For each
comparator set, the constraints of which are here divided by the number of
rounds in their sum, this prints

    empty     HiGHS finds the constraints infeasible (absent where they are not linear)
    margin    min over the domain of the largest constraint: > 0 if the set is empty
    upper     total loss at the solution found here
    lower     a dual bound of it
    value     total loss at the action in the answer
    residual  by how much that action violates a constraint or the domain at most

The solver is HiGHS where domain, constraints and losses are linear, and else
cvxopt, on a second-order cone program.
"""

import json
import sys

import numpy as np
from cvxopt import matrix, solvers
from scipy.optimize import linprog

import rounds

solvers.options.update(show_progress=False, maxiters=100)


class Rows:
    """Constraints const + lin·x + ½xᵀquad x + norm·‖x−center‖ ≤ 0, each a row;
    quad or norm is None, or both."""

    def __init__(self, const, lin, quad=None, norm=None, center=None):
        self.const, self.lin, self.quad, self.norm, self.center = const, lin, quad, norm, center

    @staticmethod
    def of(g, x):
        """The constraints that play printed, in rounds of actions x."""
        if not g.opaque:
            return Rows(g.const, g.lin, g.quad)
        # ‖x−center‖ − ρ_t: the rays of the subgradients meet at the center.
        n = x.shape[1]
        u = g.subgradient
        across = np.eye(n) - u[:, :, None] * u[:, None, :]
        center = np.linalg.solve(across.sum(axis=0), np.einsum("tij,tj->i", across, x))
        distance = np.linalg.norm(x - center, axis=1)
        if np.max(np.abs(x - center - distance[:, None] * u)) > 1e-12:
            raise SystemExit("an opaque constraint is not a distance")
        return Rows(g.value - distance, np.zeros((len(x), n)), norm=np.ones(len(x)), center=center)

    def map(self, f):
        """The constraints with f applied to the coefficients, over the rounds."""
        each = lambda v: None if v is None else f(v)
        return Rows(f(self.const), f(self.lin), each(self.quad), each(self.norm), self.center)

    def tightest(self):
        """Without rows that differ from another only in that their constant is
        less."""
        shapes = [self.lin]
        if self.quad is not None:
            shapes.append(self.quad.reshape(len(self.const), -1))
        if self.norm is not None:
            shapes.append(self.norm[:, None])
        _, group = np.unique(np.round(np.hstack(shapes), 12), axis=0, return_inverse=True)
        order = np.lexsort((-self.const, group))
        first = order[np.r_[True, np.diff(group[order]) > 0]]
        return self.map(lambda v: v[first])

    def at(self, x):
        v = self.const + self.lin @ x
        if self.quad is not None:
            v = v + np.einsum("tij,i,j->t", self.quad, x, x) / 2
        if self.norm is not None:
            v = v + self.norm * np.linalg.norm(x - self.center)
        return v


def cones(rows, n, slack):
    """Linear rows G, h and second-order cones G, h of cvxopt, in variables x and,
    if slack, s: all constraints ≤ s."""
    G, h, Gq, hq = [], [], [], []
    for r in rows:
        for k, const in enumerate(r.const):
            lin = np.append(r.lin[k], [-1.0] * slack)  # of lin·x − s
            if r.norm is not None:
                # norm·‖x−center‖ ≤ s − lin·x − const
                G0 = np.zeros((n + 1, n + slack))
                G0[0], G0[1:, :n] = lin, -r.norm[k] * np.eye(n)
                Gq.append(G0), hq.append(np.append(-const, -r.norm[k] * r.center))
            elif r.quad is not None:
                # ‖√Q x‖² ≤ u, u = 2(s − lin·x − const), as ‖(2√Q x, 1−u)‖ ≤ 1+u
                w, v = np.linalg.eigh(r.quad[k])
                root = np.sqrt(np.maximum(w, 0))[:, None] * v.T
                G0 = np.zeros((n + 2, n + slack))
                G0[0], G0[1 : n + 1, :n], G0[n + 1] = 2 * lin, -2 * root, -2 * lin
                Gq.append(G0), hq.append(np.concatenate([[1 - 2 * const], np.zeros(n), [1 + 2 * const]]))
            else:
                G.append(lin), h.append(-const)
    return G, h, Gq, hq


def cone_program(P, q, domain, rows, slack=0):
    """min ½xᵀPx + q·x, or with a slack the least largest constraint. Returns x
    (and s), the value and the dual value.

    The rows are few at first: those that a solution violates join them."""
    n = domain.n
    rows = [r.tightest() for r in rows]
    if slack:
        P, q = np.zeros((n + 1, n + 1)), np.append(np.zeros(n), 1.0)
    used = [np.zeros(len(r.const), dtype=bool) for r in rows]
    excess = [r.at(domain.project(np.zeros(n))) for r in rows]
    while True:
        for u, v in zip(used, excess):
            worst = np.argsort(np.where(u, -np.inf, v))[-5:]
            u[worst] |= v[worst] > (1e-12 if u.any() else -np.inf)
        x, upper, lower = solve_cones(P, q, domain, [r.map(lambda v: v[u]) for r, u in zip(rows, used)], slack)
        excess = [r.at(x[:n]) - (x[n] if slack else 0) for r in rows]
        if all(np.max(v[~u], initial=-np.inf) <= 1e-12 for u, v in zip(used, excess)):
            return x, upper, lower


def solve_cones(P, q, domain, rows, slack):
    n = domain.n
    G, h, Gq, hq = cones(rows, n, slack)
    pad = lambda a: np.hstack([a, np.zeros((len(a), slack))])
    G = np.vstack([pad(domain.rows)] + ([G] if G else []))
    h = np.append(domain.offsets, h)
    if domain.radius is not None:
        Gq.append(pad(np.vstack([np.zeros(n), -np.eye(n)])))
        hq.append(np.append(domain.radius, -domain.center))
    dims = {"l": len(h), "q": [len(v) for v in hq], "s": []}
    A, b = pad(domain.equality), domain.total
    problem = (
        matrix(P), matrix(q), matrix(np.vstack([G] + Gq)), matrix(np.concatenate([h] + hq)), dims,
        matrix(A, A.shape, "d"), matrix(b, (len(b), 1), "d"))
    for tolerance in [1e-11, 1e-10, 1e-9]:
        solvers.options.update(abstol=tolerance, reltol=tolerance, feastol=tolerance)
        try:
            sol = solvers.coneqp(*problem, kktsolver="ldl")
        except (ValueError, ArithmeticError):
            continue
        if sol["status"] == "optimal":
            return np.array(sol["x"]).ravel(), sol["primal objective"], sol["dual objective"]
    raise SystemExit("cvxopt finds no solution")


def linear_program(q, domain, rows, slack=0):
    """The same with HiGHS, where everything is linear; None if infeasible."""
    n = domain.n
    A = np.vstack([r.lin for r in rows])
    b = -np.concatenate([r.const for r in rows])
    E, total, bounds, cost = domain.equality, domain.total, list(domain.bounds), q
    if slack:
        A, E = np.hstack([A, -np.ones((len(A), 1))]), np.hstack([E, np.zeros((len(E), 1))])
        bounds, cost = bounds + [(None, None)], np.append(np.zeros(n), 1.0)
    tight = {"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10}
    sol = linprog(cost, A, b, E, total, bounds, method="highs", options=tight)
    if sol.status == 2:
        return None
    if sol.status != 0:
        raise SystemExit(f"HiGHS: {sol.message}")
    lower = sol.fun
    if not slack:  # any multipliers ≥ 0 give a bound
        y = np.maximum(0, -sol.ineqlin.marginals)
        lower = domain.least(q + y @ A) - y @ b
    return sol.x, sol.fun, lower


def main():
    with open(sys.argv[1]) as file:
        answer = json.load(file)["sets"]
    game = rounds.Game(sys.stdin)
    n, T = game.n, game.T
    loss = lambda x: game.loss.const.sum() + game.loss.lin.sum(axis=0) @ x + x @ P @ x / 2 * T
    q = game.loss.lin.sum(axis=0) / T
    P = np.zeros((n, n)) if game.loss.quad is None else game.loss.quad.sum(axis=0) / T
    each = [Rows.of(g, game.x) for g in game.constraints]
    t = np.arange(1, T + 1)
    average = lambda v: np.cumsum(v, axis=0) / t.reshape(-1, *[1] * (v.ndim - 1))
    prefix = [r.map(average) for r in each]
    sets = {"xmin": each, "xhat": prefix, "xmax": [r.map(lambda v: v[-1:]) for r in prefix]}
    linear = game.domain.radius is None and not P.any() and all(r.quad is None and r.norm is None for r in each)
    report = {}
    for name, rows in sets.items():
        r = report[name] = {}
        if linear:
            _, r["margin"], _ = linear_program(q, game.domain, rows, slack=1)
            sol = linear_program(q, game.domain, rows)
            r["empty"] = sol is None
        else:
            _, r["margin"], _ = cone_program(P, q, game.domain, rows, slack=1)
            sol = None if r["margin"] > 0 else cone_program(P, q, game.domain, rows)
        if sol is not None:
            x, upper, lower = sol
            r["upper"], r["lower"] = (v * T + game.loss.const.sum() for v in (upper, lower))
        if "action" in answer[name]:
            x = np.array(answer[name]["action"])
            r["value"] = loss(x)
            r["residual"] = max([game.domain.violation(x)] + [np.max(c.at(x)) for c in rows])
    json.dump(report, sys.stdout)


main()
