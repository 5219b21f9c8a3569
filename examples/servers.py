import math
import random

import ocobench


@ocobench.problem(name="servers")
class Servers:
    """Power for servers is bought before its price and the number of jobs are known."""

    def __init__(self, seed: int, *, n: int = 3, jobs: float = 0.5):
        slater = 0.75 * n - 2 * jobs  # at full power
        if slater < 0:
            raise ValueError(f"{n} servers cannot do {2 * jobs} jobs")
        self.random, self.n, self.jobs = random.Random(seed), n, jobs
        self.domain = ocobench.Box([0] * n, [1] * n)
        self.facts = ocobench.Facts(
            loss_lipschitz=2 * math.sqrt(n), constraint_lipschitz=math.sqrt(n), slater=slater, iid=True, perturbed=True)
        self.expectation = [self.undone(jobs)]

    def reveal(self, t: int):
        prices = [1 + self.random.random() for _ in range(self.n)]
        return ocobench.Form(0, prices), [self.undone(2 * self.jobs * self.random.random())]

    def undone(self, jobs: float):
        """A server with the power x_i does x_i − x_i²/4 jobs."""
        quad = [[0.5 if i == j else 0 for j in range(self.n)] for i in range(self.n)]
        return ocobench.Form(jobs, [-1] * self.n, quad)


if __name__ == "__main__":
    ocobench.main(Servers)
