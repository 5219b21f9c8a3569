"""Learners and problems in Python for ocobench, and the games of ocobench in Python.

ocobench is a benchmark harness for constrained online convex optimisation. In
round t a learner plays an action x_t of a domain D. Then a loss f_t and the
constraints g_{t,1}(x) ≤ 0, …, g_{t,m}(x) ≤ 0 are revealed.

A learner is a class with two methods, and a file that ends with main:

    import ocobench

    @ocobench.learner(name="mine", anytime=True)
    class Mine:
        "Projected gradient descent with constant steps."

        def __init__(self, game: ocobench.Setup, *, step: float = 0.1):
            self.domain, self.step = game.domain, step
            self.x = game.domain.project([0.0] * game.dim)

        def ask(self):
            return self.x

        def tell(self, round: ocobench.Round):
            gradient = round.loss.subgradient
            self.x = self.domain.project(
                [x - self.step * d for x, d in zip(self.x, gradient)])

    if __name__ == "__main__":
        ocobench.main(Mine)

It plays beside the algorithms of ocobench, here with two steps:

    bench play --external mine="python3 mine.py" --algorithm mine:step=0.05 …

A problem is a class with one method, see problem. A notebook can drive the rounds
itself:

    with ocobench.Game("iid:dim=5", horizon=1000) as game:
        x = [0.0] * game.dim
        for t in range(game.horizon):
            round = game.step(x)
            x = …
        print(game.result()["regret"])

run runs an experiment and returns its analysis, which a notebook shows as a page, and
results reads what experiments have stored. This file needs Python 3.9 and the standard
library.

Its sections are in the order in which a user meets them: learners, problems, their
declarations, domains and functions, games, experiments, and rounds in files. The last
three are inside: the program that bench starts, the command bench, and how values from
outside are read. Names that begin with _ are not for users.
"""

from __future__ import annotations

import array
import binascii
import collections.abc
import contextlib
import csv
import dataclasses
import glob
import gzip
import html
import importlib
import importlib.metadata
import inspect
import itertools
import json
import math
import os
import re
import shlex
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import traceback
import typing
import warnings
from typing import (
    Any,
    BinaryIO,
    Callable,
    Dict,
    Iterable,
    Iterator,
    Mapping,
    NamedTuple,
    Optional,
    Sequence,
    TextIO,
    Type,
    TypeVar,
    Union,
)

__version__ = "0.2.0.dev0"
__all__ = [
    "Analysis",
    "Ball",
    "Box",
    "Claim",
    "Curve",
    "Distance",
    "Domain",
    "ElasticNet",
    "Error",
    "Facts",
    "Form",
    "Function",
    "Game",
    "HalfSquaredDistance",
    "HalfSquares",
    "Learner",
    "Linear",
    "Max",
    "Param",
    "Problem",
    "Results",
    "Ridge",
    "Round",
    "Separable",
    "Setup",
    "Shared",
    "Simplex",
    "Tangent",
    "Told",
    "learner",
    "main",
    "problem",
    "results",
    "run",
    "write_rounds",
]


# --------------------------------------------------------------------------------------------------
# What is shared by all parts.
# --------------------------------------------------------------------------------------------------
#
# What every part below uses: the version of the protocol, and the one exception that Game, run,
# results and write_rounds raise.


PROTOCOL = 1  # the version of the protocol, see docs/protocol.md


Program = Union[str, Sequence[str], None]  # a command, as a text or as a list of words


C = TypeVar("C", bound=type)


T = TypeVar("T")


class Error(Exception):
    """What bench refused or could not do: whatever fails in Game, run and results is one, be it
    bench, its answers or a file. What causes it is its __cause__."""


@contextlib.contextmanager
def _failing(what: str) -> Iterator[None]:
    """Make an Error of what fails in the body."""
    try:
        yield
    except (
        OSError,
        ValueError,
        AttributeError,
        LookupError,
        TypeError,
        OverflowError,
        RecursionError,
        csv.Error,
    ) as e:
        raise Error(
            f"{what}: {e if isinstance(e, (OSError, ValueError)) else f'{type(e).__name__}: {e}'}"
        ) from e


# --------------------------------------------------------------------------------------------------
# Learners.
# --------------------------------------------------------------------------------------------------
#
# A learner is a class with the decorator learner. These are its methods, what it may declare, and
# what it knows before the first round and is told in each.


class Learner(typing.Protocol):
    """The methods of a learner. Its constructor takes a Setup, and parameters by
    keyword, each with a default and an annotation:

        def __init__(self, game: ocobench.Setup, *,
                     step: Annotated[float, ocobench.Param("the step", above=0)] = 1.0):

    A parameter is a float, an int, a bool, a str, a Literal of texts or a
    Sequence[float]. Its name in a SPEC has hyphens for underscores. A ValueError
    of the constructor refuses the game or the parameters, and its message is shown
    to the user.
    """

    def ask(self) -> Sequence[float]:
        """Return the action x_t, a point of the domain. It is called once a round."""

    def tell(self, round: Round) -> Union[Sequence[float], Told, None]:
        """End the round. What it returns is the next action; None calls ask. A Told also says
        what happens inside of the learner."""


class Told(NamedTuple):
    """What tell may return: the next action, None calling ask, and numbers from inside of the
    learner, by the names that the decorator declares:

        @ocobench.learner(name="mine", anytime=True, state=["queue", "step"])
        …
                return ocobench.Told(x, state={"queue": self.queue, "step": step})
    """

    x: Optional[Sequence[float]] = None
    state: Mapping[str, float] = {}


class Param(NamedTuple):
    """What a SPEC and a help text say of a parameter: a sentence, and its range."""

    doc: str = ""
    min: Optional[float] = None  # value ≥ min
    above: Optional[float] = None  # value > above
    max: Optional[float] = None  # value ≤ max
    below: Optional[float] = None  # value < below


class Claim(NamedTuple):
    """A claimed rate, metric = O(t^exponent · (log t)^log), and its bound."""

    metric: str  # such as "regret_xmin" or "violation_soft"
    exponent: float
    log: float = 0.0
    note: str = ""
    bound: str = ""  # b(t) as a formula, such as "2*Delta*G*sqrt(t)", see docs/protocol.md
    expected: bool = False  # rate and bound are of the mean over random rounds


def learner(
    *,
    name: str,
    feedback: str = "FO",
    anytime: bool = False,
    claims: Iterable[Claim] = (),
    assumes: Iterable[str] = (),
    version: int = 1,
    reference: str = "",
    title: str = "",
    definition: Iterable[str] = (),
    draws: bool = False,
    terms: bool = False,
    state: Iterable[str] = (),
) -> Callable[[C], C]:
    """Declare that a class is a learner.

    name       how it calls itself
    feedback   what it uses of a round: "FO", values and subgradients at x_t; "FO+",
               also the values g_t(x_{t+1}); "FI", whole functions
    anytime    whether it does without the horizon
    claims     the rates that are claimed of it
    assumes    the conditions on a problem that its theorem needs, such as
               "fixed constraints"
    version    raise it whenever the learner plays something else than before
    reference  the paper
    title      the name in figures, tables of LaTeX and notes
    definition sentences that state the update and what each parameter does, with formulas
               between dollar signs, in Unicode:
               "$x_{t+1} = Π_D(x_t − η∇f_t(x_t)/√t)$, where $η$ is step."
    draws      whether it draws random numbers from the seed of the game
    terms      with "FI": whether it looks at the terms of a Form; otherwise functions that are
               neither affine nor quadratic are opaque, and all others have const, lin and quad
    state      the names of the numbers from inside of it that tell returns in a Told. They are
               recorded at the checkpoints, as the metrics state_queue, …

    The first paragraph of the docstring of the class describes it. It is a
    TypeError if the class is not a Learner.
    """
    if feedback not in ("FO", "FO+", "FI"):
        raise ValueError(f'feedback is {feedback!r}, expected "FO", "FO+" or "FI"')
    if isinstance(claims, Claim):
        raise _Unexpected("claims is a Claim, expected a list of Claims")
    claims = _items(claims, "claims is", "a list of Claims")
    assumes = _items(assumes, "assumes is", "a list of texts")
    shown = _items(state, "state is", "a list of texts")
    formulas = _items(definition, "definition is", "a list of texts")

    def declare(cls: C) -> C:
        for method in ("ask", "tell"):
            if not callable(getattr(cls, method, None)):
                raise TypeError(
                    f"{cls.__name__} has no method {method}, "
                    "expected the methods ask and tell of a learner"
                )
        cls._ocobench = {
            **_declaration(cls, name, version, reference, title, formulas),
            "feedback": feedback,
            "anytime": anytime,
            "draws": draws,
            "claims": [_claim(Claim(*c)) for c in claims],
            "assumes": list(assumes),
            **({"terms": True} if terms else {}),
            **({"state": shown} if shown else {}),
        }
        return cls

    return declare


def _claim(claim: Claim) -> dict[str, Any]:
    """Return the message of a claim, without a bound that is not stated."""
    claim = claim._replace(
        exponent=_number(claim.exponent, "the exponent of a claim is"),
        log=_number(claim.log, "the log of a claim is"),
    )
    return {k: v for k, v in claim._asdict().items() if v or k not in ("bound", "expected")}


@dataclasses.dataclass(frozen=True)
class Setup:
    """What a learner knows before the first round."""

    domain: Domain
    constraints: int  # the number m of constraints in every round
    facts: Facts
    horizon: Optional[int]  # the number of rounds T; None for a learner that is anytime
    seed: int  # for what a learner draws; the rounds are drawn from another

    @property
    def dim(self) -> int:
        """The dimension n of the domain."""
        return self.domain.dim

    @classmethod
    def _read(cls, message: dict[str, Any]) -> Setup:
        horizon = message.get("horizon")
        return cls(
            _domain(message["domain"]),
            int(message["constraints"]),
            Facts._read(message.get("facts", {})),
            None if horizon is None else int(horizon),
            int(message["seed"]),
        )


class Round:
    """What is revealed at the end of round t.

    t            the number of the round, from 1
    x            the action that was played
    loss         f_t
    constraints  g_{t,1}, …, g_{t,m}
    ahead        the values g_{t−1,j}(x_t), for feedback FO+ from t = 2; else None
    metrics      the metrics so far, by their names, in a Game; else None
    done         whether this was the last round of a Game
    """

    __slots__ = ("t", "x", "loss", "constraints", "ahead", "metrics", "done")

    t: int
    x: list[float]
    loss: Tangent
    constraints: list[Tangent]
    ahead: Optional[list[float]]
    metrics: Optional[dict[str, float]]
    done: bool

    def __init__(self, message: dict[str, Any], x: list[float]):
        self.t = int(message["t"])
        self.x = x
        self.loss = Tangent._read(message["loss"])
        self.constraints = list(map(Tangent._read, message["constraints"]))
        self.ahead = _unpacked(message.get("ahead"))
        self.metrics = message.get("metrics")
        self.done = message.get("done", False)


class Tangent:
    """What is known of a loss or a constraint at the action that was played: its value and a
    subgradient, and with full information (feedback FI) its form.

    A learner is told it. An adaptive problem may reveal it: then the function of the round is
    value + subgradient·(x − x_t).
    """

    __slots__ = ("value", "subgradient", "_form")

    value: float
    subgradient: list[float]

    def __init__(self, value: float, subgradient: Sequence[float]):
        self.value = _number(value, "Tangent: value is", finite=False)
        self._form = None
        self.subgradient = _numbers(subgradient, "Tangent: subgradient is", finite=False)

    @classmethod
    def _read(cls, message: dict[str, Any]) -> Tangent:
        tangent = cls.__new__(cls)  # what bench wrote is not examined again
        tangent.value = message["value"]
        tangent.subgradient = _unpacked(message["subgradient"])
        tangent._form = message.get("form")
        return tangent

    @property
    def form(self) -> Optional[Form]:
        if type(self._form) is dict:  # a message, which is read when it is needed
            self._form = Form._read(self._form, len(self.subgradient))
        return self._form

    def _message(self, dim: int, names: Optional[_Names] = None) -> dict[str, Any]:
        """Return {"value":…,"subgradient":…}. It is a ValueError if they are not of so many
        dimensions."""
        return {
            "value": _number(self.value, "a value is"),
            "subgradient": _numbers(self.subgradient, "a subgradient is", dim),
        }


# --------------------------------------------------------------------------------------------------
# Problems.
# --------------------------------------------------------------------------------------------------
#
# A problem is a class with the decorator problem. It reveals Forms and Functions.


class Problem(typing.Protocol):
    """The members of a problem. Its constructor takes a seed, from which has to come
    whatever is random, and parameters by keyword, as that of a Learner. It sets

        domain       the domain D
        constraints  the number m of constraints in every round; 1 if it is not set
        facts        the Facts; none if it is not set
        shared       the Shared forms that rounds use; none if it is not set
        expectation  the Forms of the expected constraints E g_j, if they are known. Those
                     of a problem whose facts are fixed are the constraints themselves
        comparator   of a problem with a method hindsight: the set over which its action is the
                     best, "xmin" (if it is not set), "xhat", "xmax", "xe", or "own" for another

    A problem may have a method hindsight(t), which returns the value and the action of the best
    fixed action after t rounds as the problem knows it. It is shown as declared, and compared with
    what bench certifies over the same set.

    A ValueError of the constructor refuses the parameters, and its message is shown
    to the user.
    """

    domain: Domain

    def reveal(self, t: int) -> tuple[Any, ...]:
        """Return the loss and the constraints of round t, which is 1, 2, …: Forms and Functions.

        A problem that returns a Function is opaque. This is seen in the first round;
        where Functions come later, or the facts are adaptive, Facts(opaque=True)
        declares it. It is evaluated faster with a third thing to return, a tuple of the
        numbers and arrays that make the functions of the round, and the method

            def batch(self, x, a, b):
                return f, df, g, dg

        for a tuple of two. It gets arrays a and b of numpy whose first index is that of
        t rounds, and returns the values of their losses at x (t numbers), the gradients
        (t×n), and those of the constraints (t×m, t×m×n; if m is 1, t and t×n). Gradients
        may be None, which stands for differences.

        The facts of a problem may be adaptive. Then reveal has a second argument, the
        action x_t that was played, and may return for any function a Tangent(value,
        subgradient) at x_t, unless it is opaque. The function of the round is then its
        tangent, value + subgradient·(x − x_t).
        """


def problem(
    *,
    name: str,
    version: int = 1,
    reference: str = "",
    title: str = "",
    definition: Iterable[str] = (),
) -> Callable[[C], C]:
    """Declare that a class is a problem.

    name       how it calls itself
    version    raise it whenever the problem reveals something else than before
    reference  the paper
    title      the name in figures, tables of LaTeX and notes
    definition sentences that state the rounds and what each parameter does, as of a learner

    The first paragraph of the docstring of the class describes it. It is a
    TypeError if the class is not a Problem. The constraint x_1 + x_2 ≤ b_t with
    random b_t and a loss that does not change:

        @ocobench.problem(name="budget")
        class Budget:
            "A random budget."

            def __init__(self, seed: int, *, mean: float = 0.5):
                self.random, self.mean = random.Random(seed), mean
                self.domain = ocobench.Box([0, 0], [1, 1])
                self.facts = ocobench.Facts(affine=True, perturbed=True, iid=True)

            def reveal(self, t: int):
                budget = 2 * self.mean * self.random.random()
                return ocobench.Form(0, [-1, -2]), [ocobench.Form(-budget, [1, 1])]
    """

    formulas = _items(definition, "definition is", "a list of texts")

    def declare(cls: C) -> C:
        if not callable(getattr(cls, "reveal", None)):
            raise TypeError(
                f"{cls.__name__} has no method reveal, expected the method reveal of a problem"
            )
        cls._ocobench = {
            **_declaration(cls, name, version, reference, title, formulas),
            "role": "problem",
        }
        return cls

    return declare


