"""The problem own: replace the loss and the constraint by yours, made of numpy arrays."""

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
            loss_lipschitz=dim**0.5, constraint_lipschitz=3 * dim**0.5, slater=budget, iid=True)

    def reveal(self, t: int):
        features = self.random.uniform(-1, 1, self.dim)
        label = 1 if features @ self.weights + self.random.normal(0, 0.1) > 0 else -1
        price = self.random.uniform(0.5, 1.5, self.dim)
        loss = ocobench.Form(0, np.zeros(self.dim), terms=[(1, ocobench.Ridge("softplus", -label * features))])
        cost = ocobench.Form(-self.budget, np.zeros(self.dim), quad=2 * np.diag(price))
        return loss, [cost]


if __name__ == "__main__":
    ocobench.main(Own)
