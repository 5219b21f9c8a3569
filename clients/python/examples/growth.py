"""Wealth grows by r_t·x_t, x being the shares of some assets, while the risk of the day stays within a budget.

    f_t(x) = −log(r_t·x),   g_t(x) = ‖v_t ∘ x‖ − budget
"""

import numpy as np

import ocobench


@ocobench.problem(name="growth")
class Growth:
    """Logarithmic growth of wealth under a budget of risk."""

    def __init__(self, seed: int, *, n: int = 10, budget: float = 0.8):
        self.random, self.budget = np.random.default_rng(seed), budget
        self.domain = ocobench.Simplex(n, 1)

    def reveal(self, t: int):
        r = 1 + self.random.uniform(-0.1, 0.12, self.domain.dim)
        v = self.random.uniform(0.5, 2, self.domain.dim)
        loss = ocobench.Function(lambda x: -np.log(r @ x), lambda x: -r / (r @ x))
        risk = ocobench.Function(lambda x: np.linalg.norm(v * x) - self.budget, lambda x: v * v * x / np.linalg.norm(v * x))
        return loss, [risk], (r, v)

    def batch(self, x, r, v):
        """The values and gradients of many rounds at once: r and v have a row for each."""
        wealth, risk = r @ x, np.linalg.norm(v * x, axis=1)
        return -np.log(wealth), -r / wealth[:, None], risk - self.budget, v * v * x / risk[:, None]


if __name__ == "__main__":
    ocobench.main(Growth)