@dataclasses.dataclass(frozen=True)
class Facts:
    """What a problem declares of itself. A number that is 0 is not declared."""

    loss_lipschitz: float = 0.0  # ‖∂f_t(x)‖ ≤ this on D
    constraint_lipschitz: float = 0.0  # ‖∂g_{t,j}(x)‖ ≤ this on D
    loss_range: float = 0.0  # |f_t(x) − f_t(y)| ≤ this on D
    constraint_bound: float = 0.0  # |g_{t,j}(x)| ≤ this on D
    diameter: float = 0.0  # of D; ocobench computes it from the domain of a problem
    slater: float = 0.0  # some z in D has g_{t,j}(z) ≤ −this for all t, j
    curvature: float = 0.0  # every f_t is this-strongly convex
    rounds: int = 0  # the number of rounds; 0: no limit
    feasible: bool = False  # for every t some z in D has g_{t,j}(z) ≤ 0 for all j
    fixed: bool = False  # g_{t,j} does not depend on t
    affine: bool = False  # every g_{t,j} is affine
    perturbed: bool = False  # g_{t,j} is one function plus numbers
    iid: bool = False  # the constraints of rounds are i.i.d.
    known_constraints: bool = False  # g is known as a function before play
    adaptive: bool = False  # a round may depend on the actions so far
    deterministic: bool = False  # the rounds are the same on every seed
    known_optimum: bool = False  # the problem's documentation states the optimum
    opaque: bool = False  # functions of rounds are known by values and subgradients alone

    @classmethod
    def _read(cls, message: dict[str, Any]) -> Facts:
        return cls(
            **{
                k: type(getattr(cls, k))(v)
                for k, v in message.items()
                if k in cls.__dataclass_fields__
            }
        )

    def _message(self) -> dict[str, Any]:
        message: dict[str, Any] = {}
        for field in dataclasses.fields(self):
            value = getattr(self, field.name)
            what = f"Facts: {field.name} is"
            if isinstance(field.default, bool):
                if not isinstance(_json_value(value, what), bool):
                    raise _Unexpected(f"{what} {_described(value)}, expected True or False")
            else:
                value = (
                    _integer(value, what)
                    if isinstance(field.default, int)
                    else _number(value, what)
                )
            if value:
                message[field.name] = value
        return message


# --------------------------------------------------------------------------------------------------
# What learners and problems declare.
# --------------------------------------------------------------------------------------------------
#
# The declaration of a class, from its decorator and the signature of its constructor.


def _declaration(
    cls: type, name: str, version: int, reference: str, title: str, definition: list[Any]
) -> dict[str, Any]:
    """Return what learners and problems declare of themselves."""
    doc = inspect.cleandoc(cls.__doc__ or "").split("\n\n")[0]
    return {
        "protocol": PROTOCOL,
        "name": name,
        "version": version,
        "doc": " ".join(doc.split()),
        "reference": reference,
        "packed": True,
        "parameters": _parameters(cls),
        **({"title": title} if title else {}),
        **({"definition": definition} if definition else {}),
    }


_TYPES = {
    bool: "boolean",
    int: "integer",
    float: "number",
    str: "string",
    list: "numbers",
    tuple: "numbers",
    collections.abc.Sequence: "numbers",
}


def _parameters(cls: type) -> list[dict[str, Any]]:
    """Describe the parameters of the constructor."""
    hints = typing.get_type_hints(cls.__init__, include_extras=True)
    declared = []
    for p in list(inspect.signature(cls.__init__).parameters.values())[2:]:
        where = f"{cls.__name__}: parameter {p.name}"
        if p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD) or p.default is p.empty:
            raise TypeError(f"{where} needs a name and a default")
        default = p.default
        if hasattr(default, "tolist"):
            default = default.tolist()
        elif isinstance(default, range):
            default = list(default)
        hint = hints.get(p.name, type(default))
        about = Param()
        if typing.get_origin(hint) is typing.Annotated:
            about = next((a for a in hint.__metadata__ if isinstance(a, Param)), about)
            hint = hint.__origin__
        origin = typing.get_origin(hint) or hint
        enum = list(typing.get_args(hint)) if origin is typing.Literal else None
        kind = _TYPES.get(str if enum else origin)
        if kind is None:
            raise TypeError(
                f"{where} is a {hint}, expected a float, an int, a bool, a str, a Literal of texts "
                "or a Sequence[float]"
            )
        try:
            default = _parameter_value(kind, default)
        except ValueError as e:
            raise TypeError(f"{where}: its default {e}") from None
        entry = {
            "name": p.name.replace("_", "-"),
            "type": kind,
            "default": default,
            "enum": enum,
            **about._asdict(),
        }
        declared.append({k: v for k, v in entry.items() if v is not None})
    return declared


def _parameter_value(kind: str, v: Any) -> Any:
    """Return v as a parameter of this type. Numbers of a message are floats."""
    number = isinstance(v, (int, float)) and not isinstance(v, bool) and math.isfinite(v)
    if kind == "number" and number:
        return float(v)
    if kind == "integer" and number and v == int(v):
        return int(v)
    if kind == "boolean" and isinstance(v, bool) or kind == "string" and isinstance(v, str):
        return v
    if kind == "numbers" and isinstance(v, (list, tuple)):
        return [_parameter_value("number", e) for e in v]
    raise ValueError(f"is {v!r}, expected {kind}")


# --------------------------------------------------------------------------------------------------
# Domains.
# --------------------------------------------------------------------------------------------------
#
# The sets of actions. Their arithmetic is that of package convex of ocobench, operation by
# operation, so that projections have the same bits.


# The step of central differences: the third root of 2⁻⁵², where the errors of steps and of rounding
# meet.
_STEP = 6e-6


class Domain:
    """The convex and bounded set D of the actions: a Box, a Ball or a Simplex."""

    dim: int
    diameter: float  # the largest distance between two points

    def project(self, x: Sequence[float]) -> list[float]:
        """Return the point of the domain nearest to x, as a new list."""
        raise NotImplementedError

    def _message(self) -> dict[str, Any]:
        """Return what _domain reads."""
        raise NotImplementedError

    def _point(self, x: Sequence[float]) -> list[float]:
        """Return x as a new list of floats."""
        return _numbers(x, "project: x is", self.dim, finite=False)

    def _slopes(self, x: list[float], f: Callable[[list[float]], Any]) -> list[Any]:
        """Return the derivatives of f at x by each coordinate, by differences of values at points
        of the domain. What f returns may be an array: then these are arrays.

        With h = 6·10⁻⁶·max(1, |x_i|), at most a quarter of the size of the domain, a difference is

            central:    (f(x + h) − f(x − h)) / 2h
            at a bound: (4f(x + h) − 3f(x) − f(x + 2h)) / 2h, or its mirror image

        The errors are h² times third derivatives, and rounding: 10⁻¹⁰ times the size of f. On a
        simplex a coordinate grows at the cost of the largest one, its partner, and the sum of the
        derivatives is zero.
        """
        partner = self._partner(x)
        x = self._interior(x)
        value_at_x = None
        slopes = []
        for i in range(self.dim):
            room_below, room_above, size = self._room(x, i, partner)
            h = min(_STEP * max(1.0, abs(x[i])), size / 4)
            if h == 0 or i == partner:
                slopes.append(0.0)
                continue

            def moved(step: float) -> Any:
                """Return f after a step along coordinate i."""
                y = list(x)
                y[i] += step
                if partner is not None:
                    y[partner] -= step
                return f(y)

            if room_below >= h and room_above >= h:
                slopes.append((moved(h) - moved(-h)) / (2 * h))
                continue
            if value_at_x is None:
                value_at_x = f(x)
            if room_above <= room_below:
                h = -h
            slopes.append((4 * moved(h) - 3 * value_at_x - moved(2 * h)) / (2 * h))
        return self._along(slopes)

    def _along(self, gradient: Sequence[Any]) -> list[Any]:
        """Return the part of a gradient along the domain: on a simplex, without its mean."""
        return list(gradient)

    def _interior(self, x: list[float]) -> list[float]:
        """Return x, or a point so close to it that there is room for steps."""
        return x

    def _partner(self, x: list[float]) -> Optional[int]:
        """Return the coordinate that shrinks when another one grows, or None."""
        return None

    def _room(self, x: list[float], i: int, partner: Optional[int]) -> tuple[float, float, float]:
        """Return how far coordinate i can be moved down and up, and the size of the domain
        there."""
        raise NotImplementedError


class Box(Domain):
    """{x : lower ≤ x ≤ upper}, coordinate by coordinate."""

    def __init__(self, lower: Sequence[float], upper: Sequence[float]):
        self.lower = _numbers(lower, "Box: lower is")
        self.dim = len(self.lower)
        self.upper = _numbers(upper, "Box: upper is", self.dim)
        if not self.dim:
            raise _Unexpected("Box: lower is a list of 0 numbers, expected one or more")
        for i, (low, high) in enumerate(zip(self.lower, self.upper)):
            if low > high:
                raise _Unexpected(
                    f"Box: lower is {low!r} and upper {high!r} at index {i}, expected lower ≤ upper"
                )
        self.diameter = _distance(self.upper, self.lower)

    def project(self, x: Sequence[float]) -> list[float]:
        out = []
        for v, lower, upper in zip(self._point(x), self.lower, self.upper):
            if v < lower:
                v = lower
            elif v > upper:
                v = upper
            if not v and self.dim > 1:  # there Go's max and min decide, with −0 < 0
                if not lower:
                    v = v + lower
                if not upper:
                    v = -(-v - upper)
            out.append(v)
        return out

    def _room(self, x: list[float], i: int, partner: Optional[int]) -> tuple[float, float, float]:
        return x[i] - self.lower[i], self.upper[i] - x[i], self.upper[i] - self.lower[i]

    def _message(self) -> dict[str, Any]:
        return {"box": {"lower": self.lower, "upper": self.upper}}


class Ball(Domain):
    """{x : ‖x − center‖ ≤ radius}."""

    def __init__(self, center: Sequence[float], radius: float):
        self.center = _numbers(center, "Ball: center is")
        self.radius = _number(radius, "Ball: radius is")
        self.dim = len(self.center)
        if not self.dim or self.radius <= 0:
            raise _Unexpected(
                f"Ball: center has {self.dim} coordinates and radius is {self.radius!r}, "
                "expected one coordinate or more and a radius above 0"
            )
        self.diameter = 2 * self.radius

    def project(self, x: Sequence[float]) -> list[float]:
        x = self._point(x)
        distance = _distance(x, self.center)
        radius = self.radius
        if distance <= radius:
            return x
        return [c + radius * ((v - c) / distance) for v, c in zip(x, self.center)]

    def _interior(self, x: list[float]) -> list[float]:
        step = min(_STEP * max(1.0, *map(abs, x)), self.radius / 4)
        # At this distance from the centre, half of the shortest chord is two steps or more.
        reach = (1 - 4 * (step / self.radius) ** 2) * self.radius
        distance = _distance(x, self.center)
        if distance <= reach:
            return x
        return [c + reach * ((v - c) / distance) for v, c in zip(x, self.center)]

    def _room(self, x: list[float], i: int, partner: Optional[int]) -> tuple[float, float, float]:
        v = x[i] - self.center[i]
        others = sum((w - c) ** 2 for k, (w, c) in enumerate(zip(x, self.center)) if k != i)
        half = math.sqrt(max(0.0, self.radius**2 - others))  # of the chord through x
        return half + v, half - v, self.radius

    def _message(self) -> dict[str, Any]:
        return {"ball": {"center": self.center, "radius": self.radius}}


class Simplex(Domain):
    """{x ≥ 0 : Σ x_i = scale}."""

    def __init__(self, dim: int, scale: float = 1):
        self.dim = _integer(dim, "Simplex: dim is")
        self.scale = _number(scale, "Simplex: scale is")
        if self.dim < 1 or self.scale <= 0:
            raise _Unexpected(
                f"Simplex: dim is {self.dim} and scale {self.scale!r}, "
                "expected an integer from 1 on and a scale above 0"
            )
        self.diameter = math.sqrt(2) * self.scale if self.dim > 1 else 0.0

    def project(self, x: Sequence[float]) -> list[float]:
        """Return max(0, x − θ), where θ is found by the method of Michelot (1986)."""
        x = self._point(x)
        scale = self.scale
        if self._residual(x) <= 2e-16 * scale * self.dim:  # x is in the simplex, up to rounding
            return [v if v > 0 else 0.0 for v in x]
        top = max(x)
        theta = -scale
        last = self.dim + 1
        while True:
            total, above = 0.0, 0
            for v in x:
                v = v - top
                if v > theta:
                    total += v
                    above += 1
            if not above:
                raise ValueError("project: the coordinates are not finite")
            if above >= last:
                break
            theta = (total - scale) / above
            last = above
        out = []
        total, support = 0.0, 0  # the built-in sum rounds in another way
        for v in x:
            v = v - top - theta
            if v > 0:
                total += v
                support += 1
                out.append(v)
            else:
                out.append(0.0)
        shift = (scale - total) / support
        return [max(0.0, v + shift) if v > 0 else 0.0 for v in out]

    def _along(self, gradient: Sequence[Any]) -> list[Any]:
        mean = sum(gradient) / self.dim
        return [slope - mean for slope in gradient]

    def _partner(self, x: list[float]) -> Optional[int]:
        return max(range(self.dim), key=x.__getitem__)

    def _room(self, x: list[float], i: int, partner: Optional[int]) -> tuple[float, float, float]:
        return x[i], x[partner], x[partner]

    def _message(self) -> dict[str, Any]:
        return {"simplex": {"dim": self.dim, "scale": self.scale}}

    def _residual(self, x: Sequence[float]) -> float:
        """Return by how much x misses the conditions of the simplex."""
        worst, total = 0.0, 0.0
        for v in x:
            worst = max(worst, -v)
            total += v
        return max(abs(total - self.scale), worst)


def _distance(a: Sequence[float], b: Sequence[float]) -> float:
    """Return ‖a − b‖, without overflow or underflow of squares. The squares are added in four sums,
    as ocobench adds them, so that the bits are the same."""
    sums = [0.0, 0.0, 0.0, 0.0]
    k = 0
    for v, w in zip(a, b):
        v = v - w
        sums[k & 3] += v * v
        k += 1
    total = (sums[0] + sums[1]) + (sums[2] + sums[3])
    if total > sys.float_info.max:  # the scaling comes first: the difference may overflow
        return math.sqrt(_scaled(a, b, 2.0**-600, 1.0)) * 2.0**600
    if total < 2.0**-900:  # the scaling comes last: close vectors may be large
        return math.sqrt(_scaled(a, b, 1.0, 2.0**600)) * 2.0**-600
    return math.sqrt(total)


