"""The adversary of Mannor, Tsitsiklis and Yu, in plain Python.

It reveals what the problem mannor of ocobench reveals, to the last bit.
"""

import os
import sys
from typing import Annotated

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))  # or copy ocobench.py
import ocobench
from ocobench import Form

COLUMNS = {  # the loss and the constraint of a round
    1: (Form(0, [-1]), [Form(-1, [0])]),
    2: (Form(1, [-2]), [Form(-1, [2])]),
}


@ocobench.problem(
    name="python-mannor",
    reference="Mannor, Tsitsiklis, Yu, Online learning with sample path constraints, JMLR 10, 2009, Proposition 4",
)
class Mannor:
    """An adversary against which no learner has o(t) regret against X^max and o(t) violation.

    It plays column 2, once and then while the mean of x_1, …, x_{t−1} exceeds θ; then
    column 1 for as many rounds; and so on.
    """

    def __init__(self, seed: int, *, threshold: Annotated[float, ocobench.Param("θ", above=0.5, below=1)] = 0.75):
        self.threshold = threshold
        self.domain = ocobench.Box([0], [1])
        self.facts = ocobench.Facts(
            loss_lipschitz=2, constraint_lipschitz=2, loss_range=2, constraint_bound=1, slater=1,
            feasible=True, affine=True, adaptive=True, deterministic=True, known_optimum=True,
        )
        self.sum = 0.0  # of the actions
        self.length = self.left = 0  # of the last run of column 2, and what is left of column 1

    def reveal(self, t: int, x: list):
        second = self.left == 0 and (self.length == 0 or self.sum > self.threshold * (t - 1))
        self.sum += x[0]
        if second:
            self.length += 1
            return COLUMNS[2]
        if self.left == 0:
            self.left = self.length
        self.left -= 1
        if self.left == 0:
            self.length = 0
        return COLUMNS[1]


if __name__ == "__main__":
    ocobench.main(Mannor)
