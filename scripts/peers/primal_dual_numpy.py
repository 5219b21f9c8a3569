"""The primal-dual update as a researcher writes it in Python: a loop over rounds, and
numpy for vectors. It does what a game of ocobench does, on the same random numbers:
the rounds, the update with steps step/√t, every violation metric, and the metrics at
log-spaced rounds. A test compares those with ocobench's; peers.sh compares the time.

    primal_dual_numpy.py decaying-frequency C T STEP SEED1 SEED2
    primal_dual_numpy.py iid N M T STEP SEED1 SEED2

Arguments and output are those of primal_dual.c: a line a checkpoint, and CPU seconds on
stderr.
"""

import math
import sys
import time

import numpy as np


class Generator:
    """PCG-DXSM, as in math/rand/v2, with the interface of numpy's generators. It draws
    blocks of numbers, for Python alone takes a microsecond for one."""

    block = 1 << 14
    mul = 2549297995355413924 << 64 | 4865540595714422341
    inc = 6364136223846793005 << 64 | 1442695040888963407

    def __init__(self, seed1, seed2):
        self.state = seed1 << 64 | seed2
        # State i of a block is power_i·state + sum_i.
        powers, sums = [], []
        power, total = 1, 0
        for _ in range(self.block):
            power, total = power * self.mul % 2**128, (total * self.mul + self.inc) % 2**128
            powers.append(power)
            sums.append(total)
        self.last = powers[-1], sums[-1]
        self.power, self.sum = split(powers), split(sums)
        self.numbers, self.used = np.empty(0), 0

    def draw(self):
        (ph, pl), (sh, sl) = self.power, self.sum
        h, l = np.uint64(self.state >> 64), np.uint64(self.state % 2**64)
        lo = pl * l + sl
        hi = ph * l + pl * h + high(pl, l) + sh + (lo < sl)
        self.state = (self.last[0] * self.state + self.last[1]) % 2**128
        hi ^= hi >> np.uint64(32)
        hi *= np.uint64(0xDA942042E4DD58B5)
        hi ^= hi >> np.uint64(48)
        hi *= lo | np.uint64(1)
        self.numbers = np.concatenate([self.numbers[self.used :], (hi << np.uint64(11) >> np.uint64(11)) / 2.0**53])
        self.used = 0

    def random(self, n):
        """n numbers on [0, 1)."""
        while self.used + n > len(self.numbers):
            self.draw()
        self.used += n
        return self.numbers[self.used - n : self.used]

    def uniform(self, low, high, n):
        return low + (high - low) * self.random(n)


def split(numbers):
    """The words of integers of 128 bits."""
    return [np.array([v >> shift & 2**64 - 1 for v in numbers], dtype=np.uint64) for shift in (64, 0)]


def high(a, b):
    """The high word of the product of words."""
    mask, half = np.uint64(2**32 - 1), np.uint64(32)
    a1, a0, b1, b0 = a >> half, a & mask, b >> half, b & mask
    middle = a1 * b0 + (a0 * b0 >> half)
    return a1 * b1 + (middle >> half) + ((middle & mask) + a0 * b1 >> half)


def decaying_frequency(rng, c):
    """f_t(x) = −2x; g_t(x) = x with probability 0.1c/t^(1−c), else −0.01."""
    f = np.array([-2.0])
    binding = np.array([[1.0]]), np.array([0.0])
    slack = np.array([[0.0]]), np.array([-0.01])
    t = 0
    while True:
        t += 1
        yield f, *(binding if rng.random(1)[0] < 0.1 * c / t ** (1 - c) else slack)


def direction(rng, n):
    """A random unit vector."""
    while True:
        d = rng.uniform(-1, 1, n)
        if np.linalg.norm(d) > 1e-3:
            return d / np.linalg.norm(d)


def near(rng, d):
    """A random unit vector at most 45° from the unit vector d."""
    a = direction(rng, len(d))
    rho = rng.random(1)[0]
    a = a - (a @ d) * d
    norm = np.linalg.norm(a)
    a = rho / (1 if norm < 1e-3 else norm) * a + d
    return a / np.linalg.norm(a)


def iid(rng, n, m):
    """f_t(x) = −(d + v)·x, v uniform on [−1, 1]^n/√n, and m constraints
    (slope + u/2)·x + b, u uniform on [−1, 1]^n, b on [−0.4, −0.1]."""
    d = direction(rng, n)
    slopes = np.array([near(rng, d) for _ in range(m)])
    while True:
        u = rng.random(m * (n + 1)).reshape(m, n + 1)
        A = slopes + 0.5 * (2 * u[:, :n] - 1)
        b = -0.4 + 0.3 * u[:, n]
        yield -(d + rng.uniform(-1, 1, n) / math.sqrt(n)), A, b


def play(rounds, n, m, bound, T, step):
    """Plays on [−bound, bound]^n. Returns the metrics at the checkpoints."""
    x, dual = np.zeros(n), np.zeros(m)
    loss = running = hard = penalty = squared = largest = 0.0
    sums, cum_A, cum_b = np.zeros(m), np.zeros((m, n)), np.zeros(m)
    rows, decade, checkpoint = [], 0, 1
    for t in range(1, T + 1):
        f, A, b = next(rounds)

        g = A @ x + b
        plus = np.maximum(0, g)
        loss += f @ x
        sums += g
        soft = np.maximum(0, sums).sum()
        running = max(running, soft)
        hard += plus.sum()
        squared += plus @ plus
        largest = max(largest, plus.max())
        cum_A += A
        cum_b += b
        penalty += np.maximum(0, cum_A @ x + cum_b).sum() / t
        if t == checkpoint or t == T:
            rows.append([t, loss, sums.sum(), soft, running, hard, penalty, squared, largest])
            while checkpoint <= t:
                decade += 1
                checkpoint = math.floor(10 ** (decade / 16) + 0.5)

        alpha = step / math.sqrt(t)
        x = np.clip(x - alpha * (f + dual @ A), -bound, bound)
        dual = np.maximum(0, dual + alpha * (A @ x + b))
    return rows


def main(problem, *args):
    T, step = int(args[-4]), float(args[-3])
    start = time.process_time()
    rng = Generator(int(args[-2]), int(args[-1]))
    if problem == "decaying-frequency":
        rows = play(decaying_frequency(rng, float(args[0])), 1, 1, 10, T, step)
    else:
        n, m = int(args[0]), int(args[1])
        rows = play(iid(rng, n, m), n, m, 1, T, step)
    seconds = time.process_time() - start
    for row in rows:
        print(*(f"{v:.17g}" for v in row))
    print(f"{seconds:.9f}", file=sys.stderr)


main(*sys.argv[1:])