def _scaled(a: Sequence[float], b: Sequence[float], first: float, last: float) -> float:
    """Return ‖(first·a − first·b)·last‖²."""
    total = 0.0
    for v, w in zip(a, b):
        v = (first * v - first * w) * last
        total += v * v
    return total


def _domain(message: dict[str, Any]) -> Domain:
    """Return the domain of a message such as {"ball":{"center":…,"radius":…}}."""
    ((kind, members),) = message.items()
    return {"box": Box, "ball": Ball, "simplex": Simplex}[kind](**members)


# --------------------------------------------------------------------------------------------------
# Functions.
# --------------------------------------------------------------------------------------------------
#
# Losses and constraints: a Form with its terms, which bench knows as a formula, and a Function,
# which it knows by values and gradients. Between them is how messages have them.


class Form:
    """The function const + lin·x + ½xᵀ quad x + Σ_k s_k f_k(x).

    quad   None where it is zero, and else symmetric and positive semidefinite
    terms  pairs (s_k, f_k) with s_k ≥ 0 and f_k a Ridge, Separable, HalfSquares, Distance,
           HalfSquaredDistance, ElasticNet, Linear, Max or Shared; only a Linear may have a
           negative s_k

    Where opaque is true the function cannot be written out, and the other
    members mean nothing.
    """

    __slots__ = ("const", "lin", "quad", "terms", "opaque")

    const: float
    lin: list[float]
    quad: Optional[list[list[float]]]
    terms: list[tuple[float, _Term]]
    opaque: bool

    def __init__(
        self,
        const: float,
        lin: Sequence[float],
        quad: Optional[Sequence[Sequence[float]]] = None,
        terms: Sequence[tuple[float, _Term]] = (),
    ):
        self.const = _number(const, "Form: const is", finite=False)
        self.opaque = False
        self.lin = _numbers(lin, "Form: lin is", finite=False)
        self.quad = None if quad is None else _matrix(quad, "Form: quad", finite=False)
        self.terms = [
            _term(term, k)
            for k, term in enumerate(
                _items(terms, "Form: terms is", "a list of pairs (scale, function)")
            )
        ]

    @classmethod
    def _read(cls, message: dict[str, Any], dim: int) -> Form:
        """Return the form of a message, whose quad may have its diagonal, or a part of it, as
        diag."""
        quad = message.get("quad")
        diag = _vector(message.get("diag"), dim)
        if quad is not None:
            quad = [_vector(row, dim) for row in quad]
        if diag is not None:
            quad = quad or [[0.0] * dim for _ in range(dim)]
            for i, d in enumerate(diag):
                quad[i][i] += d
        form = cls.__new__(cls)  # what bench wrote is not examined again
        form.const = message.get("const", 0.0)
        form.lin = _vector(message.get("lin") or [0.0] * dim, dim)
        form.quad = quad
        form.terms = [
            (term.get("scale", 1.0), _function(term["of"], dim))
            for term in message.get("terms", ())
        ]
        form.opaque = message.get("opaque", False)
        return form

    def _message(self, dim: int, names: Optional[_Names] = None) -> dict[str, Any]:
        """Return {"form":…}. It is a ValueError if the form is not one in so many dimensions."""
        form: dict[str, Any] = {
            "const": _number(self.const, "const of a form is"),
            "lin": _numbers(self.lin, "lin of a form is", dim),
            "quad": None if self.quad is None else _matrix(self.quad, "quad of a form", dim),
        }
        if self.terms:
            names = names or {}
            if not any(self.lin):
                form["lin"] = None
            form["terms"] = [
                {"of": f._message(dim, names)}
                if scale == 1
                else {"scale": scale, "of": f._message(dim, names)}
                for scale, f in self.terms
            ]
        return {"form": {k: v for k, v in form.items() if v is not None}}

    def value(self, x: Sequence[float]) -> float:
        """Return the value at x."""
        if self.opaque:
            raise ValueError("an opaque function has no form")
        # With d = lin + quad x, ½(d + lin)·x is lin·x + ½xᵀ quad x.
        quadratic = self.const + sum(
            0.5 * (d + a) * v for d, a, v in zip(self._slope(x), self.lin, x)
        )
        return quadratic + sum(scale * f.value(x) for scale, f in self.terms)

    def gradient(self, x: Sequence[float]) -> list[float]:
        """Return the gradient at x, lin + quad x + Σ_k s_k ∇f_k(x); where there is none, a
        subgradient."""
        if self.opaque:
            raise ValueError("an opaque function has no form")
        slope = self._slope(x)
        for scale, f in self.terms:
            slope = [a + scale * g for a, g in zip(slope, f.gradient(x))]
        return slope

    def _slope(self, x: Sequence[float]) -> list[float]:
        """Return lin + quad x."""
        if self.quad is None:
            return list(self.lin)
        return [a + sum(q * v for q, v in zip(row, x)) for a, row in zip(self.lin, self.quad)]

    def folded(self) -> Form:
        """Return the same function, up to rounding, with all terms in const, lin and quad that are
        affine or quadratic."""
        const = self.const
        lin = list(self.lin)
        terms = []
        quad = None if self.quad is None else [list(row) for row in self.quad]
        for scale, f in self.terms:
            form = f._expanded(len(lin))
            if form is None:
                terms.append((scale, f))
                continue
            const += scale * form.const
            lin = [a + scale * b for a, b in zip(lin, form.lin)]
            if form.quad is not None:
                quad = quad or [[0.0] * len(lin) for _ in lin]
                quad = [
                    [a + scale * b for a, b in zip(row, more)] for row, more in zip(quad, form.quad)
                ]
            terms.extend((scale * s, g) for s, g in form.terms)
        return Form(const, lin, quad, terms)


class _Term:
    """A function that may be a term of a Form. Its members are the arguments of its constructor,
    under whose names a message has them."""

    _kind = ""  # its name in messages
    _vectors: tuple[str, ...] = ()  # members that have a number for each dimension

    def value(self, x: Sequence[float]) -> float:
        """Return the value at x."""
        raise NotImplementedError

    def gradient(self, x: Sequence[float]) -> list[float]:
        """Return the gradient at x; where there is none, a subgradient."""
        raise NotImplementedError

    def _message(self, dim: int, names: _Names) -> Any:
        for name in self._vectors:
            if len(getattr(self, name)) != dim:
                raise _Unexpected(
                    f"a vector of {len(getattr(self, name))} numbers, "
                    f"expected {dim}, the dimension of the domain"
                )
        return {self._kind: vars(self)}

    def _expanded(self, dim: int) -> Optional[Form]:
        """Return the function as a form with const, lin and quad, or None if it is neither affine
        nor quadratic. Of a nested form, terms that are neither remain."""
        return None


class Ridge(_Term):
    """The function φ(a·x + b), φ being the curve "neglog", −log u, "softplus", log(1 + eᵘ), or
    "exp", eᵘ."""

    _kind, _vectors = "ridge", ("a",)

    def __init__(self, curve: str, a: Sequence[float], b: float = 0.0):
        self.curve = _curve(curve)
        self.a = _numbers(a, "Ridge: a is")
        self.b = _number(b, "Ridge: b is")

    def _argument(self, x: Sequence[float]) -> float:
        return sum(a * v for a, v in zip(self.a, x)) + self.b

    def value(self, x: Sequence[float]) -> float:
        return _curves[self.curve][0](self._argument(x))

    def gradient(self, x: Sequence[float]) -> list[float]:
        slope = _curves[self.curve][1](self._argument(x))
        return [slope * a for a in self.a]


class Separable(_Term):
    """The function Σ_k φ(rate_k·x_{first+k} + offset), first being an index from 0."""

    _kind = "separable"

    def __init__(self, curve: str, rate: Sequence[float], first: int = 0, offset: float = 0.0):
        self.curve = _curve(curve)
        self.rate = _numbers(rate, "Separable: rate is")
        self.first = _integer(first, "Separable: first is")
        self.offset = _number(offset, "Separable: offset is")

    def value(self, x: Sequence[float]) -> float:
        return sum(
            _curves[self.curve][0](r * v + self.offset) for r, v in zip(self.rate, x[self.first :])
        )

    def gradient(self, x: Sequence[float]) -> list[float]:
        slope = [0.0] * len(x)
        for k, r in enumerate(self.rate, self.first):
            slope[k] = r * _curves[self.curve][1](r * x[k] + self.offset)
        return slope


class HalfSquares(_Term):
    """The function ½Σ_k (rows_k·x − y_k)²."""

    _kind = "halfsquares"

    def __init__(self, rows: Sequence[Sequence[float]], y: Sequence[float]):
        self.rows = _matrix(rows, "HalfSquares: rows")
        self.y = _numbers(y, "HalfSquares: y is", len(self.rows))

    def _residuals(self, x: Sequence[float]) -> list[float]:
        return [sum(a * v for a, v in zip(row, x)) - y for row, y in zip(self.rows, self.y)]

    def value(self, x: Sequence[float]) -> float:
        return sum(r * r for r in self._residuals(x)) / 2

    def gradient(self, x: Sequence[float]) -> list[float]:
        residuals = self._residuals(x)
        return [sum(r * row[i] for r, row in zip(residuals, self.rows)) for i in range(len(x))]

    def _message(self, dim: int, names: _Names) -> Any:
        for row in self.rows:
            if len(row) != dim:
                raise _Unexpected(
                    f"a row of {len(row)} numbers, expected {dim}, the dimension of the domain"
                )
        return super()._message(dim, names)

    def _expanded(self, dim: int) -> Optional[Form]:
        lin = [-sum(y * row[i] for y, row in zip(self.y, self.rows)) for i in range(dim)]
        quad = [[sum(row[i] * row[j] for row in self.rows) for j in range(dim)] for i in range(dim)]
        return Form(sum(y * y for y in self.y) / 2, lin, quad)


class Distance(_Term):
    """The function ‖x − center‖."""

    _kind, _vectors = "distance", ("center",)

    def __init__(self, center: Sequence[float]):
        self.center = _numbers(center, "center is")

    def value(self, x: Sequence[float]) -> float:
        return math.dist(x, self.center)

    def gradient(self, x: Sequence[float]) -> list[float]:
        distance = self.value(x)
        return [(v - c) / distance if distance > 0 else 0.0 for v, c in zip(x, self.center)]


class HalfSquaredDistance(Distance):
    """The function ½‖x − center‖²."""

    _kind = "halfsquareddistance"

    def value(self, x: Sequence[float]) -> float:
        return sum((v - c) ** 2 for v, c in zip(x, self.center)) / 2

    def gradient(self, x: Sequence[float]) -> list[float]:
        return [v - c for v, c in zip(x, self.center)]

    def _expanded(self, dim: int) -> Optional[Form]:
        unit = [[float(i == j) for j in range(dim)] for i in range(dim)]
        return Form(sum(c * c for c in self.center) / 2, [-c for c in self.center], unit)


class ElasticNet(_Term):
    """The function l1·‖x‖₁ + ½·l2·‖x‖²."""

    _kind = "elasticnet"

    def __init__(self, l1: float = 0.0, l2: float = 0.0):
        self.l1 = _number(l1, "ElasticNet: l1 is")
        self.l2 = _number(l2, "ElasticNet: l2 is")

    def value(self, x: Sequence[float]) -> float:
        return self.l1 * sum(map(abs, x)) + self.l2 * sum(v * v for v in x) / 2

    def gradient(self, x: Sequence[float]) -> list[float]:
        return [self.l2 * v + self.l1 * ((v > 0) - (v < 0)) for v in x]


class Linear(_Term):
    """The function Σ_k a_k·x_{first+k}, first being an index from 0."""

    _kind = "linear"

    def __init__(self, a: Sequence[float], first: int = 0):
        self.a = _numbers(a, "Linear: a is")
        self.first = _integer(first, "Linear: first is")

    def value(self, x: Sequence[float]) -> float:
        return sum(a * v for a, v in zip(self.a, x[self.first :]))

    def gradient(self, x: Sequence[float]) -> list[float]:
        return [0.0] * self.first + self.a + [0.0] * (len(x) - self.first - len(self.a))

    def _expanded(self, dim: int) -> Optional[Form]:
        return Form(0, self.gradient([0.0] * dim))


class Max(_Term):
    """The largest of some forms. Its gradient is that of the first form that is largest."""

    def __init__(self, forms: Sequence[Form]):
        self.forms = _forms(forms, "Max: forms is")

    def value(self, x: Sequence[float]) -> float:
        return max(form.value(x) for form in self.forms)

    def gradient(self, x: Sequence[float]) -> list[float]:
        return max(self.forms, key=lambda form: form.value(x)).gradient(x)

    def _message(self, dim: int, names: _Names) -> Any:
        return {"max": [form._message(dim, names)["form"] for form in self.forms]}


class _Nested(_Term):
    """A form as a term."""

    def __init__(self, form: Form):
        self.form = _form(form, f"{type(self).__name__.strip('_')}: form is")

    def value(self, x: Sequence[float]) -> float:
        return self.form.value(x)

    def gradient(self, x: Sequence[float]) -> list[float]:
        return self.form.gradient(x)

    def _message(self, dim: int, names: _Names) -> Any:
        return self.form._message(dim, names)

    def _expanded(self, dim: int) -> Optional[Form]:
        return self.form.folded()


class Shared(_Nested):
    """A form that several rounds use. It is sent once, and is one function for the algorithms,
    which add up multiples of it. A problem has a list of them, shared; write_rounds finds them."""

    def _message(self, dim: int, names: _Names) -> Any:
        return names.get(id(self)) or super()._message(dim, names)


_term_kinds: dict[str, Any] = {
    f._kind: f
    for f in (Ridge, Separable, HalfSquares, Distance, HalfSquaredDistance, ElasticNet, Linear)
}


_Names = Dict[int, str]  # of functions that are shared, by identity


def _exp(u: float) -> float:
    """Return eᵘ, infinite where it overflows."""
    return math.exp(u) if u < 709.78 else math.inf


def _softplus(u: float) -> float:
    """Return log(1 + eᵘ)."""
    return max(u, 0.0) + math.log1p(math.exp(-abs(u)))


def _sigmoid(u: float) -> float:
    """Return the slope of _softplus, 1/(1 + e⁻ᵘ)."""
    return 1 / (1 + math.exp(-u)) if u > -700 else math.exp(u)


# The curves, each with its slope.
_curves = {
    "neglog": (
        lambda u: -math.log(u) if u > 0 else math.inf,
        lambda u: -1 / u if u > 0 else -math.inf,
    ),
    "softplus": (_softplus, _sigmoid),
    "exp": (_exp, _exp),
}


def _curve(name: str) -> str:
    """Return the name of a curve, if it is one."""
    if not isinstance(name, str) or name not in _curves:
        raise _Unexpected(f"curve is {name!r}, expected one of {', '.join(_curves)}")
    return name


def _vector(v: Any, dim: int) -> Any:
    """Return a vector of a message as a list. The message may have it as a list, as the indices and
    values of the entries that are not zero, {"at":[…],"is":[…]}, or packed. Any other value is
    returned as it is."""
    if not isinstance(v, dict):
        return v
    if "f64" in v:
        return _unpacked(v)
    out = [0.0] * dim
    for i, u in zip(v["at"], v["is"]):
        out[int(i)] = float(u)
    return out


