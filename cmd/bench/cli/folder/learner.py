"""The learner mine: replace what ask and tell do by your algorithm."""

import math

import numpy as np

import ocobench


# With the feedback FO a round has values and subgradients at the action.
@ocobench.learner(name="mine", feedback="FO", anytime=True)
class Mine:
    """Gradient descent on the loss plus a penalty for each violated constraint."""

    def __init__(self, game: ocobench.Setup, *, step: float = 0.5, penalty: float = 2.0):
        self.domain, self.step, self.penalty = game.domain, step, penalty
        self.x = game.domain.project(np.zeros(game.dim))

    def ask(self):
        return self.x

    def tell(self, round: ocobench.Round):
        direction = np.array(round.loss.subgradient)
        for g in round.constraints:
            if g.value > 0:
                direction += self.penalty * np.array(g.subgradient)
        self.x = self.domain.project(self.x - self.step / math.sqrt(round.t) * direction)


if __name__ == "__main__":
    ocobench.main(Mine)
