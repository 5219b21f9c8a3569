import math

import ocobench


@ocobench.learner(name="penalty-descent", feedback="FO", anytime=True)
class PenaltyDescent:
    """Gradient descent on the loss plus a penalty for each violated constraint."""

    def __init__(self, game: ocobench.Setup, *, step: float = 0.5, penalty: float = 2.0):
        self.domain, self.step, self.penalty = game.domain, step, penalty
        self.x = game.domain.project([0.0] * game.dim)

    def ask(self):
        return self.x

    def tell(self, round: ocobench.Round):
        gradient = list(round.loss.subgradient)
        for g in round.constraints:
            if g.value > 0:
                gradient = [d + self.penalty * s for d, s in zip(gradient, g.subgradient)]
        step = self.step / math.sqrt(round.t)
        self.x = self.domain.project([x - step * d for x, d in zip(self.x, gradient)])


if __name__ == "__main__":
    ocobench.main(PenaltyDescent)
