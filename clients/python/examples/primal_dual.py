"""The canonical online primal-dual update, with numpy.

It plays what the algorithm primal-dual of ocobench plays.
"""

import math
import os
import sys
from typing import Annotated

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))  # or copy ocobench.py
import ocobench


@ocobench.learner(
    name="python-primal-dual",
    feedback="FO+",
    anytime=True,
    reference="Leith, Iosifidis, Penalised FTRL With Time-Varying Constraints, last displayed update of the Example",
)
class PrimalDual:
    """Gradient descent on the Lagrangian, gradient ascent in the multipliers.

    With α_t = step/√t, x_1 = Π(0) and λ_1 = 0,

        x_{t+1} = Π(x_t − α_t(∂f_t(x_t) + Σ_j λ_{t,j}∂g_{t,j}(x_t)))
        λ_{t+1} = [λ_t + α_t g_t(x_{t+1})]₊.

    The values g_t(x_{t+1}) come with round t+1, as round.ahead.
    """

    def __init__(self, game: ocobench.Setup, *, step: Annotated[float, ocobench.Param("steps are α_t = step/√t", above=0)] = 5.0):
        self.domain, self.step = game.domain, step
        self.alpha = 0.0  # α_t of the last round told; round.ahead is None before there is one
        self.x = np.array(game.domain.project(np.zeros(game.dim)))
        self.multipliers = np.zeros(game.constraints)

    def ask(self) -> np.ndarray:
        return self.x

    def tell(self, round: ocobench.Round) -> None:
        if round.ahead is not None:
            self.multipliers = np.maximum(0, self.multipliers + self.alpha * np.array(round.ahead))
        self.alpha = self.step / math.sqrt(round.t)
        gradient = np.array(round.loss.subgradient)
        for multiplier, g in zip(self.multipliers, round.constraints):
            gradient += multiplier * np.array(g.subgradient)
        self.x = np.array(self.domain.project(self.x - self.alpha * gradient))


if __name__ == "__main__":
    ocobench.main(PrimalDual)
