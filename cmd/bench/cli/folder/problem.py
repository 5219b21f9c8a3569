"""The problem own: replace the loss and the constraint by yours, any convex functions of numpy."""

import numpy as np

import ocobench


@ocobench.problem(name="own")
class Own:
    """Logistic regression of weights whose cost is limited in every round."""

    def __init__(self, seed: int, *, dim: int = 3, budget: float = 0.5):
        self.random, self.dim, self.budget = np.random.default_rng(seed), dim, budget
        self.weights = self.random.uniform(-1, 1, dim)
        self.domain = ocobench.Box([-1] * dim, [1] * dim)
        # What theorems and learners may rely on: the slopes, and a point, 0, with g(0) = −budget.
        self.facts = ocobench.Facts(
            loss_lipschitz=dim**0.5, constraint_lipschitz=2.25 * dim**0.5, slater=budget, iid=True)

    def reveal(self, t: int):
        features = self.random.uniform(-1, 1, self.dim)
        label = 1 if features @ self.weights + self.random.normal(0, 0.1) > 0 else -1
        price = self.random.uniform(0.5, 1.5, self.dim)
        loss = ocobench.Function(
            lambda x: np.logaddexp(0, -label * (features @ x)),
            lambda x: -label * features / (1 + np.exp(label * (features @ x))))
        cost = ocobench.Function(
            lambda x: price @ np.abs(x) ** 1.5 - self.budget,
            lambda x: 1.5 * price * np.sign(x) * np.sqrt(np.abs(x)))
        return loss, [cost]


if __name__ == "__main__":
    ocobench.main(Own)