# A message may have a list of numbers packed, as {"f64":"…"}: their bits in base64, eight bytes a
# number, the lowest byte first. Numbers as text are most of what a round of many constraints costs.
_PACKED_FROM = 8  # the least number of numbers that are packed


def _unpacked(v: Any) -> Any:
    """Return a list of numbers, packed or not, as a list."""
    if type(v) is not dict:
        return v
    numbers = array.array("d", binascii.a2b_base64(v["f64"]))
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers.tolist()


def _packed(v: list[float]) -> Any:
    """Return what _unpacked reads; a short list as it is."""
    if len(v) < _PACKED_FROM:
        return v
    numbers = array.array("d", v)
    if sys.byteorder == "big":
        numbers.byteswap()
    return {"f64": binascii.b2a_base64(numbers, newline=False).decode()}


def _function(of: Any, dim: int) -> _Term:
    """Return the function of a term of a message, such as {"ridge":{"curve":"exp",…}}."""
    ((kind, f),) = of.items()
    if kind == "max":
        return Max([Form._read(form, dim) for form in f])
    if kind == "form":
        return _Nested(Form._read(f, dim))
    if kind not in _term_kinds:
        raise ValueError(f"the function has the unknown kind {kind!r}")
    if kind == "halfsquares":
        f = {**f, "rows": [_vector(row, dim) for row in f["rows"]]}
    return typing.cast(_Term, _term_kinds[kind](**{name: _vector(v, dim) for name, v in f.items()}))


def _shared_functions(shared: Iterable[Shared], dim: int) -> tuple[_Names, dict[str, Any]]:
    """Return the names of functions that are shared, and the member of a first line or message that
    defines them; without such functions there is no member."""
    names: _Names = {}
    defined = {}
    for f in shared:
        if id(f) not in names:
            form = f.form._message(dim, names)["form"]
            names[id(f)] = f"f{len(names) + 1}"
            defined[names[id(f)]] = form
    return names, {"functions": defined} if defined else {}


def _sharing(form: Form) -> Iterator[Shared]:
    """Yield the functions of a form that are shared, each after those that it uses."""
    for _, f in form.terms:
        if isinstance(f, _Nested):
            yield from _sharing(f.form)
        elif isinstance(f, Max):
            for inner in f.forms:
                yield from _sharing(inner)
        if isinstance(f, Shared):
            yield f


class Function:
    """A convex function of your own, as a loss or a constraint of a problem.

    value     returns f(x), a number, at any point x of the domain
    gradient  returns the gradient at x, or where there is none a subgradient; None stands for
              differences of values

    The point x is an array of numpy, which is read-only, if the program has imported numpy, and
    else a list of floats. A function has to stay what it was when it was revealed: it is evaluated
    later, too.
    """

    __slots__ = ("value", "gradient")

    def __init__(
        self,
        value: Callable[[Any], float],
        gradient: Optional[Callable[[Any], Sequence[float]]] = None,
    ):
        for what, f in [("value", value), ("gradient", gradient)]:
            if not callable(f) and (f is not None or what == "value"):
                raise _Unexpected(
                    f"Function: {what} is {_described(f)}, expected a function of a point"
                )
        self.value, self.gradient = value, gradient

    def _at(self, x: list[float], domain: Domain) -> tuple[float, list[float]]:
        """Return the value and the gradient at x."""
        value = _number(self.value(_user_point(x)), "its value is")
        if self.gradient is None:
            slopes = domain._slopes(
                x, lambda y: _number(self.value(_user_point(y)), "near x its value is")
            )
            return value, slopes
        return value, _numbers(self.gradient(_user_point(x)), "its gradient is", domain.dim)


def _user_point(x: list[float]) -> Any:
    """Return a point as functions of users get it: a read-only array if the program has imported
    numpy, and else a new list."""
    numpy = sys.modules.get("numpy")
    if numpy is None:
        return list(x)
    point = numpy.array(x)
    point.flags.writeable = False
    return point


# --------------------------------------------------------------------------------------------------
# Games.
# --------------------------------------------------------------------------------------------------
#
# Game drives the rounds of a problem from a notebook, over bench serve.


class Game:
    """A game whose rounds the caller drives, over bench serve.

    problem    a SPEC such as "iid:dim=5"
    horizon    the number of rounds
    seed, replicate
               name the rounds: they are those of bench play
    feedback   what the rounds show: "FO", "FO+" or "FI", see learner
    external   the commands of problems of other programs, by their names
    program    the command of bench, a text or a list of words; default: the bench that
               was installed with this module, or else the one on the PATH
    record     a file to which the actions are written, a line each, once they are
               played; bench score and the flag --actions of bench read it
    terms      whether forms have terms, see learner

    It has the members domain, constraints, facts, horizon and seed of a Setup, and
    t, the number of rounds that were played. It is an Error if bench refuses, and
    whatever else fails is one, too. Several threads may use a game: their rounds are
    played one after another. A call that is interrupted ends the game.
    Close it, or use it in a with statement; otherwise bench ends with the
    program.
    """

    def __init__(
        self,
        problem: str,
        horizon: int,
        seed: int = 1,
        replicate: int = 1,
        *,
        feedback: str = "FI",
        external: Mapping[str, str] = {},
        program: Program = None,
        record: Union[str, os.PathLike[str], None] = None,
        terms: bool = False,
    ):
        self._record: Optional[TextIO] = None
        self._lock = threading.RLock()  # is held from a call to its answer
        self._over = ""  # why there are no more calls
        self._calls = 0
        flags = _named("external", external, "a command such as 'python3 mine.py'")
        with _failing("new"):
            horizon = _integer(horizon, "horizon is")
            seed = _integer(seed, "seed is")
            replicate = _integer(replicate, "replicate is")
        with _failing("a temporary file"):
            self._stderr = tempfile.TemporaryFile()
        try:
            self._process = _start(
                [*_bench(program), "serve", *flags],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._stderr,
            )
        except BaseException:
            self._stderr.close()
            raise
        try:
            self._call("initialize", {"protocol": PROTOCOL}, dict)
            self._game, self.horizon, self.setup = self._call(
                "new",
                {
                    "problem": problem,
                    "horizon": horizon,
                    "seed": seed,
                    "replicate": replicate,
                    "feedback": feedback,
                    **({"terms": True} if terms else {}),
                },
                lambda new: (int(new["game"]), int(new["horizon"]), Setup._read(new)),
            )
            if record is not None:
                with _failing("record"):
                    self._record = open(record, "w", buffering=1, encoding="utf-8", newline="\n")
        except BaseException:
            self.close()
            raise
        self.domain, self.dim = self.setup.domain, self.setup.dim
        self.constraints, self.facts, self.seed = (
            self.setup.constraints,
            self.setup.facts,
            self.setup.seed,
        )
        self.t = 0

    def step(self, x: Sequence[float]) -> Round:
        """Play x in the next round and return what is revealed.

        It is an Error, and the round is not played, if x is not in the domain or
        if the last round was played.
        """
        with _failing("step"):
            x = _numbers(x, "x is", self.dim)
        with self._lock:
            round = self._call(
                "step", {"game": self._game, "x": x}, lambda message: Round(message, x)
            )
            self.t = round.t
            if self._record is not None:
                self._over = "the record cannot be written; the game cannot go on"
                with _failing("record"):
                    self._record.write(_encode({"t": self.t, "x": x}) + "\n")
                self._over = ""
        return round

    def result(self) -> dict[str, Any]:
        """Return the metrics of the rounds so far, and the regret against every set.

        {"t": t, "metrics": {name: value}, "regret": {"xmin": {"value": regret,
        "best": the value of the best fixed action, "action": that action, "gap":
        a proven bound of its error, "residual": …, "empty": False}, …}}
        """
        return self._call(
            "result", {"game": self._game}, lambda message: {**message, "t": int(message["t"])}
        )

    def close(self) -> None:
        """End the game and bench serve. Closing twice does nothing."""
        with self._lock:
            failed, self._over = self._over, "the game is closed"
            for stream in (self._process.stdin, self._process.stdout):
                with contextlib.suppress(OSError):  # a pipe that is broken
                    stream.close()  # bench serve ends with its input
            self._wait_for_end()
            self._stderr.close()
            if self._record is not None:
                with contextlib.suppress(OSError) if failed else _failing("record"):
                    self._record.close()

    def _wait_for_end(self) -> int:
        """Return the exit code of bench, which has time to end."""
        try:
            return self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            return self._process.wait()

    def __enter__(self) -> Game:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _call(self, method: str, params: dict[str, Any], read: Callable[[dict[str, Any]], T]) -> T:
        """Return what read makes of the result of one call."""
        with _failing(method):
            call = f'"method":"{method}","params":{_encode(params)}}}\n'.encode()
        with self._lock:
            if self._over:
                raise Error(self._over)
            self._calls += 1
            self._over = "an earlier call was interrupted; the game cannot go on"
            try:
                self._process.stdin.write(b'{"jsonrpc":"2.0","id":%d,' % self._calls + call)
                self._process.stdin.flush()
                line = self._process.stdout.readline()
            except OSError:  # a broken pipe
                line = b""
            if not line.endswith(b"\n"):
                self._over = f"bench serve ended with exit code {self._wait_for_end()}"
                self._stderr.seek(0)
                raise Error(f"{self._over}: {_tail(self._stderr.read())}")
            self._over = f"bench serve did not answer {method} as it should; the game cannot go on"
            with _failing(f"{method} is answered by {line[:100]!r}"):
                message = _decode(line.decode())
                if message.get("id") != self._calls:
                    raise ValueError(
                        f"the answer is to call {message.get('id')}, "
                        f"expected one to call {self._calls}"
                    )
                refusal = message["error"]["message"] if "error" in message else None
                result = None if refusal else read(message["result"])
            self._over = ""
        if refusal:
            raise Error(refusal)
        return typing.cast(T, result)


# --------------------------------------------------------------------------------------------------
# Experiments and their results.
# --------------------------------------------------------------------------------------------------
#
# run runs an experiment, and results reads what is stored, both by a command of bench.


def run(
    experiment: Union[str, os.PathLike[str], Mapping[str, Any]],
    *,
    store: Union[str, os.PathLike[str]] = "results",
    out: Union[str, os.PathLike[str], None] = None,
    external: Mapping[str, str] = {},
    actions: Mapping[str, str] = {},
    program: Program = None,
    quiet: bool = False,
    **flags: Any,
) -> Analysis:
    """Run an experiment and return its analysis.

    experiment  the name of one that bench has, a YAML file, or a dict with the same
                members, such as {"name": "first", "horizon": 1000, "replicates": 10,
                "problems": [{"use": "iid", "dim": 3}], "algorithms": [{"use": "ogd"}]}
    store       where results are kept; what is there is not computed again
    out         where tables, figures and the page are to stay; default: nowhere
    external    the commands of algorithms and problems of other programs, by their names
    actions     files of actions, by the names of the algorithms that play them
    program     the command of bench
    quiet       do not show what bench says while it runs
    flags       other flags of bench run, such as horizon=1000 or metric=["violation_hard"]

    In the commands, python3 is the Python that runs this. Where cells fail there is a
    warning, and the analysis is of the others. It is an Error if bench refuses the
    experiment.
    """
    bench = _bench(program)
    words = _named("external", external, "a command such as 'python3 mine.py'") + _named(
        "actions", actions, "a file"
    )
    with _failing("run"):
        for name, value in flags.items():
            value = _json_value(value, name)
            if isinstance(value, dict):
                raise _Unexpected(f"{name} is a dict, expected a text, a number or a list")
            if value is not None and value is not False:
                text = (
                    ""
                    if value is True
                    else "="
                    + (",".join(map(str, value)) if isinstance(value, list) else str(value))
                )
                words.append("--" + name.replace("_", "-") + text)
    with _failing("run"), tempfile.TemporaryDirectory() as directory:
        if isinstance(experiment, Mapping):
            name = str(experiment.get("name", ""))  # which bench refuses if it is no name
            file = os.path.join(
                directory,
                (name if re.fullmatch("[A-Za-z0-9_-]{1,60}", name) else "notebook") + ".yaml",
            )
            with open(file, "w", encoding="utf-8") as f:
                json.dump(
                    {"name": "notebook", **_json_value(experiment, "experiment")}, f
                )  # which is YAML
        else:
            file = os.fspath(experiment)
        output = os.path.join(directory, "out") if out is None else os.fspath(out)
        code, printed, errors = _run_command(
            [*bench, "run", file, "--store", os.fspath(store), "--out", output, *words],
            None if quiet else sys.stderr,
            directory,
        )
        analyses = glob.glob(os.path.join(glob.escape(output), "*", "analysis.json"))
        if code not in (0, _SOME_FAILED) or not analyses:
            raise Error(f"bench run: exit code {code}: {_tail(errors)}")
        newest = max(analyses, key=os.path.getmtime)
        with open(newest, encoding="utf-8") as f:
            analysis = json.load(f)
        with open(os.path.join(output, "index.html"), encoding="utf-8") as f:
            page = f.read()
    failed = (
        []
        if code == 0
        else _lacking_cells(bench, ["--store", os.fspath(store)], analysis["experiment"]["name"])
        or [_tail(errors)]
    )
    if failed:
        warnings.warn(
            f"{len(failed)} cells failed, see the member failed; the first: {failed[0]}",
            stacklevel=2,
        )
    return Analysis(
        analysis, page, printed.decode(errors="replace"), failed, os.fspath(store), bench
    )


