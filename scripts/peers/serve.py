"""Plays gradient descent over bench serve, as clients/python/examples/ogd.py does, and
prints the CPU time of both programs: serve.py BENCH PROBLEM T."""

import json
import os
import resource
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "clients", "python"))
sys.path.insert(0, os.path.join(sys.path[0], "examples"))
import ocobench
from ogd import OGD


def cpu(who):
    usage = resource.getrusage(who)
    return usage.ru_utime + usage.ru_stime


def play(bench, problem, horizon):
    """Return the seconds of this program, of bench and of a clock, and the metrics."""
    bench_before = cpu(resource.RUSAGE_CHILDREN)
    with ocobench.Game(problem, horizon, feedback="FO", program=[bench]) as game:
        learner = OGD(game.setup)
        before, began = cpu(resource.RUSAGE_SELF), time.perf_counter()
        for _ in range(horizon):
            round = game.step(learner.ask())
            learner.tell(round)
        python, wall = cpu(resource.RUSAGE_SELF) - before, time.perf_counter() - began
    return python, cpu(resource.RUSAGE_CHILDREN) - bench_before, wall, round.metrics


bench, problem, horizon = sys.argv[1], sys.argv[2], int(sys.argv[3])
start = play(bench, problem, 1)[1]
python, serve, wall, metrics = play(bench, problem, horizon)
print(json.dumps({
    "seconds": python + serve - start, "python": python, "wall": wall, "rounds": horizon,
    "columns": list(metrics), "rows": [list(metrics.values())],
}))
