"""Draws the means of a metric from the results of bench run: python3 figure.py [METRIC]"""

import collections
import sys

import numpy as np

import ocobench

metric = sys.argv[1] if len(sys.argv) > 1 else "violation_hard"
curves = collections.defaultdict(lambda: collections.defaultdict(list))
for r in ocobench.results("results", experiment="NAME"):
    if r["metric"] == metric:
        curves[f"{r['algorithm']} on {r['problem']}"][r["t"]].append(r["value"])
if not curves:
    sys.exit(f"results has no {metric} of the experiment NAME: bench run experiment.yaml writes it")
try:
    from matplotlib import pyplot
except ImportError:
    for name, values in curves.items():
        print(f"{name}: {np.mean(values[max(values)]):.3g} at t = {max(values)}")
    sys.exit("no figure: it needs matplotlib; out/NAME/figures has those of bench run")
for name, values in curves.items():
    pyplot.plot(list(values), [np.mean(v) for v in values.values()], label=name)
pyplot.xlabel("t")
pyplot.ylabel(metric)
pyplot.legend()
pyplot.savefig(f"{metric}.pdf")
