"""Log-wealth in a market whose returns are drawn, under a budget of risk: a problem whose
functions are neither affine nor quadratic, or used by every round."""

import os
import random
import sys
from typing import Annotated

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))  # or copy ocobench.py
import ocobench


@ocobench.problem(name="python-wealth", reference="Cover, Universal portfolios, 1991, the loss")
class Wealth:
    """A rebalanced portfolio x of n assets has the loss −log(1 + ρ_t·x), with returns ρ_{t,i}
    uniform on ±i/10n. The variance of the return, Σ_i (i/10n)²x_i²/3, has the limit risk²."""

    def __init__(
        self,
        seed: int,
        *,
        dim: Annotated[int, ocobench.Param("number n of assets", min=2, max=1000)] = 3,
        risk: Annotated[float, ocobench.Param("the limit of the standard deviation", above=0, max=1)] = 0.03,
    ):
        self.random = random.Random(seed)
        self.reach = [0.1 * (i + 1) / dim for i in range(dim)]
        self.domain = ocobench.Simplex(dim, 1)
        # (variance)/risk² − 1, one function for all rounds
        rows = [[r / 3**0.5 / risk if i == j else 0 for j in range(dim)] for i, r in enumerate(self.reach)]
        variance = ocobench.Shared(ocobench.Form(-1, [0] * dim, terms=[(2, ocobench.HalfSquares(rows, [0] * dim))]))
        self.budget = ocobench.Form(0, [0] * dim, terms=[(1, variance)])
        self.shared, self.expectation = [variance], [self.budget]
        self.facts = ocobench.Facts(fixed=True, iid=True, known_constraints=True)

    def reveal(self, t: int) -> tuple[ocobench.Form, list[ocobench.Form]]:
        returns = [self.random.uniform(-r, r) for r in self.reach]
        wealth = ocobench.Form(0, [0] * len(returns), terms=[(1, ocobench.Ridge("neglog", returns, 1))])
        return wealth, [self.budget]


if __name__ == "__main__":
    ocobench.main(Wealth)