class Analysis(Dict[str, Any]):
    """What run returns: the analysis of an experiment, as docs/analysis.md describes it,
    such as analysis["pairs"]. A notebook shows its page, and print the first table.

    page    the page, HTML
    output  what bench printed: the first tables
    failed  what failed, a text each; empty where nothing did
    store   where the results are
    height  of the page in a notebook, in pixels
    """

    height = 900

    def __init__(
        self,
        analysis: dict[str, Any],
        page: str,
        output: str,
        failed: list[str],
        store: str,
        bench: list[str],
    ):
        super().__init__(analysis)
        self.page, self.output, self.failed, self.store, self._bench = (
            page,
            output,
            failed,
            store,
            bench,
        )

    @property
    def name(self) -> str:
        """The name of the experiment."""
        return str(self["experiment"]["name"])

    def results(self) -> Results:
        """Return the records of the experiment, see the function results."""
        return results(self.store, experiment=self.name, program=self._bench)

    def arrays(self, metric: str, quantiles: Iterable[float] = (0.1, 0.5, 0.9)) -> list[Curve]:
        """Return a metric along the last horizon for one's own plots, a Curve for every algorithm
        on every problem that has it, in the order of the page.

        metric     such as "violation_ccv", see analysis["metrics"]
        quantiles  the levels of the quantiles over the replicates, between 0 and 1
        """
        known = [m["name"] for m in self["metrics"]]
        if metric not in known:
            raise Error(
                f"arrays: {self.name} has no metric {metric!r}, expected one of {', '.join(known)}"
            )
        with _failing("arrays"):
            levels = _numbers(quantiles, "quantiles is")
            if not all(0 <= q <= 1 for q in levels):
                raise _Unexpected(f"quantiles is {levels}, expected numbers between 0 and 1")
        horizon = self["experiment"]["horizon"][-1]
        rows: Any = collections.defaultdict(lambda: collections.defaultdict(dict))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # which run has given
            records = results(self.store, experiment=self.name, metric=metric, program=self._bench)
        for r in records:
            if r["horizon"] == horizon:
                rows[r["algorithm"], r["problem"]][r["replicate"]][r["t"]] = r["value"]
        titles = {e["spec"]: e.get("label") or e["spec"] for e in self["algorithms"]}
        curves = []
        for pair in self["pairs"]:
            band = pair["series"][metric]["mean"]
            found = rows[pair["algorithm"], pair["problem"]]
            if not band["t"] or not found:
                continue
            try:
                values = [[row[t] for t in band["t"]] for row in found.values()]
            except KeyError:
                raise Error(
                    f"arrays: the results of {self.name} in the store {self.store} have changed "
                    "since run; run it again"
                ) from None
            columns = list(zip(*values))
            mean, lower, upper = (
                [math.nan if v is None else v for v in band[end]]
                for end in ("value", "lower", "upper")
            )
            curves.append(
                Curve(
                    pair["algorithm"],
                    pair["problem"],
                    titles[pair["algorithm"]],
                    metric,
                    _array(band["t"]),
                    _array(mean),
                    _array([statistics.stdev(c) if len(c) > 1 else math.nan for c in columns]),
                    _array(lower),
                    _array(upper),
                    {q: _array([_quantile(sorted(c), q) for c in columns]) for q in levels},
                    _array(values),
                )
            )
        return curves

    def __repr__(self) -> str:
        lacks = f", {len(self.failed)} failed" if self.failed else ""
        algorithms = len(self["algorithms"])
        problems = len(self["problems"])
        count = f"{algorithms} algorithms on {problems} problems{lacks}"
        return f"<ocobench.Analysis of {self.name}: {count}>"

    def __str__(self) -> str:
        return self.output.partition("\n\n")[0].rstrip("\n") or repr(self)

    def _repr_html_(self) -> str:
        # links stay in the frame, and other runs are not beside it
        page = re.sub(r'<nav id="runs".*?</nav>', "", self.page, flags=re.DOTALL)
        page = page.replace("<head>", '<head><base href="about:srcdoc">', 1)
        style = f"width:100%;height:{self.height}px;border:0"
        return f'<iframe srcdoc="{html.escape(page, quote=True)}" style="{style}"></iframe>'


class Curve(NamedTuple):
    """A metric of an algorithm on a problem along t, as Analysis.arrays returns it. Arrays are of
    numpy where it is installed, and else lists. What is undefined is NaN."""

    algorithm: str  # SPECs
    problem: str
    title: str  # the label of the algorithm, or else its SPEC
    metric: str
    t: Any  # the checkpoints
    mean: Any  # over the replicates
    std: Any  # the standard deviation of a replicate; NaN of one
    lower: Any  # the interval of the mean, as the page has it; NaN of one replicate
    upper: Any
    quantiles: dict[float, Any]  # by their levels
    values: Any  # a row a replicate


def results(
    store: Union[str, os.PathLike[str]] = "results",
    *,
    experiment: Union[str, Sequence[str]] = (),
    metric: Union[str, Sequence[str]] = (),
    program: Program = None,
) -> Results:
    """Return the results in a store, a record for each value of each metric.

    store      the directory, or an archive of bench export
    experiment  a name, or names; default: all but what bench tune, claims and paper
               played
    metric      a name, or names; default: all

    The members of a record are experiment, algorithm, problem, replicate, horizon,
    t, metric and value, those of bench export. pandas.DataFrame takes the list.
    Where cells failed or are missing, the list has the others, its member failed
    names them, and there is a warning. It is an Error if bench cannot read the
    store.
    """
    bench = _bench(program)
    with _failing("results"):
        names = (
            [experiment]
            if isinstance(experiment, str)
            else _items(experiment, "experiment is", "a name or a list of names")
        )
        metrics = (
            [metric]
            if isinstance(metric, str)
            else _items(metric, "metric is", "a name or a list of names")
        )
        where = ["--store", os.fspath(store)]
        chosen = [
            f"--{flag}={','.join(values)}"
            for flag, values in (("experiment", names), ("metric", metrics))
            if values
        ]
    with _failing("results"), tempfile.TemporaryDirectory() as directory:
        file = os.path.join(directory, "results.csv")
        code, _, errors = _run_command([*bench, "export", *where, "--out", file, *chosen])
        if code not in (0, _SOME_FAILED) or not os.path.exists(file):
            raise Error(f"bench export: exit code {code}: {_tail(errors)}")
        with open(file, encoding="utf-8", newline="") as f:
            all = Results(
                {k: _COLUMNS.get(k, str)(v) for k, v in record.items()}
                for record in csv.DictReader(f)
            )
    if code == _SOME_FAILED:
        for name in names or dict.fromkeys(r["experiment"] for r in all):
            all.failed += _lacking_cells(bench, where, name)
        all.failed = all.failed or [_tail(errors)]
        warnings.warn(
            f"{len(all.failed)} cells failed or are missing, see the member failed; the first: "
            f"{all.failed[0]}",
            stacklevel=2,
        )
    return all


class Results(typing.List[Dict[str, Any]]):
    """Records of results, and what is not among them.

    failed  what failed or is missing, a text each; empty where everything is there
    """

    def __init__(self, records: Iterable[dict[str, Any]] = (), failed: Iterable[str] = ()):
        super().__init__(records)
        self.failed = list(failed)


def _lacking_cells(bench: list[str], where: list[str], name: str) -> list[str]:
    """Return the reasons of the failed cells of an experiment, and how many others are missing."""
    code, out, _ = _run_command([*bench, "status", *where, "--json", name])
    if code != 0:
        return []
    with _failing("bench status"):
        status = dict(json.loads(out))
    lacks = [f"{name}: {reason}" for reason in status.get("failures") or []]
    if status.get("missing"):
        lacks.append(f"{name}: {status['missing']} cells are missing; run it again")
    return lacks


def _array(values: list[Any]) -> Any:
    """Return numbers as an array of numpy, or as they are where it is not installed."""
    try:
        return importlib.import_module("numpy").array(values, dtype=float)
    except ImportError:
        return values


def _quantile(values: Sequence[float], q: float) -> float:
    """Return a quantile of sorted values, which is linear between them."""
    k = q * (len(values) - 1)
    low = math.floor(k)
    return values[low] + (k - low) * (values[math.ceil(k)] - values[low])


# --------------------------------------------------------------------------------------------------
# Rounds in files.
# --------------------------------------------------------------------------------------------------
#
# write_rounds makes a problem of recorded data.


def write_rounds(
    path: Union[str, os.PathLike[str]],
    *,
    domain: Domain,
    losses: Any,
    constraints: Any = None,
    facts: Facts = Facts(),
) -> str:
    """Write rounds to a file that the problem trace reads, and return its path. It is gzipped if
    its name ends in .gz.

    domain       the set of actions, in n dimensions
    losses       T×n numbers c, an array, a DataFrame or a list of rows: the loss of round t is
                 c_t·x. Or a list of T Forms
    constraints  a pair (A, b), A being T×n numbers and b T numbers or one: in round t, A_t·x ≤ b_t.
                 With m constraints a round, A is T×m×n and b T×m, or m numbers that are the same in
                 every round. Or a list of T Forms, or of T lists of m Forms, each ≤ 0; default:
                 none, every action is feasible
    facts        what is true of the rounds beside what the file shows

    Row t is round t. DataFrames have to agree in their index and in their columns, and an index of
    times rises. It is an Error, and nothing is written, if a shape is another or a number is not
    finite.
    """
    with _failing("write_rounds"):
        if not isinstance(domain, (Box, Ball, Simplex)):
            raise _Unexpected(
                f"domain is {_described(domain)}, expected a Box, a Ball or a Simplex"
            )
        if not isinstance(facts, Facts):
            raise _Unexpected(f"facts is {_described(facts)}, expected Facts(…)")
        loss = _losses(losses, domain.dim)
        rounds = _constraints(constraints, losses, len(loss), domain.dim)
        try:
            names, functions = _shared_functions(
                (f for form in itertools.chain(loss, *rounds) for f in _sharing(form)), domain.dim
            )
        except ValueError as e:
            raise _Unexpected(f"a Shared form: {e}") from None
        head = {
            "domain": domain._message(),
            "constraints": len(rounds[0]),
            "facts": facts._message(),
            **functions,
        }

        def lines() -> Iterator[str]:
            yield _encode({k: v for k, v in head.items() if v != {}})
            for t, (f, g) in enumerate(zip(loss, rounds), 1):
                try:
                    members = {
                        "loss": f._message(domain.dim, names),
                        "constraints": [h._message(domain.dim, names) for h in g],
                    }
                except ValueError as e:
                    raise _Unexpected(f"round {t}: {e}") from None
                yield _encode({"t": t, **members})

        return _write_lines(os.fspath(path), lines())


_MOST_ROUNDS = 10**7


def _losses(losses: Any, dim: int) -> list[Form]:
    """Return the losses of all rounds."""
    items = _rows(losses, "losses is", "T×n numbers or a list of T Forms", _MOST_ROUNDS)
    if not items:
        raise _Unexpected(f"losses is {_described(losses)}, expected one row or more")
    _require_rising_index(losses, "losses")
    if isinstance(items[0], Form):
        return _forms(items, "losses is", len(items))
    return [Form(0, row) for row in _table(items, "losses", losses, dim)]


def _constraints(constraints: Any, losses: Any, rounds: int, dim: int) -> list[list[Form]]:
    """Return the constraints of each round, which are at least one. They are given as None, as a
    pair (A, b), or as Forms."""
    if constraints is None:
        return [[Form(-1, [0.0] * dim)]] * rounds
    if isinstance(constraints, tuple) and len(constraints) == 2:
        A, b = constraints
        if A is not None and not _has_forms(A):
            return _linear_constraints(A, b, losses, rounds, dim)
    return _form_constraints(constraints, rounds)


def _has_forms(first: Any) -> bool:
    """Report whether the first element of constraints is a Form or a list of Forms."""
    if isinstance(first, (list, tuple)) and len(first):
        first = first[0]
    return isinstance(first, Form)


def _form_constraints(constraints: Any, rounds: int) -> list[list[Form]]:
    """Return constraints that are a list of a Form for each round, or of a list of Forms."""
    what = "constraints is"
    expected = "a pair (A, b) for A_t·x ≤ b_t, or a list of Forms"
    items = _items(constraints, what, expected, _MOST_ROUNDS)
    if len(items) != rounds:
        raise _Unexpected(
            f"{what} a list of length {len(items)}, "
            f"expected one element for each of {rounds} rounds, or a pair (A, b)"
        )
    if items[0] == [] or items[0] == ():
        raise _Unexpected(
            "element 1 of constraints is empty, "
            "expected one constraint or more; leave constraints out for none"
        )
    if not isinstance(items[0], (list, tuple)):
        return [[form] for form in _forms(items, what, rounds)]
    return [
        _forms(row, f"element {t} of constraints is", len(items[0]))
        for t, row in enumerate(items, 1)
    ]


def _linear_constraints(A: Any, b: Any, losses: Any, rounds: int, dim: int) -> list[list[Form]]:
    """Return the constraints A_t·x ≤ b_t of each round."""
    rows = _rows(A, "A of constraints is", "T×n or T×m×n numbers", _MOST_ROUNDS)
    if len(rows) != rounds:
        raise _Unexpected(
            f"A of constraints is {_described(A)}, expected {rounds} rows, as losses has"
        )
    _require_equal_labels(losses, A, "A", "index", "columns")
    _require_equal_labels(losses, b, "b", "index")
    has_blocks = len(_shape(_items(rows[0], "row 1 of A is", f"{dim} numbers"))) > 1  # T×m×n
    if has_blocks:
        blocks = _blocks(rows, dim)
    else:
        blocks = [[row] for row in _table(rows, "A of constraints", A, dim)]
    budgets = _budgets(b, rounds, len(blocks[0]), has_blocks)
    return [
        [Form(-budget, row) for row, budget in zip(block, round_budgets)]
        for block, round_budgets in zip(blocks, budgets)
    ]


def _blocks(rows: list[Any], dim: int) -> list[list[list[float]]]:
    """Return the m rows of A of each round, where A is T×m×n numbers."""
    blocks = [
        _table(_rows(row, f"A of round {t} is", "m×n numbers"), f"A of round {t}", row, dim)
        for t, row in enumerate(rows, 1)
    ]
    m = len(blocks[0])
    if not m:
        raise _Unexpected("A of round 1 has 0 rows, expected one or more")
    for t, block in enumerate(blocks, 1):
        if len(block) != m:
            raise _Unexpected(
                f"A of round {t} has {len(block)} rows, expected {m}, as that of round 1 has"
            )
    return blocks


def _budgets(b: Any, rounds: int, m: int, has_blocks: bool) -> list[list[float]]:
    """Return the m numbers b_t of each round. They are given as one number, as a number for each
    round, as T×m numbers, or, where A is T×m×n, as m numbers that are the same in every round."""
    what = "b of constraints"
    if _float(b) is not None:
        return [[_number(b, f"{what} is")] * m] * rounds
    if has_blocks or hasattr(b, "columns"):
        expected = f"T×m numbers, {m} numbers that are the same in every round, or one number"
        rows = _rows(b, f"{what} is", expected, _MOST_ROUNDS)
        if has_blocks and rows and all(_float(v) is not None for v in rows):
            if len(rows) != m:
                raise _Unexpected(
                    f"{what} has {len(rows)} numbers for {m} constraints, expected {expected}"
                )
            rows = [rows] * rounds
        budgets = _table(rows, what, b, m)
    else:
        column = _items(b, f"{what} is", f"{rounds} numbers or one", _MOST_ROUNDS)
        budgets = _table([[v] for v in column], what, b, 1)
    if len(budgets) != rounds:
        raise _Unexpected(f"{what} is {_described(b)}, expected {rounds} rows, as losses has")
    return budgets


def _table(rows: list[Any], what: str, of: Any, dim: int) -> list[list[float]]:
    """Return rows of numbers. An error says the row and the column, by their names if they have
    some."""
    out = []
    for t, row in enumerate(rows):
        values = _items(row, f"row {t + 1} of {what} is", f"{dim} numbers")
        numbers = [_float(v) for v in values]
        for k, (v, number) in enumerate(zip(values, numbers)):
            if number is None or not math.isfinite(number):
                columns = list(getattr(of, "columns", ()))
                column = columns[k] if k < len(columns) else k + 1
                index = (
                    f" (index {of.index[t]})"
                    if hasattr(of, "columns") and hasattr(of, "index")
                    else ""
                )
                raise _Unexpected(
                    f"{what}: row {t + 1}{index}, column {column} is {_described(v)}, "
                    "expected a finite number"
                )
        if len(numbers) != dim:
            raise _Unexpected(
                f"row {t + 1} of {what} has {len(numbers)} number{'s' * (len(numbers) != 1)}, "
                f"expected {dim}"
            )
        out.append(typing.cast("list[float]", numbers))
    return out


