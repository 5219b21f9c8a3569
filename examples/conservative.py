"""Conservative learning: the sum of losses is at no time more than 1 + α times that of a baseline."""

import math
import random

import ocobench


@ocobench.problem(name="conservative")
class Conservative:
    """f_t(x) = ½‖x − target_t‖² + 0.1, g_t = f_t − (1+α) f_t(baseline); targets change slowly."""

    def __init__(self, seed: int, *, n: int = 3, alpha: float = 0.1):
        self.random, self.n, self.alpha = random.Random(seed), n, alpha
        self.domain, self.baseline = ocobench.Ball([0] * n, 1), [0.0] * n
        slope = 2 + 0.5 * math.sqrt(n)
        # The baseline has g_t = −α f_t ≤ −0.1 α.
        self.facts = ocobench.Facts(
            loss_lipschitz=slope, constraint_lipschitz=slope, slater=0.1 * alpha, feasible=True, curvature=1)

    def reveal(self, t: int):
        wave = math.sin(2 * math.pi * t / 200) / math.sqrt(self.n)
        target = [0.5 * wave + self.random.uniform(-0.5, 0.5) for _ in range(self.n)]
        distance = ocobench.HalfSquaredDistance(target)
        limit = (1 + self.alpha) * (distance.value(self.baseline) + 0.1)
        loss = ocobench.Form(0.1, [0] * self.n, terms=[(1, distance)])
        return loss, [ocobench.Form(0.1 - limit, [0] * self.n, terms=[(1, distance)])]


if __name__ == "__main__":
    ocobench.main(Conservative)
