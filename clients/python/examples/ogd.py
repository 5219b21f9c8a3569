"""Projected online gradient descent, in plain Python.

It plays what the algorithm ogd of ocobench plays, to the last bit.
"""

import math
import os
import sys
from typing import Annotated, Sequence

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))  # or copy ocobench.py
import ocobench


@ocobench.learner(
    name="python-ogd",
    anytime=True,
    reference="Zinkevich, Online convex programming and generalized infinitesimal gradient ascent, 2003, Theorem 1",
    claims=[ocobench.Claim("regret_domain", 0.5)],
)
class OGD:
    """Projected online gradient descent, which ignores the constraints.

    x_{t+1} = Π(x_t − step/√t · ∂f_t(x_t)),   x_1 = Π(x_0).
    """

    def __init__(
        self,
        game: ocobench.Setup,
        *,
        step: Annotated[float, ocobench.Param("steps are step/√t; 0 takes diameter/Lipschitz constant of the losses as the problem declares them, or 1", min=0)] = 0.0,
        x0: Annotated[Sequence[float], ocobench.Param("first action, projected; one number stands for all coordinates, default the origin")] = (),
    ):
        if step == 0:
            step = 1.0
            if game.facts.loss_lipschitz > 0 and game.domain.diameter > 0:
                step = game.domain.diameter / game.facts.loss_lipschitz
        self.domain, self.step = game.domain, step
        start = list(x0) or [0.0]
        self.x = game.domain.project(start if len(start) > 1 else start * game.dim)

    def ask(self) -> Sequence[float]:
        return self.x

    def tell(self, round: ocobench.Round) -> None:
        alpha = self.step / math.sqrt(round.t)
        self.x = self.domain.project([x - alpha * d for x, d in zip(self.x, round.loss.subgradient)])


if __name__ == "__main__":
    ocobench.main(OGD)