def _require_rising_index(x: Any, what: str) -> None:
    """Refuse a data frame or a series whose times do not rise."""
    index = getattr(x, "index", None)
    if (
        getattr(getattr(index, "dtype", None), "kind", "") == "M"
        or type(index).__name__ == "PeriodIndex"
    ):
        for t in range(1, len(index)):
            if not index[t - 1] < index[t]:
                raise _Unexpected(
                    f"{what}: the index of row {t + 1}, {index[t]}, is not after {index[t - 1]}; "
                    "sort_index() sorts it"
                )


def _require_equal_labels(losses: Any, other: Any, name: str, *members: str) -> None:
    """Refuse a data frame or a series beside losses whose rows or columns have other names."""
    for labels in members:
        first = getattr(losses, labels, None)
        second = getattr(other, labels, None)
        if not isinstance(first, Iterable) or not isinstance(
            second, Iterable
        ):  # list.index is a method
            continue
        for k, (v, w) in enumerate(zip(first, second), 1):
            if v != w:
                kind = "row" if labels == "index" else "column"
                raise _Unexpected(
                    f"{kind} {k} of losses is {v}, and that of {name} of constraints is {w}; align "
                    "them, or give to_numpy()"
                )


def _write_lines(path: str, lines: Iterable[str]) -> str:
    """Write a file whole, or leave what was there, and return its path. It is gzipped if its name
    ends in .gz."""
    place = os.path.realpath(path)
    if os.path.exists(place) and not os.path.isfile(place):
        raise _Unexpected(f"{path} is no regular file, expected the path of a file")
    part = f"{place}.{os.getpid()}.part"
    try:
        with open(part, "wb") as file, contextlib.ExitStack() as stack:
            out: Any = (
                stack.enter_context(gzip.GzipFile("", "wb", fileobj=file, mtime=0))
                if path.endswith(".gz")
                else file
            )
            for line in lines:
                out.write(f"{line}\n".encode())
        os.replace(part, place)
    except BaseException:
        with contextlib.suppress(OSError):
            os.remove(part)
        raise
    return path


# --------------------------------------------------------------------------------------------------
# The program that bench starts.
# --------------------------------------------------------------------------------------------------
#
# A file with a learner or a problem ends with main, which plays the games that bench starts. It
# answers messages of JSON-RPC, a line each, see docs/protocol.md.


def main(cls: Type[Union[Learner, Problem]]) -> None:
    """Play the games that bench starts, until it ends.

    Messages arrive on standard input and leave on standard output. What the
    program prints goes to standard error: from the import of this module on where
    bench has started it, and else from here on.
    """
    if "_ocobench" not in vars(cls):
        raise TypeError(
            f"{cls.__name__} lacks the decorator @ocobench.learner or @ocobench.problem"
        )
    if sys.stdin is not None and sys.stdin.isatty():
        sys.exit(
            f"{sys.argv[0]} is started by bench: give bench --external NAME='python3 {sys.argv[0]}'"
        )
    reader, writer = _streams or _take_streams()
    try:
        _serve(cls, reader, writer)
    except (BrokenPipeError, KeyboardInterrupt):
        os._exit(1)  # bench is gone


def _take_streams() -> tuple[BinaryIO, BinaryIO]:
    """Return standard input and output, which the program and its libraries have no more: their
    input is empty, and their output goes to standard error."""
    reader = os.fdopen(os.dup(0), "rb")
    writer = os.fdopen(os.dup(1), "wb")
    with open(os.devnull, "rb") as null:
        os.dup2(null.fileno(), 0)
    os.dup2(2, 1)
    if sys.stdout is not None:
        sys.stdout.flush()  # what was printed before
    sys.stdout = sys.stderr
    return reader, writer


# Only where bench has started the program: a notebook or a script that imports this module keeps
# its output, and so does what the program itself starts.
_streams = _take_streams() if os.environ.pop("OCOBENCH_PROGRAM", "") else None


def _serve(cls: type, reader: BinaryIO, writer: BinaryIO) -> None:
    """Answer the messages of bench until they end or one shuts the program down."""
    child = _new_child(cls)
    for line in reader:
        answer = child.answer(line)
        if answer:
            writer.write(answer.encode())
            writer.flush()
        if child.shut_down:
            return


# All numbers are read as floats: -0 is a number with a sign, and an array of
# numbers that happen to be integers is one of floats. Parameters are not: an
# integer may have more digits than a float.
_decode = json.JSONDecoder(parse_int=float).decode


_decode_exactly = json.JSONDecoder(parse_int=lambda text: int(text) or float(text)).decode


_encode = json.JSONEncoder(separators=(",", ":"), allow_nan=False, ensure_ascii=False).encode


class _Refusal(Exception):
    """An error of JSON-RPC with this code."""

    def __init__(self, code: int, message: str):
        super().__init__(message)
        self.code = code


class _Child:
    """Answers the messages of bench, which play one game after the other."""

    def __init__(self, cls: type):
        self.cls = cls
        self.player: Any = None  # the learner or the problem of this game
        self.t = 0  # the last round
        self.packed = False  # whether bench reads packed numbers
        self.shut_down = False
        self.evaluating: Any = None  # the number, the round and the point of a function, for errors
        self.methods: dict[str, Callable[[dict[str, Any]], str]] = {
            "initialize": self.initialize,
            "shutdown": self.shutdown,
        }

    def answer(self, line: bytes) -> Optional[str]:
        """Return the answer to a message, a line, or None for a notification."""
        try:
            text = line.decode()
            message = _decode(text)
            if isinstance(message, dict) and message.get("method") == "initialize":
                message = _decode_exactly(text)
        except (ValueError, RecursionError) as e:
            return _error("null", -32700, f"not a line of JSON: {e}")
        if not isinstance(message, dict) or not isinstance(message.get("method"), str):
            return _error("null", -32600, "not a request")
        try:
            call = _id(text, message)
        except ValueError as e:
            return _error("null", -32600, str(e))
        self.evaluating = None
        try:
            method = self.methods.get(message["method"])
            if method is None:
                raise _Refusal(-32601, f"there is no method {message['method']}")
            result = method(message.get("params") or {})
        except _Refusal as e:
            return _error(call, e.code, str(e)) if call else None
        except Exception as e:
            self.player = None  # the game is over
            _report(e)
            message = str(e) if isinstance(e, _Unexpected) else f"{type(e).__name__}: {e}"
            if self.evaluating is not None:
                k, t, x = self.evaluating
                message = f"{_named_function(k)} of round {t} at x = {_shown(x)}: {message}"
            return _error(call, -32603, message) if call else None
        return f'{{"jsonrpc":"2.0","id":{call},"result":{result}}}\n' if call else None

    def initialize(self, params: dict[str, Any]) -> str:
        """Return the declaration, and begin a game if one is given."""
        self.player = None
        if params.get("protocol") != PROTOCOL:
            raise _Refusal(
                -32602,
                f"protocol {params.get('protocol')}: {self.cls.__name__} speaks protocol "
                f"{PROTOCOL}",
            )
        game = params.get("game")
        if game is None:
            return _encode(self.cls._ocobench)
        try:
            given = self.constructor_argument(game)
        except (AttributeError, KeyError, TypeError, ValueError) as e:
            raise _Refusal(-32602, f"game: {type(e).__name__}: {e}") from None
        kinds = {p["name"]: p["type"] for p in self.cls._ocobench["parameters"]}
        values = {}
        for name, value in (game.get("parameters") or {}).items():
            if name not in kinds:
                raise _Refusal(-32602, f"there is no parameter {name}")
            try:
                values[name.replace("-", "_")] = _parameter_value(kinds[name], value)
            except ValueError as e:
                raise _Refusal(-32602, f"{name} {e}") from None
        try:
            self.player = self.cls(given, **values)
        except ValueError as e:
            _report(e)
            raise _Refusal(-32602, str(e)) from None
        self.t = 0
        self.packed = game.get("packed") is True
        return self.begin_game(given)

    def constructor_argument(self, game: dict[str, Any]) -> Any:
        """Return the first argument of the constructor."""
        raise NotImplementedError

    def begin_game(self, given: Any) -> str:
        """Begin the game of the player and return the answer to initialize."""
        raise NotImplementedError

    def require_game(self) -> None:
        """Refuse a call before initialize has begun a game."""
        if self.player is None:
            raise _Refusal(-32600, "no game has begun; call initialize first")

    def begin_round(self, method: str, t: int) -> None:
        """Begin round t."""
        if t != self.t + 1:
            raise _Refusal(-32602, f"{method}: expected round {self.t + 1}, got {t}")
        self.t = t

    def shutdown(self, params: dict[str, Any]) -> str:
        """End the program after this answer."""
        self.shut_down = True
        return "{}"


class _LearnerChild(_Child):
    """Answers for a learner: ask, tell and state."""

    def __init__(self, cls: type):
        super().__init__(cls)
        self.methods.update(ask=self.ask, tell=self.tell, state=self.state)

    def constructor_argument(self, game: dict[str, Any]) -> Setup:
        return Setup._read(game)

    def begin_game(self, setup: Setup) -> str:
        self.setup = setup
        self.action = None
        self.last_told = Told()
        return _encode(self.cls._ocobench)

    def ask(self, params: dict[str, Any]) -> str:
        """Return the action of the round."""
        self.require_game()
        if self.action is None:
            self.action = _action(self.player.ask(), "ask returned", self.setup.dim)
        return self.action

    def tell(self, params: dict[str, Any]) -> str:
        """Tell the learner the round, and return its next action."""
        self.require_game()
        try:
            round = Round(params, _unpacked(params["x"]))
        except (AttributeError, KeyError, TypeError, ValueError) as e:
            raise _Refusal(-32602, f"tell: {type(e).__name__}: {e}") from None
        self.begin_round("tell", round.t)
        self.action = None
        x = self.player.tell(round)
        if isinstance(x, Told):
            self.last_told, x = x, x.x
            if self.last_told.state and "state" not in self.cls._ocobench:
                raise _Unexpected(
                    f"tell returned a state with {list(self.last_told.state)}, expected none: "
                    f"declare it, @ocobench.learner(state={list(self.last_told.state)})"
                )
        if x is not None:
            self.action = _action(x, "tell returned", self.setup.dim)
        elif self.t == self.setup.horizon:
            return "{}"  # there is no next action
        return self.ask(params)

    def state(self, params: dict[str, Any]) -> str:
        """Return the numbers of the last Told."""
        self.require_game()
        names = self.cls._ocobench.get("state", [])
        shown = self.last_told.state
        if not isinstance(shown, Mapping) or set(shown) != set(names):
            has = list(shown) if isinstance(shown, Mapping) else _described(shown)
            raise _Unexpected(
                f"the state that tell returned in round {self.t} has {has}, "
                f"expected a dict with {names}, which the learner declares"
            )
        return _encode(
            {
                "state": {
                    k: _number(shown[k], f"{k} of the state that tell returned is") for k in names
                }
            }
        )


_COMPARATORS = ["xmin", "xhat", "xmax", "xe", "own"]


