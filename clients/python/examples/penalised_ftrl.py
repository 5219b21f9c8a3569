"""Penalised FTRL as it is written, with numpy and scipy.

Every round solves the whole problem again: it is the short way to an algorithm
that works, and shows what the incremental one of ocobench saves.
"""

import math
import os
import sys
from typing import Annotated

import numpy as np
from scipy.optimize import minimize

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))  # or copy ocobench.py
import ocobench


@ocobench.learner(
    name="python-penalised-ftrl",
    feedback="FI",
    anytime=True,
    reference="Leith, Iosifidis, Penalised FTRL With Time-Varying Constraints, Theorem 2",
    claims=[ocobench.Claim("regret_xhat", 0.5), ocobench.Claim("violation_penalty", 0.5)],
    assumes=["affine constraints", "affine losses"],
)
class PenalisedFTRL:
    """Follow the regularised leader on losses plus a penalty of averaged constraints.

    With G_i^{(j)} = Σ_{k≤i} g_k^{(j)} and x_1 = Π(0),

        x_{τ+1} = argmin over x in D of  κ√τ‖x‖² + Σ_{i≤τ} f_i(x) + γ Σ_{i≤τ} Σ_j [G_i^{(j)}(x)/i]₊.

    Losses c·x and averages a_k·x + b_k are affine, and γ[v]₊ is the largest μv with
    0 ≤ μ ≤ γ. Therefore the multipliers maximise the concave function

        q(μ) = min over x in D of  κ√τ‖x‖² + (c + Aᵀμ)·x + bᵀμ,   0 ≤ μ_k ≤ γ.

    Its minimiser is x(μ) = Π(−(c + Aᵀμ)/(2κ√τ)), and its gradient A x(μ) + b.
    """

    def __init__(
        self,
        game: ocobench.Setup,
        *,
        gamma: Annotated[float, ocobench.Param("penalty weight γ", above=0)] = 25.0,
        kappa: Annotated[float, ocobench.Param("weight κ of the regulariser κ√τ‖x‖²", above=0)] = 1.0,
    ):
        self.domain, self.gamma, self.kappa = game.domain, gamma, kappa
        self.x = np.array(game.domain.project(np.zeros(game.dim)))
        self.c = np.zeros(game.dim)
        self.sums = np.zeros((game.constraints, game.dim + 1))  # (lin, const) of G^{(j)}
        self.averages = np.zeros((0, game.dim + 1))
        self.mu = np.zeros(0)

    def ask(self) -> np.ndarray:
        return self.x

    def tell(self, round: ocobench.Round) -> None:
        forms = [f.form for f in (round.loss, *round.constraints)]
        if any(form.opaque or form.quad is not None for form in forms):
            raise ValueError(f"round {round.t} has a function that is not affine")
        self.c += forms[0].lin
        for j, form in enumerate(forms[1:]):
            self.sums[j] += [*form.lin, form.const]
        self.averages = np.vstack([self.averages, self.sums / round.t])
        self.mu = np.append(self.mu, np.zeros(len(self.sums)))
        self.solve(self.kappa * math.sqrt(round.t))

    def solve(self, weight: float) -> None:
        a, b = self.averages[:, :-1], self.averages[:, -1]

        def leader(mu: np.ndarray) -> np.ndarray:
            return np.array(self.domain.project(-(self.c + mu @ a) / (2 * weight)))

        def negative_dual(mu: np.ndarray) -> tuple[float, np.ndarray]:
            x = leader(mu)
            slopes = a @ x + b
            return -(weight * (x @ x) + self.c @ x + mu @ slopes), -slopes

        if len(self.mu) > 0:
            solution = minimize(
                negative_dual, self.mu, jac=True, method="L-BFGS-B",
                bounds=[(0, self.gamma)] * len(self.mu), options={"ftol": 0, "gtol": 1e-12, "maxcor": 50},
            )
            self.mu = solution.x
        self.x = leader(self.mu)


if __name__ == "__main__":
    ocobench.main(PenalisedFTRL)
