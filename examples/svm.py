"""A support vector machine that sees one sample a round, of the breast cancer data of scikit-learn."""

import random

import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.preprocessing import StandardScaler

import ocobench


@ocobench.problem(name="svm")
class SVM:
    """The least ½‖w‖² with y_t w·x_t ≥ 1 for the samples of every round, in the order of the seed."""

    def __init__(self, seed: int, *, radius: float = 10.0):
        data = load_breast_cancer()
        samples = StandardScaler().fit_transform(data.data)
        samples = np.hstack([samples, np.ones((len(samples), 1))])
        self.rows = -(2.0 * data.target - 1)[:, None] * samples  # 1 − y w·x = 1 + row·w
        random.Random(seed).shuffle(order := list(range(len(samples))))
        self.order, self.dim = order, samples.shape[1]
        self.domain = ocobench.Ball(np.zeros(self.dim), radius)
        self.loss = ocobench.Form(0, np.zeros(self.dim), np.eye(self.dim))
        self.facts = ocobench.Facts(
            loss_lipschitz=radius, constraint_lipschitz=float(np.linalg.norm(self.rows, axis=1).max()), affine=True, curvature=1)

    def reveal(self, t: int):
        return self.loss, [ocobench.Form(1, self.rows[self.order[(t - 1) % len(self.order)]])]


if __name__ == "__main__":
    ocobench.main(SVM)