class _ProblemChild(_Child):
    """Answers for a problem: reveal, and for one with Functions value, evaluate and hindsight,
    which need the functions of all rounds so far."""

    def __init__(self, cls: type):
        super().__init__(cls)
        self.methods.update(
            reveal=self.reveal, value=self.value, evaluate=self.evaluate, hindsight=self.hindsight
        )

    def constructor_argument(self, game: dict[str, Any]) -> int:
        return int(game["seed"])

    def begin_game(self, seed: int) -> str:
        player, where = self.player, self.cls.__name__
        domain = getattr(player, "domain", None)
        facts = getattr(player, "facts", Facts())
        if not isinstance(domain, (Box, Ball, Simplex)):
            raise _Unexpected(
                f"{where}: domain is {_described(domain)}, expected a Box, a Ball or a Simplex"
            )
        if not isinstance(facts, Facts):
            raise _Unexpected(f"{where}: facts is {_described(facts)}, expected Facts(…)")
        self.domain = domain
        self.dim = domain.dim
        self.m = _integer(getattr(player, "constraints", 1), f"{where}: constraints is")
        self.shared = _items(
            getattr(player, "shared", []), f"{where}: shared is", "a list of Shared forms"
        )
        if not all(isinstance(f, Shared) for f in self.shared):
            raise _Unexpected(
                f"{where}: shared is {_described(self.shared)}, expected a list of Shared forms"
            )
        self.names, functions = _shared_functions(self.shared, self.dim)
        message = facts._message()
        self.adaptive = bool(facts.adaptive)
        self.opaque = bool(facts.opaque)
        self.rounds: list[list[Any]] = []  # of an opaque problem: their losses and constraints
        self.batch_values: list[tuple[Any, ...]] = []  # what batch gets of each round
        self.batch_arrays: list[Any] = []  # the same as arrays
        self.batch_checked = 0  # the rounds of which batch was compared with the functions
        self.first_round: Any = None  # what reveal returned for round 1, or its exception
        if not self.adaptive and not self.opaque:
            try:
                self.first_round = self.check_revealed(player.reveal(1))
            except Exception as e:  # is one of the round
                self.first_round = e
            else:
                self.opaque = any(isinstance(f, Function) for f in self.first_round[0])
                message.update({"opaque": True} if self.opaque else {})
        instance = {
            "domain": domain._message(),
            "constraints": self.m,
            "facts": message,
            **functions,
        }
        expectation = getattr(player, "expectation", None)
        if expectation is not None:
            forms = _forms(expectation, f"{where}: expectation is", self.m)
            instance["expectation"] = [
                self.function_message(f"expectation {j + 1}", form)["form"]
                for j, form in enumerate(forms)
            ]
        if callable(getattr(player, "hindsight", None)):
            instance["hindsight"] = getattr(player, "comparator", _COMPARATORS[0])
            if instance["hindsight"] not in _COMPARATORS:
                raise _Unexpected(
                    f"{where}: comparator is {_described(instance['hindsight'])}, "
                    f"expected one of {', '.join(_COMPARATORS)}"
                )
        return _encode({**self.cls._ocobench, "instance": instance})

    def function_message(self, name: str, f: Union[Form, Tangent]) -> dict[str, Any]:
        """Return the message of a function, which errors call by its name."""
        try:
            message = f._message(self.dim, self.names)
        except ValueError as e:
            raise _Unexpected(f"{name}: {e}") from None
        form = message.get("form")
        if self.packed and form and form.get("lin"):
            form["lin"] = _packed(form["lin"])
        return message

    def check_revealed(self, revealed: Any) -> tuple[list[Any], tuple[Any, ...]]:
        """Return the loss and the constraints that reveal returned, and what batch gets of them."""
        what = f"the loss and a list of {self.m} constraints"
        batch = callable(getattr(self.player, "batch", None))
        if not isinstance(revealed, (tuple, list)) or len(revealed) != 2 + batch:
            if batch:
                raise _Unexpected(
                    f"reveal returned {_described(revealed)}, "
                    f"expected three values: {what}, and a tuple of numbers and arrays for batch"
                )
            raise _Unexpected(f"reveal returned {_described(revealed)}, expected a pair: {what}")
        loss = _form(revealed[0], "the loss that reveal returned is", Function, Tangent)
        functions = [
            loss,
            *_forms(
                revealed[1], "the constraints that reveal returned are", self.m, Function, Tangent
            ),
        ]
        batch_values = revealed[2] if batch else ()
        if batch and (not isinstance(batch_values, tuple) or not batch_values):
            raise _Unexpected(
                f"the third value that reveal returned is {_described(batch_values)}, "
                "expected a tuple of numbers and arrays, which batch gets"
            )
        return functions, batch_values

    def reveal(self, params: dict[str, Any]) -> str:
        """Return the loss and the constraints of the next round."""
        self.require_game()
        t, x = self.round_and_action("reveal", params)
        self.begin_round("reveal", t)
        if isinstance(self.first_round, Exception):
            raise self.first_round
        if self.first_round is None:
            self.first_round = self.check_revealed(
                self.player.reveal(t, x) if self.adaptive else self.player.reveal(t)
            )
        (functions, batch_values), self.first_round = self.first_round, None
        for k, f in enumerate(functions):
            if isinstance(f, Function) and not self.opaque:
                raise _Unexpected(
                    f"{_named_function(k)} of round {t} is a Function, "
                    "expected a Form; a problem with Functions declares Facts(opaque=True)"
                )
            if isinstance(f, Tangent) and self.opaque:
                raise _Unexpected(
                    f"{_named_function(k)} of round {t} is a Tangent; a problem with the fact "
                    "opaque returns Forms and Functions"
                )
        if self.opaque:
            self.rounds.append(functions)
            self.batch_values.append(batch_values)
        messages = [
            self.tangent_message(k, t, x)
            if isinstance(f, Function)
            else self.function_message(_named_function(k), f)
            for k, f in enumerate(functions)
        ]
        return _encode({"loss": messages[0], "constraints": messages[1:]})

    def round_and_action(self, method: str, params: dict[str, Any]) -> tuple[int, list[float]]:
        """Return the round and the action of a call."""
        try:
            return int(params["t"]), params.get("x")
        except (KeyError, TypeError, ValueError) as e:
            raise _Refusal(-32602, f"{method}: {type(e).__name__}: {e}") from None

    def tangent_message(self, k: int, t: int, x: list[float]) -> dict[str, Any]:
        """Return the message with the value and the gradient at x of function k of round t: 0 is
        the loss."""
        value, gradient = self.value_and_gradient(k, t, x)
        return {"value": value, "subgradient": gradient}

    def value_and_gradient(self, k: int, t: int, x: list[float]) -> tuple[float, list[float]]:
        """Return the value and the gradient at x of function k of round t. It is an error if they
        are not finite."""
        self.evaluating = k, t, x
        f = self.rounds[t - 1][k]
        if isinstance(f, Function):
            found = f._at(x, self.domain)
        else:
            found = (
                _number(f.value(x), "its value is"),
                _numbers(f.gradient(x), "its gradient is", self.dim),
            )
        self.evaluating = None
        return found

    def value(self, params: dict[str, Any]) -> str:
        """Return the values and the gradients of the functions of a round at a point."""
        self.require_game()
        t, x = self.round_and_action("value", params)
        self.require_revealed("value", t)
        messages = [self.tangent_message(k, t, x) for k in range(1 + self.m)]
        return _encode({"loss": messages[0], "constraints": messages[1:]})

    def require_revealed(self, method: str, t: int) -> None:
        """Refuse a round that was not revealed."""
        if not 1 <= t <= len(self.rounds):
            raise _Refusal(
                -32602,
                f"{method}: round {t} was not revealed, "
                f"expected a round from 1 to {len(self.rounds)} of an opaque problem",
            )

    def hindsight(self, params: dict[str, Any]) -> str:
        """Return the best fixed action as the problem knows it, with its value."""
        self.require_game()
        best = self.player.hindsight(int(params["t"]))
        if not isinstance(best, (tuple, list)) or len(best) != 2:
            raise _Unexpected(
                f"hindsight returned {_described(best)}, expected a pair: the value and the action"
            )
        value = _number(best[0], "the value that hindsight returned is")
        return _encode(
            {
                "value": value,
                "x": _numbers(best[1], "the action that hindsight returned is", self.dim),
            }
        )

    def evaluate(self, params: dict[str, Any]) -> str:
        """Return sums of the functions of many rounds at a point, see _RunningSums."""
        self.require_game()
        try:
            rounds = list(map(int, params["rounds"]))
            x = list(map(float, params["x"]))
            single = list(map(int, params.get("single", [])))
        except (KeyError, TypeError, ValueError) as e:
            raise _Refusal(-32602, f"evaluate: {type(e).__name__}: {e}") from None
        for t in rounds + single:
            self.require_revealed("evaluate", t)
        numpy = sys.modules.get("numpy")
        running = _RunningSums(1 + self.m, self.dim)
        sums = []
        batch = self.evaluate_batch(rounds[-1], x) if rounds and self.batch_values[0] else None
        t = 0  # the last round that was added
        for end in rounds:
            while t < end:
                if batch is not None:
                    last = end
                    values, gradients = ([a[t:last] for a in arrays] for arrays in batch)
                else:
                    last = min(end, t + _BLOCK) if numpy else t + 1
                    values, gradients = self.evaluate_rounds(t + 1, last, x, numpy)
                running.add(values, gradients)
                t = last
            sums.append(running.sums())
        constraints = [
            [self.tangent_message(k, t, x) for k in range(1, 1 + self.m)] for t in single
        ]
        return _encode({"sums": sums, "single": constraints} if single else {"sums": sums})

    def evaluate_rounds(self, first: int, last: int, x: list[float], numpy: Any) -> tuple[Any, Any]:
        """Return the values (one for each round) and the gradients (rounds × n) at x of each
        function in the rounds from first to last: arrays if numpy is the module, else tuples, and
        then first is last."""
        done: dict[
            int, tuple[float, Any]
        ] = {}  # by id: a function of several rounds is evaluated once
        values = []
        gradients = []
        point = _user_point(x)
        for t in range(first, last + 1):
            found = []
            for k, f in enumerate(self.rounds[t - 1]):
                if id(f) not in done:
                    done[id(f)] = (
                        self.value_and_gradient_arrays(k, t, x, point, numpy)
                        if numpy
                        else self.value_and_gradient(k, t, x)
                    )
                found.append(done[id(f)])
            values.append([value for value, _ in found])
            gradients.append([gradient for _, gradient in found])
        if not numpy:
            return list(zip(*values)), list(zip(*gradients))
        values = numpy.array(values)
        gradients = numpy.array(gradients)
        finite = numpy.isfinite(values) & numpy.isfinite(gradients).all(axis=2)
        if not finite.all():
            i, k = numpy.argwhere(~finite)[0]
            self.value_and_gradient(int(k), first + int(i), x)  # says what is wrong
        return list(values.T), list(gradients.transpose(1, 0, 2))

    def value_and_gradient_arrays(
        self, k: int, t: int, x: list[float], point: Any, numpy: Any
    ) -> tuple[float, Any]:
        """Return what value_and_gradient returns, faster: arrays of a function of the user's own
        are not turned into lists."""
        f = self.rounds[t - 1][k]
        if not isinstance(f, Function) or f.gradient is None:
            return self.value_and_gradient(k, t, x)
        self.evaluating = k, t, x
        value = f.value(point)
        gradient = f.gradient(point)
        self.evaluating = None
        if (
            isinstance(value, float)
            and type(gradient) is numpy.ndarray
            and gradient.dtype == float
            and gradient.shape == (self.dim,)
        ):
            return value, gradient
        return self.value_and_gradient(k, t, x)

    def evaluate_batch(self, t: int, x: list[float]) -> tuple[Any, Any]:
        """Return the values (t numbers) and the gradients (t × n) at x of each function that the
        method batch of the problem returns for t rounds."""
        numpy = sys.modules.get("numpy")
        if numpy is None:
            raise _Unexpected("the method batch needs numpy; import numpy in the program")
        self.update_batch_arrays(t, numpy)

        def values_at(y: list[float]) -> Any:
            """Return the values (t × (1 + m)) of the losses and the constraints at y."""
            f, _, g, _ = self.call_batch(t, y, numpy)
            return numpy.column_stack([f, g])

        f, df, g, dg = self.call_batch(t, x, numpy)
        if df is None or dg is None:
            slopes = numpy.stack(self.domain._slopes(x, values_at), axis=-1)
            df = slopes[:, 0] if df is None else df
            dg = slopes[:, 1:] if dg is None else dg
        values = [f, *g.T]
        gradients = [df, *dg.transpose(1, 0, 2)]
        self.check_batch(values, gradients, x)
        return values, gradients

    def update_batch_arrays(self, t: int, numpy: Any) -> None:
        """Make arrays of what batch gets, whose first index is that of t rounds or more."""
        if self.batch_arrays and len(self.batch_arrays[0]) >= t:
            return
        try:
            self.batch_arrays = [numpy.array(of) for of in zip(*self.batch_values)]
        except ValueError as e:
            raise _Unexpected(
                "the third values that reveal returned have different shapes in two rounds, "
                f"expected equal shapes for batch: {e}"
            ) from None

    def call_batch(self, t: int, x: list[float], numpy: Any) -> list[Any]:
        """Return f, df, g and dg of batch for t rounds as arrays of the full shapes, or None for
        gradients that are left out."""
        returned = self.player.batch(_user_point(x), *[a[:t] for a in self.batch_arrays])
        if not isinstance(returned, (tuple, list)) or len(returned) != 4:
            raise _Unexpected(f"batch returned {_described(returned)}, expected f, df, g, dg")
        f, df, g, dg = returned
        n, m = self.dim, self.m
        return [
            self.batch_array("f", f, (t,), x, numpy),
            None if df is None else self.batch_array("df", df, (t, n), x, numpy),
            self.batch_array("g", g, (t, m), x, numpy),
            None if dg is None else self.batch_array("dg", dg, (t, m, n), x, numpy),
        ]

    def batch_array(
        self, name: str, returned: Any, shape: tuple[int, ...], x: list[float], numpy: Any
    ) -> Any:
        """Return what batch returned under a name as an array of finite numbers of a shape. With
        one constraint a round its second index may be left out."""
        array = numpy.asarray(returned)
        shapes = [shape]
        if self.m == 1:
            shapes.append(shape[:1] + shape[2:])
        if array.dtype.kind not in "iuf" or array.shape not in shapes:
            raise _Unexpected(
                f"{name} that batch returned for {shape[0]} rounds is {_described(returned)}, "
                f"expected an array of shape {shape}"
            )
        if not numpy.isfinite(array).all():
            k = numpy.argwhere(~numpy.isfinite(array))[0]
            raise _Unexpected(
                f"{name} that batch returned is {array[tuple(k)]} in round {k[0] + 1} "
                f"at x = {_shown(x)}, expected finite numbers"
            )
        return array.reshape(shape)

    def check_batch(self, values: Any, gradients: Any, x: list[float]) -> None:
        """Refuse a batch that differs from the functions of the first 32 rounds, or of rounds 64,
        128, 256, …: by more than rounding in a value, or by more than differences may in a
        gradient."""
        last = len(values[0])
        for t in range(self.batch_checked + 1, last + 1):
            if t > 32 and t & (t - 1) != 0:  # no power of 2
                continue
            for k in range(1 + self.m):
                value, gradient = self.value_and_gradient(k, t, x)
                size = abs(value) + self.domain.diameter * math.hypot(*gradient)
                apart = self.domain.diameter * math.dist(
                    self.domain._along(gradients[k][t - 1]), self.domain._along(gradient)
                )
                if abs(values[k][t - 1] - value) > 1e-9 * size or apart > 1e-5 * size:
                    raise _Unexpected(
                        f"{_named_function(k)} of round {t} has at x = {_shown(x)} the value "
                        f"{value!r} and the gradient {_shown(gradient)}, and batch "
                        f"returned {float(values[k][t - 1])!r} and "
                        f"{_shown(gradients[k][t - 1].tolist())}"
                    )
        self.batch_checked = max(self.batch_checked, last)


_BLOCK = 1000  # rounds that are evaluated at once


class _RunningSums:
    """What evaluate asks for at a point x, of each function: the loss, and the constraints by their
    numbers.

    rounds   the number of rounds so far
    total    the sum over these rounds: its value and its gradient
    largest  the largest value of a round: the value, the gradient and the round
    prefix   the largest sum over the first rounds: the value, the gradient and the last round of
             the sum
    """

    def __init__(self, count: int, dim: int):
        zeros = [0.0] * dim
        self.rounds = 0
        self.total: list[Any] = [(0.0, zeros)] * count
        self.largest: list[Any] = [(-math.inf, zeros, 0)] * count
        self.prefix: list[Any] = [(-math.inf, zeros, 0)] * count

    def add(self, values: Any, gradients: Any) -> None:
        """Add rounds: for each function an array of values and one of gradients (rounds × n), or a
        tuple of the value and one of the gradient of one round."""
        add = self._add_round if isinstance(values[0], tuple) else self._add_block
        for k, (of_values, of_gradients) in enumerate(zip(values, gradients)):
            add(k, of_values, of_gradients)
        self.rounds += len(values[0])

    def _add_round(self, k: int, values: tuple[float], gradients: tuple[list[float]]) -> None:
        """Add one round of function k."""
        (value,), (gradient,), (sum_before, slope_before) = values, gradients, self.total[k]
        total = sum_before + value
        slope = [a + b for a, b in zip(slope_before, gradient)]
        self.total[k] = total, slope
        if value > self.largest[k][0]:
            self.largest[k] = value, gradient, self.rounds + 1
        if total > self.prefix[k][0]:
            self.prefix[k] = total, slope, self.rounds + 1

    def _add_block(self, k: int, values: Any, gradients: Any) -> None:
        """Add several rounds of function k."""
        sum_before, slope_before = self.total[k]
        slope = slope_before + gradients.sum(axis=0)
        if k == 0:  # of losses only the sum is asked for
            self.total[k] = sum_before + float(values.sum()), slope
            return
        i = int(values.argmax())
        if values[i] > self.largest[k][0]:
            self.largest[k] = float(values[i]), gradients[i].tolist(), self.rounds + i + 1
        sums = values.cumsum()
        self.total[k] = sum_before + float(sums[-1]), slope
        i = int(sums.argmax())
        if sum_before + sums[i] > self.prefix[k][0]:
            at_prefix = (
                slope if i == len(values) - 1 else slope_before + gradients[: i + 1].sum(axis=0)
            )
            self.prefix[k] = sum_before + float(sums[i]), at_prefix.tolist(), self.rounds + i + 1

    def sums(self) -> dict[str, Any]:
        """Return the element of the answer to evaluate for the rounds so far."""

        def message(value: float, gradient: Any, *round: int) -> dict[str, Any]:
            subgradient = gradient if isinstance(gradient, list) else gradient.tolist()
            return dict(zip(("value", "subgradient", "round"), (value, subgradient, *round)))

        return {
            "loss": message(*self.total[0]),
            "total": [message(*f) for f in self.total[1:]],
            "largest": [message(*f) for f in self.largest[1:]],
            "prefix": [message(*f) for f in self.prefix[1:]],
        }


def _named_function(k: int) -> str:
    """Return what messages call function k of a round."""
    return f"constraint {k}" if k else "the loss"


def _shown(x: list[float]) -> str:
    """Return a point as a list of at most ten numbers."""
    return "[" + ", ".join([repr(v) for v in x[:10]] + ["…"] * (len(x) > 10)) + "]"


