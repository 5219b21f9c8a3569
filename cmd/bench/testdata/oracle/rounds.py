"""Recorded rounds, as `bench play` prints them, and the sets they are played on."""

import json

import numpy as np


class Functions:
    """T functions const + lin·x + ½xᵀquad x, or opaque ones, known by value and
    subgradient at the action of their round."""

    def __init__(self, records, xs, names, n):
        forms = [expand(r["form"], x, names, n) for r, x in zip(records, xs)]
        self.opaque = any(slope is not None for *_, slope in forms)
        self.const = np.array([const for const, _, _, _ in forms])
        self.lin = np.array([lin for _, lin, _, _ in forms])
        self.value = np.array([r["value"] for r in records])
        self.quad = None
        if any(quad.any() for _, _, quad, _ in forms):
            self.quad = np.array([quad for _, _, quad, _ in forms])
        if self.opaque:
            self.subgradient = np.array([slope for *_, slope in forms])


def vector(v, n):
    if isinstance(v, list):
        return np.array(v)
    out = np.zeros(n)
    out[v["at"]] = v["is"]
    return out


def expand(form, x, names, n):
    """The const, lin and quad of a form, and None. Of one that has a distance they are those of the
    rest, and the fourth is a subgradient of the whole at x."""
    const, lin = form.get("const", 0.0), vector(form.get("lin", [0.0] * n), n).astype(float)
    quad = np.array(form.get("quad", np.zeros((n, n)))) + np.diag(vector(form.get("diag", [0.0] * n), n))
    curved, found = np.zeros(n), False
    for term in form.get("terms", []):
        scale, of = term.get("scale", 1.0), term["of"]
        if isinstance(of, str):
            of = {"form": names[of]}
        (kind, f), = of.items()
        if kind == "form":
            c, l, q, slope = expand(f, x, names, n)
            const, lin, quad = const + scale * c, lin + scale * l, quad + scale * q
            if slope is not None:
                curved, found = curved + scale * (slope - l - q @ x), True
        elif kind == "halfsquares":
            for row, y in zip(f["rows"], f["y"]):
                h = vector(row, n)
                const, lin, quad = const + scale * y * y / 2, lin - scale * y * h, quad + scale * np.outer(h, h)
        elif kind == "halfsquareddistance":
            c = vector(f["center"], n)
            const, lin, quad = const + scale * c @ c / 2, lin - scale * c, quad + scale * np.eye(n)
        elif kind == "linear":
            a, first = vector(f["a"], n), f.get("first", 0)
            lin[first : first + len(a)] += scale * a
        elif kind == "distance":
            d = x - vector(f["center"], n)
            curved, found = curved + scale * d / max(np.linalg.norm(d), 1e-300), True
        else:
            raise SystemExit("a function of the kind " + kind)
    return const, lin, quad, lin + quad @ x + curved if found else None


class Game:
    def __init__(self, file):
        header = json.loads(file.readline())
        rounds = [json.loads(line) for line in file]
        assert [r["t"] for r in rounds] == list(range(1, len(rounds) + 1))
        self.domain = domain(header["domain"])
        self.n, self.m, self.T = self.domain.n, header["constraints"], len(rounds)
        self.x = np.array([r["x"] for r in rounds])
        names = header.get("functions", {})
        self.loss = Functions([r["loss"] for r in rounds], self.x, names, self.n)
        self.constraints = [Functions([r["constraints"][j] for r in rounds], self.x, names, self.n) for j in range(self.m)]


def domain(record):
    (kind, d), = record.items()
    if kind == "box":
        return Box(np.array(d["lower"]), np.array(d["upper"]))
    if kind == "ball":
        return Ball(np.array(d["center"]), d["radius"])
    return Simplex(d["dim"], d["scale"])


class Domain:
    """{x : rows·x ≤ offsets, equality·x = total, ‖x−center‖ ≤ radius}, the last
    unless radius is None."""

    radius = None

    def __init__(self, n, rows=None, offsets=None, equality=None, total=None):
        none = np.zeros((0, n)), np.zeros(0)
        self.n = n
        self.rows, self.offsets = none if rows is None else (rows, offsets)
        self.equality, self.total = none if equality is None else (equality, total)

    def violation(self, x):
        """The largest violation of an inequality or equality at x."""
        v = max(np.max(self.rows @ x - self.offsets, initial=0.0), np.max(np.abs(self.equality @ x - self.total), initial=0.0))
        if self.radius is not None:
            v = max(v, np.linalg.norm(x - self.center) - self.radius)
        return v


class Box(Domain):
    def __init__(self, lower, upper):
        unit = np.eye(len(lower))
        super().__init__(len(lower), rows=np.vstack([unit, -unit]), offsets=np.r_[upper, -lower])
        self.lower, self.upper = lower, upper
        self.bounds = list(zip(lower, upper))

    def project(self, x):
        return np.clip(x, self.lower, self.upper)

    def least(self, c):
        """min c·x over the domain."""
        return float(np.sum(np.minimum(c * self.lower, c * self.upper)))


class Ball(Domain):
    def __init__(self, center, radius):
        super().__init__(len(center))
        self.center, self.radius = center, radius

    def project(self, x):
        d = x - self.center
        return self.center + d * min(1.0, self.radius / max(np.linalg.norm(d), 1e-300))

    def least(self, c):
        return float(c @ self.center - self.radius * np.linalg.norm(c))


class Simplex(Domain):
    def __init__(self, n, scale):
        super().__init__(n, rows=-np.eye(n), offsets=np.zeros(n), equality=np.ones((1, n)), total=np.array([scale]))
        self.scale = scale
        self.bounds = [(0, None)] * n

    def project(self, x):
        # By sorting (Held, Wolfe, Crowder 1974).
        u = np.sort(x)[::-1]
        theta = (np.cumsum(u) - self.scale) / np.arange(1, self.n + 1)
        k = np.nonzero(u > theta)[0][-1]
        return np.maximum(x - theta[k], 0.0)

    def least(self, c):
        return float(self.scale * np.min(c))
