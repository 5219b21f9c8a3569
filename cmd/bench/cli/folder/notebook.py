# [markdown]
# The experiment of experiment.yaml, with the learner of learner.py and the problem of problem.py.
# %%
import ocobench

external = {"mine": "python3 learner.py", "own": "python3 problem.py"}
analysis = ocobench.run("experiment.yaml", external=external)
analysis
# %%
last = {}
for r in analysis.results():
    if r["metric"] == "violation_hard":
        last.setdefault((r["algorithm"], r["problem"]), []).append((r["t"], r["value"]))
for pair, values in last.items():
    end = [v for t, v in values if t == max(values)[0]]
    print(*pair, sum(end) / len(end))
