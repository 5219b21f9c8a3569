"""A drone follows a target and stays in a box, and both move: the constraint of a round is the
largest of the four of the box."""

import math
import random

import ocobench


@ocobench.problem(name="tracking")
class Tracking:
    """½‖x − target‖² in the plane, and a box of half-width `room` that drifts and that the target leaves."""

    def __init__(self, seed: int, *, room: float = 0.3, noise: float = 0.05):
        if room < 0.25:
            raise ValueError(f"room is {room}, expected at least 0.25, for a Slater constant of 0.05")
        self.random, self.room, self.noise = random.Random(seed), room, noise
        self.domain, self.phase = ocobench.Box([-1, -1], [1, 1]), 0.0
        # Upper bounds: ‖x − target‖ ≤ √2 + 0.8 + √2 noise; |x_i − center_i| ≤ 1 + 0.2; and at x = 0 every
        # constraint is at most 0.2 − room, since ‖center‖ = 0.2.
        self.facts = ocobench.Facts(
            loss_lipschitz=2 * (math.sqrt(2) + noise), constraint_lipschitz=1, constraint_bound=max(1.2, room),
            slater=room - 0.2, feasible=True, curvature=1)

    def reveal(self, t: int):
        self.phase += self.random.uniform(0, 0.1)
        center = [0.2 * math.cos(self.phase), 0.2 * math.sin(self.phase)]
        target = [4 * c + self.random.uniform(-self.noise, self.noise) for c in center]
        sides = [  # s (x_i − center_i) ≤ room
            ocobench.Form(-s * center[i] - self.room, [s * (i == 0), s * (i == 1)]) for i in (0, 1) for s in (1, -1)]
        distance = ocobench.Form(0, [0, 0], terms=[(1, ocobench.HalfSquaredDistance(target))])
        return distance, [ocobench.Form(0, [0, 0], terms=[(1, ocobench.Max(sides))])]


if __name__ == "__main__":
    ocobench.main(Tracking)