def _new_child(cls: type) -> _Child:
    """Return what answers for a class that is a learner or a problem."""
    return (_ProblemChild if cls._ocobench.get("role") == "problem" else _LearnerChild)(cls)


def _report(e: Exception) -> None:
    """Print the traceback without the frames of this file; none if these are all, and the message
    says it."""
    trace = traceback.TracebackException.from_exception(e)
    theirs = [frame for frame in trace.stack if frame.filename != __file__]
    if theirs or not isinstance(e, _Unexpected):
        trace.stack[:] = theirs or trace.stack
        print("".join(trace.format()), end="", file=sys.stderr)


def _action(x: Any, what: str, dim: int) -> str:
    """Return {"x":…} with numbers in shortest round-trip form."""
    return f'{{"x":[{",".join(map(repr, _numbers(x, what, dim)))}]}}'


_CALLED = re.compile(
    r'{"jsonrpc":"2\.0","id":(0|[1-9][0-9]*),"method":'
)  # how bench begins its calls


def _id(text: str, message: dict[str, Any]) -> str:
    """Return the id of a message as it was written, or "" of a notification. It is a ValueError
    if the id is neither a text nor an integer."""
    written = _CALLED.match(text)
    if written:
        return written[1]
    if "id" not in message:
        return ""
    call = json.loads(text)["id"]
    if isinstance(call, (int, str)) and not isinstance(call, bool):
        return _encode(call)
    raise ValueError(
        f"id: found {call!r:.100}, expected a string or an integer; a notification has no id"
    )


def _error(call: str, code: int, message: str) -> str:
    """Return the line that answers a call with an error."""
    return (
        f'{{"jsonrpc":"2.0","id":{call},"error":{_encode({"code": code, "message": message})}}}\n'
    )


# --------------------------------------------------------------------------------------------------
# The command bench.
# --------------------------------------------------------------------------------------------------
#
# How Game, run and results find bench and start it.


def _named(flag: str, given: Any, expected: str) -> list[str]:
    """Return the words of a flag that is given texts or paths by their names."""
    if not isinstance(given, Mapping) and given is not None:
        raise Error(f"{flag} is {_described(given)}, expected a dict with {expected} for each name")
    for name, value in (given or {}).items():
        if not isinstance(name, str) or not isinstance(value, (str, os.PathLike)):
            raise Error(f"{flag}: {name!r} is {_described(value)}, expected {expected}")
    return [f"--{flag}={name}={os.fspath(value)}" for name, value in (given or {}).items()]


_SOME_FAILED = 3  # the exit code of bench


_COLUMNS: dict[str, Callable[[str], Any]] = {
    "replicate": int,
    "horizon": int,
    "t": int,
    "value": float,
}


def _bench(program: Program) -> list[str]:
    """Return the command of bench: the one that is given, the one that was installed with
    this module, or the one on the PATH."""
    if program is not None:
        with _failing(f"program {program!r}"):
            if isinstance(program, str) and os.path.isfile(program):
                words = [program]  # its name may have spaces
            elif isinstance(program, str):
                words = shlex.split(program)
            else:
                words = [os.fspath(word) for word in program]
            if not words:
                raise ValueError("expected the command of bench")
        return words
    try:
        for file in importlib.metadata.files("ocobench") or []:
            if file.stem == "bench":
                return [os.path.normpath(file.locate())]
    except importlib.metadata.PackageNotFoundError:
        pass
    return ["bench"]


def _start(words: list[str], **streams: Any) -> subprocess.Popen[bytes]:
    """Start a command. In the commands of external, python3 is this Python, which has this
    module."""
    path = os.path.dirname(sys.executable) + os.pathsep + os.environ.get("PATH", os.defpath)
    try:
        return subprocess.Popen(words, env={**os.environ, "PATH": path}, **streams)
    except (OSError, ValueError, TypeError) as e:  # such as a text that is no argument of a command
        raise Error(f"{words[0]} does not start: {e}; give program= the command of bench") from e


def _run_command(
    words: list[str], copy: Optional[TextIO] = None, hide: Optional[str] = None
) -> tuple[int, bytes, bytes]:
    """Run a command and return its exit code, its output and its errors. The lines of errors are
    copied while it runs. A line that names the directory to hide is left out, but for a part before
    a semicolon."""
    with tempfile.TemporaryFile() as out:
        process = _start(words, stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.PIPE)
        errors = b""
        try:
            for line in process.stderr:
                errors += line
                text = line.decode(errors="replace")
                if hide is not None and hide in text:
                    text = text.partition(";")[0] + "\n" if ";" in text else ""
                if copy is not None:
                    try:
                        copy.write(text)
                    except UnicodeEncodeError:
                        copy.write(text.encode("ascii", "backslashreplace").decode())
            process.wait()
        except BaseException:  # the notebook is interrupted, and bench keeps what is finished
            process.send_signal(signal.SIGINT if os.name == "posix" else signal.SIGTERM)
            process.wait()
            raise
        finally:
            process.stderr.close()
        out.seek(0)
        return process.returncode, out.read(), errors


def _tail(text: bytes) -> str:
    """Return the end of what a program wrote, for a message."""
    return text[-4096:].decode(errors="replace").strip() or "it said nothing"


# --------------------------------------------------------------------------------------------------
# Values from outside.
# --------------------------------------------------------------------------------------------------
#
# Values are given by learners, problems and callers. Lists, tuples, arrays, series,
# ranges and generators of numbers count as lists of numbers. Values with keys or without an order,
# texts, booleans and nested values are refused where they arrive, by a sentence that says what came
# and what was expected. The argument what of the functions below begins this sentence, such as
# "Box: lower is".


class _Unexpected(ValueError):
    """A value of another kind or shape than expected. Its message needs no traceback."""


def _described(x: Any) -> str:
    """Return what a value is, in some words for a message."""
    if x is None or isinstance(x, (bool, int, float, complex)):
        return repr(x)[:40]
    if isinstance(x, (str, bytes)):
        kind = "text" if isinstance(x, str) else "bytes"
        return f"the {kind} {x[:40]!r}{'…' if len(x) > 40 else ''}"
    if isinstance(x, type):
        return f"the class {x.__name__}"
    name = type(x).__name__
    named = f"{'an' if name[0] in 'AEIOUaeiou' or name == 'ndarray' else 'a'} {name}"
    if isinstance(x, (list, tuple)):
        shape = _shape(x)
        return f"{named} of shape {shape}" if len(shape) > 1 else f"{named} of length {len(x)}"
    shape = getattr(x, "shape", None)
    if isinstance(shape, tuple):
        dtype = f" of dtype {x.dtype}" if _dtype_kind(x) not in "iufO" else ""
        if len(shape) > 1:
            return f"{named} ({' × '.join(map(str, shape))}){dtype}"
        return (
            f"{named} of length {shape[0]}{dtype}"
            if shape
            else f"{named} without a dimension{dtype}"
        )
    return f"{named} of length {len(x)}" if _sized(x) else named


def _dtype_kind(x: Any) -> str:
    """Return the kind of the elements of an array: "i" for integers, "u" for unsigned ones, "f" for
    floats, "O" for objects, … It is "f" for any other value."""
    return str(getattr(getattr(x, "dtype", None), "kind", "f"))


def _shape(x: Any) -> tuple[int, ...]:
    """Return the lengths of nested lists, from the outermost to the first that differ."""
    inner = {_shape(v) if isinstance(v, (list, tuple)) else getattr(v, "shape", ()) for v in x}
    return (len(x), *(inner.pop() if len(inner) == 1 else ()))


def _items(x: Any, what: str, expected: str, most: int = 10**6) -> list[Any]:
    """Return the elements of a list, a tuple, an array, a series, a range or a generator. At most
    so many are taken of a generator, which may never end."""
    if type(x) is list or type(x) is tuple:
        return list(x)
    is_other = isinstance(
        x, (str, bytes, bytearray, memoryview, Mapping, collections.abc.Set, type)
    )
    is_frame = hasattr(x, "columns")
    is_scalar = getattr(x, "shape", None) == ()
    is_iterable = isinstance(x, Iterable) or hasattr(x, "tolist")
    has_numbers = _dtype_kind(x) in "iufO"  # the dates of some arrays would become integers
    if is_other or is_frame or is_scalar or not is_iterable or not has_numbers:
        raise _Unexpected(f"{what} {_described(x)}, expected {expected}")
    if hasattr(x, "tolist"):
        return list(x.tolist())
    items = list(itertools.islice(x, most + 1))
    if len(items) > most:
        raise _Unexpected(
            f"{what} {_described(x)} of more than {most} elements, expected {expected}"
        )
    return items


def _float(v: Any) -> Optional[float]:
    """Return a number as a float, or None if the value is no number. Numbers beyond all floats are
    infinite."""
    if getattr(v, "shape", ()) != () or _dtype_kind(v) not in "iuf":
        return None
    if hasattr(v, "tolist"):
        v = v.tolist()
    if isinstance(v, (bool, str, bytes)) or not hasattr(v, "__float__"):
        return None
    try:
        return float(v)
    except OverflowError:
        return math.inf
    except (TypeError, ValueError):
        return None


def _number(v: Any, what: str, finite: bool = True) -> float:
    """Return a number as a float."""
    number = float(v) if isinstance(v, float) else _float(v)
    if number is None or finite and not math.isfinite(number):
        raise _Unexpected(
            f"{what} {_described(v)}, expected a {'finite ' if number is not None else ''}number"
        )
    return number


def _integer(v: Any, what: str) -> int:
    """Return an integer, which may be a float that is whole."""
    number = _float(v)
    if number is None or not number.is_integer():
        raise _Unexpected(f"{what} {_described(v)}, expected an integer")
    return int(v)


def _numbers(x: Any, what: str, dim: Optional[int] = None, finite: bool = True) -> list[float]:
    """Return numbers as a new list of floats: dim of them, or any number if dim is None."""
    # The usual case first: a list of floats, or an array of them (of dtype "d"). Finite numbers
    # whose sum overflows take the long way too.
    plain = x.tolist() if type(x).__name__ == "ndarray" and x.dtype.char == "d" else x
    if (
        type(plain) is list
        and set(map(type, plain)) == {float}
        and dim in (None, len(plain))
        and (not finite or math.isfinite(sum(plain)))
    ):
        return list(plain)
    if dim is None:
        expected = "a list of numbers"
        items = _items(x, what, expected)
    else:
        expected = "a list of 1 number" if dim == 1 else f"{dim} numbers"
        items = _items(x, what, expected, dim)
    try:
        point = list(map(float, items)) if set(map(type, items)) <= {int, float} else None
    except OverflowError:
        point = None
    if point is None:
        found = [_float(v) for v in items]
        if None in found:
            k = found.index(None)
            where = "" if len(_shape(items)) > 1 else f" with {_described(items[k])} at index {k}"
            raise _Unexpected(
                f"{what} {_described(x if _sized(x) else items)}{where}, expected {expected}"
            )
        point = typing.cast("list[float]", found)
    if dim is not None and len(point) != dim:
        size = "" if _sized(x) else f" of length {len(point)}"
        raise _Unexpected(f"{what} {_described(x)}{size}, expected {expected}")
    if finite and not all(map(math.isfinite, point)):
        k = next(k for k, v in enumerate(point) if not math.isfinite(v))
        raise _Unexpected(
            f"{what} {_described(x)} with {point[k]!r} at index {k}, expected finite numbers"
        )
    return point


def _sized(x: Any) -> bool:
    """Report whether x has a length."""
    return isinstance(x, collections.abc.Sized)


def _rows(x: Any, what: str, expected: str, most: int = 10**6) -> list[Any]:
    """Return the rows of a data frame, of an array or of a list."""
    if hasattr(x, "columns") and hasattr(x, "itertuples"):  # of pandas
        return [list(row) for row in x.itertuples(index=False, name=None)]
    if hasattr(x, "columns") and hasattr(x, "rows"):  # of polars
        return [list(row) for row in x.rows()]
    return _items(x, what, expected, most)


def _matrix(x: Any, what: str, dim: Optional[int] = None, finite: bool = True) -> list[list[float]]:
    """Return rows of numbers: dim rows of dim numbers, or any number of rows if dim is None."""
    rows = [
        _numbers(row, f"row {i + 1} of {what} is", dim, finite)
        for i, row in enumerate(_rows(x, f"{what} is", "a list of rows"))
    ]
    if dim is not None and len(rows) != dim:
        raise _Unexpected(f"{what} is {_described(x)}, expected {dim} rows")
    return rows


def _form(f: Any, what: str, *others: type) -> Any:
    """Return a Form, or an instance of one of the other classes. The error says how to make a Form
    of what came, where that is possible."""
    if isinstance(f, (Form, *others)):
        return f
    expected, remedy = "a Form or a Function" if Function in others else "a Form", ""
    if isinstance(f, _Term):
        remedy = ": Form(0, [0] * n, terms=[(1, it)])"
    elif Function in others and callable(f) and not isinstance(f, type):
        remedy = ": Function(it)"
    raise _Unexpected(f"{what} {_described(f)}, expected {expected}{remedy}")


def _forms(x: Any, what: str, count: Optional[int] = None, *others: type) -> list[Any]:
    """Return a list of forms: so many, unless count is None."""
    expected = "a list of Forms" if count is None else f"a list of {count} Form{'s' * (count != 1)}"
    forms = [
        _form(f, f"{what} a list whose element {j + 1} is", *others)
        for j, f in enumerate(_items(x, what, expected, count))
    ]
    if count is not None and len(forms) != count:
        raise _Unexpected(f"{what} {_described(forms)}, expected {expected}")
    return forms


def _term(term: Any, k: int) -> tuple[float, _Term]:
    """Return a term of a Form, a pair of a scale and a function."""
    what = f"Form: term {k + 1} is"
    if not isinstance(term, (tuple, list)) or len(term) != 2:
        raise _Unexpected(f"{what} {_described(term)}, expected a pair (scale, function)")
    scale, f = term
    if isinstance(f, Form):
        f = _Nested(f)
    if not isinstance(f, _Term):
        raise _Unexpected(
            f"{what} a pair with {_described(f)}, expected a function such as a Ridge"
        )
    return _number(scale, f"Form: the scale of term {k + 1} is"), f


def _json_value(v: Any, where: str) -> Any:
    """Return a value of an experiment as JSON has it. Numbers that are whole become integers."""
    if isinstance(v, Mapping):
        for key in v:
            if not isinstance(key, str):
                raise _Unexpected(f"{where} has the key {_described(key)}, expected a text")
        return {str(key): _json_value(value, f"{where}: {key}") for key, value in v.items()}
    if v is None or isinstance(v, bool):
        return v
    if isinstance(v, (str, os.PathLike)):
        return os.fspath(v)
    if getattr(v, "shape", None) == () and getattr(getattr(v, "dtype", None), "kind", "") == "b":
        return bool(v)
    number = _float(v)
    if number is None:
        items = _items(v, f"{where} is", "a text, a number, a list or a dict")
        return [_json_value(e, f"{where}[{k}]") for k, e in enumerate(items)]
    if not math.isfinite(number):
        raise _Unexpected(f"{where} is {number!r}, expected a finite number")
    exact = not isinstance(v, float) or abs(number) < 2**53
    return int(v) if exact and number.is_integer() and str(number) != "-0.0" else number
