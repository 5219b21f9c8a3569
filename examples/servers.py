import math
import random

import ocobench


@ocobench.problem(name="servers")
class Servers:
    """Power for servers is bought before its price and the number of jobs are known."""

    def __init__(self, seed: int, *, servers: int = 3, jobs: float = 0.5):
        slater = 0.75 * servers - 2 * jobs
        if slater < 0:
            raise ValueError(f"{servers} servers cannot do {2 * jobs} jobs in every round")
        self.random, self.n, self.jobs = random.Random(seed), servers, jobs
        self.domain = ocobench.Box([0] * servers, [1] * servers)
        self.facts = ocobench.Facts(
            loss_lipschitz=2 * math.sqrt(servers), constraint_lipschitz=math.sqrt(servers), slater=slater,
            iid=True, perturbed=True,
        )
        self.expectation = [self.undone(jobs)]

    def reveal(self, t: int):
        prices = [1 + self.random.random() for _ in range(self.n)]
        return ocobench.Form(0, prices), [self.undone(2 * self.jobs * self.random.random())]

    def undone(self, jobs):
        """A server with the power x does x − x²/4 jobs."""
        quad = [[0.5 if i == j else 0 for j in range(self.n)] for i in range(self.n)]
        return ocobench.Form(jobs, [-1] * self.n, quad)


if __name__ == "__main__":
    ocobench.main(Servers)
