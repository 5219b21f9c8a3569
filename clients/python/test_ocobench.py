"""Tests of ocobench.py: python3 -m unittest, in this directory.

The environment variable OCOBENCH is the program bench; without it the tests of what
needs bench skip.
"""

import array
import ast
import base64
import collections
import datetime
import decimal
import fractions
import gzip
import importlib.util
import io
import itertools
import json
import math
import os
import re
import struct
import subprocess
import sys
import tempfile
import textwrap
import threading
import unittest
import unittest.mock
from pathlib import Path
from typing import Annotated, Literal, Sequence

import ocobench

HERE = Path(__file__).parent
BENCH = os.environ.get("OCOBENCH")

BOX = {"box": {"lower": [-1, -1], "upper": [1, 1]}}


@ocobench.learner(
    name="echo", feedback="FO+", version=3, reference="a paper", draws=True,
    title="The echo", definition=("$x_t = x_0$, where $x_0$ is x0.",),
    claims=[ocobench.Claim("regret_xmin", 0.5, note="for T known")], assumes=["fixed constraints"],
)
class Echo:
    """Plays a constant, and
    keeps the rounds.

    More of it.
    """

    games: list = []

    def __init__(
        self, game: ocobench.Setup, *,
        step: Annotated[float, ocobench.Param("the step", above=0, max=9)] = 1,
        burn_in: int = 2,
        mode: Literal["slow", "fast"] = "slow",
        x0: Sequence[float] = (0.25, -0.0),
        loud=False,
    ):
        if step == 9:
            raise ValueError("the problem declares no Slater margin; set slater")
        self.game, self.step, self.burn_in, self.mode, self.x0, self.loud = game, step, burn_in, mode, x0, loud
        self.rounds, self.asked = [], 0
        Echo.games.append(self)

    def ask(self):
        self.asked += 1
        return self.x0

    def tell(self, round):
        self.rounds.append(round)
        if self.mode == "fast":
            return [self.step / (1 + round.t), 0]


DECLARATION = {
    "protocol": 1, "name": "echo", "version": 3, "doc": "Plays a constant, and keeps the rounds.", "reference": "a paper", "packed": True,
    "title": "The echo", "definition": ["$x_t = x_0$, where $x_0$ is x0."],
    "feedback": "FO+", "anytime": False, "draws": True,
    "parameters": [
        {"name": "step", "type": "number", "default": 1.0, "doc": "the step", "above": 0, "max": 9},
        {"name": "burn-in", "type": "integer", "default": 2, "doc": ""},
        {"name": "mode", "type": "string", "default": "slow", "doc": "", "enum": ["slow", "fast"]},
        {"name": "x0", "type": "numbers", "default": [0.25, -0.0], "doc": ""},
        {"name": "loud", "type": "boolean", "default": False, "doc": ""},
    ],
    "claims": [{"metric": "regret_xmin", "exponent": 0.5, "log": 0.0, "note": "for T known"}],
    "assumes": ["fixed constraints"],
}


def request(call, method, **params):
    return {"jsonrpc": "2.0", "id": call, "method": method, "params": params}


def game(domain=BOX, horizon=3, **members):
    return {"domain": domain, "constraints": 1, "facts": {"loss_lipschitz": 2, "rounds": 7, "fixed": True, "new_fact": 1}, "horizon": horizon, "seed": 2**53 - 1, **members}


def func(value, *subgradient, **members):
    return {"value": value, "subgradient": list(subgradient), **members}


def tell(call, t, x, **members):
    return request(call, "tell", t=t, x=x, loss=func(1, 0, -2.5), constraints=[func(-1, 1, 0)], **members)


class Conversation:
    """A learner that answers messages within this process."""

    def __init__(self, cls):
        self.child = ocobench._new_child(cls)

    def line(self, text):
        answer = self.child.answer(text if isinstance(text, bytes) else text.encode())
        if answer is not None and (not answer.endswith("\n") or "\n" in answer[:-1]):
            raise AssertionError(f"{answer!r} is not one line")
        return answer

    def ask(self, message):
        return json.loads(self.line(json.dumps(message)))

    def code(self, message):
        return self.ask(message)["error"]["code"]


class TestLearner(unittest.TestCase):
    def setUp(self):
        Echo.games.clear()

    def test_transcript(self):
        # What is sent, and the line that answers it.
        talk = Conversation(Echo)
        begin = request(2, "initialize", protocol=1, game=game(parameters={"step": 4, "burn-in": 0, "mode": "slow", "x0": [0.25, -0.0], "loud": True}))
        for message, answer in [
            (request(1, "initialize", protocol=1), {"jsonrpc": "2.0", "id": 1, "result": DECLARATION}),
            (begin, {"jsonrpc": "2.0", "id": 2, "result": DECLARATION}),
            (request(3, "ask"), '{"jsonrpc":"2.0","id":3,"result":{"x":[0.25,-0.0]}}\n'),
            (request("four", "ask"), '{"jsonrpc":"2.0","id":"four","result":{"x":[0.25,-0.0]}}\n'),
            (tell(5, 1, [0.25, 0]), '{"jsonrpc":"2.0","id":5,"result":{"x":[0.25,-0.0]}}\n'),
            (tell(6, 2, [0.25, 0], ahead=[-3]), '{"jsonrpc":"2.0","id":6,"result":{"x":[0.25,-0.0]}}\n'),
            (request(7, "ask"), '{"jsonrpc":"2.0","id":7,"result":{"x":[0.25,-0.0]}}\n'),
            (tell(8, 3, [0.25, 0]), '{"jsonrpc":"2.0","id":8,"result":{}}\n'),  # the horizon: no action follows
            (request(9, "ask"), '{"jsonrpc":"2.0","id":9,"result":{"x":[0.25,-0.0]}}\n'),
        ]:
            got = talk.line(json.dumps(message))
            if isinstance(answer, str):
                self.assertEqual(got, answer)
            else:
                self.assertEqual(json.loads(got), answer)
        mine, = Echo.games
        self.assertEqual((mine.step, mine.burn_in, mine.mode, mine.x0, mine.loud), (4.0, 0, "slow", [0.25, -0.0], True))
        self.assertIs(type(mine.step), float)
        self.assertEqual(mine.asked, 4)  # once a round
        self.assertEqual([r.t for r in mine.rounds], [1, 2, 3])
        self.assertEqual([r.ahead for r in mine.rounds], [None, [-3.0], None])
        first = mine.rounds[0]
        self.assertEqual((first.loss.value, first.loss.subgradient, first.loss.form), (1.0, [0.0, -2.5], None))
        self.assertIs(type(first.loss.subgradient[0]), float)
        self.assertEqual([g.value for g in first.constraints], [-1.0])
        g = mine.game
        self.assertEqual((g.dim, g.constraints, g.horizon, g.seed), (2, 1, 3, 2**53 - 1))
        self.assertEqual(g.facts, ocobench.Facts(loss_lipschitz=2.0, rounds=7, fixed=True))
        self.assertIs(type(g.facts.rounds), int)

    def test_ids(self):
        # An id is a text or an integer, and comes back as it was written.
        talk = Conversation(Echo)
        for call in ["0", "-7", "9007199254740993", "1" + 40 * "0", '"four"', '"a<b"', '"é"', '""']:
            for start in ('{"jsonrpc":"2.0","id":%s,', '{"id": %s, "jsonrpc": "2.0", '):
                got = talk.line(start % call + '"method":"initialize","params":{"protocol":1}}')
                self.assertTrue(got.startswith('{"jsonrpc":"2.0","id":%s,"result":{' % call), got)
        for call in ["null", "2.4", "2.0", "1e300", "true", "[7]", "{}"]:
            got = json.loads(talk.line('{"jsonrpc":"2.0","id":%s,"method":"initialize","params":{"protocol":1}}' % call))
            self.assertEqual((got["id"], got["error"]["code"]), (None, -32600), call)
        # and names are case-sensitive
        self.assertEqual(talk.code({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"PROTOCOL": 1}}), -32602)
        self.assertEqual(talk.code({"jsonrpc": "2.0", "id": 1, "Method": "initialize", "params": {"protocol": 1}}), -32600)

    def test_tell_returns_the_next_action(self):
        talk = Conversation(Echo)
        talk.ask(request(1, "initialize", protocol=1, game=game(parameters={"mode": "fast", "step": 3})))
        self.assertEqual(talk.ask(tell(2, 1, [0, 0]))["result"], {"x": [1.5, 0.0]})
        self.assertEqual(talk.ask(request(3, "ask"))["result"], {"x": [1.5, 0.0]})
        self.assertEqual(Echo.games[0].asked, 0)

    def test_what_happens_inside(self):
        @ocobench.learner(name="inside", anytime=True, state=["queue", "step"])
        class Inside:
            def __init__(self, game):
                pass

            def ask(self):
                return [0, 1]

            def tell(self, round):
                shown = {1: {"queue": 2, "step": 0.5}, 2: {"step": math.nan, "queue": 1}, 3: {"queue": 1}, 4: [1, 2]}
                return ocobench.Told([0.5, 0] if round.t == 1 else None, state=shown[round.t])

        talk = Conversation(Inside)
        self.assertEqual(talk.ask(request(1, "initialize", protocol=1))["result"]["state"], ["queue", "step"])
        for t, x, words in [
            (1, [0.5, 0.0], None), (2, [0.0, 1.0], "step of the state that tell returned is nan, expected a finite number"),
            (3, [0.0, 1.0], "the state that tell returned in round 3 has ['queue'], expected a dict with ['queue', 'step']"),
            (4, [0.0, 1.0], "the state that tell returned in round 4 has a list of length 2, expected"),
        ]:
            with self.subTest(t=t), quiet():
                talk.ask(request(2, "initialize", protocol=1, game=game(horizon=None)))
                for round in range(1, t + 1):
                    got = talk.ask(tell(3, round, [0, 1]))
                self.assertEqual(got["result"], {"x": x})
                shown = talk.ask(request(4, "state"))
                if words:
                    self.assertIn(words, shown["error"]["message"])
                else:
                    self.assertEqual(shown["result"], {"state": {"queue": 2.0, "step": 0.5}})

    def test_what_is_shown_is_declared(self):
        @ocobench.learner(name="undeclared", anytime=True)
        class Undeclared:
            def __init__(self, game):
                pass

            def ask(self):
                return [0, 1]

            def tell(self, round):
                return ocobench.Told(state={"queue": 1})

        talk = Conversation(Undeclared)
        self.assertNotIn("state", talk.ask(request(1, "initialize", protocol=1))["result"])
        talk.ask(request(2, "initialize", protocol=1, game=game(horizon=None)))
        with quiet():
            error = talk.ask(tell(3, 1, [0, 1]))["error"]["message"]
        self.assertIn("@ocobench.learner(state=['queue'])", error)

    def test_a_new_game_ends_the_last_one(self):
        talk = Conversation(Echo)
        for call in (1, 2):
            talk.ask(request(call, "initialize", protocol=1, game=game(horizon=None)))
            self.assertEqual(talk.ask(tell(3, 1, [0, 0]))["result"], {"x": [0.25, -0.0]})
        self.assertEqual([len(g.rounds) for g in Echo.games], [1, 1])
        self.assertIsNone(Echo.games[0].game.horizon)

    def test_refusals(self):
        talk = Conversation(Echo)
        for message, code in [
            (request(1, "initialize", protocol=2), -32602),
            (request(1, "initialize", protocol=1, game=game(parameters={"gamma": 1})), -32602),
            (request(1, "initialize", protocol=1, game=game(parameters={"burn-in": 0.5})), -32602),
            (request(1, "initialize", protocol=1, game=game(parameters={"burn_in": 1})), -32602),
            (request(1, "initialize", protocol=1, game=game(parameters={"loud": 1})), -32602),
            (request(1, "initialize", protocol=1, game=game(domain={"cone": {}})), -32602),
            (request(1, "initialize", protocol=1, game={}), -32602),
            (request(1, "ask"), -32600),
            (tell(1, 1, [0, 0]), -32600),
            (request(1, "dance"), -32601),
            (["not", "a", "request"], -32600),
        ]:
            with self.subTest(message=message):
                self.assertEqual(talk.code(message), code)
        self.assertEqual(json.loads(talk.line(b"{"))["error"]["code"], -32700)
        self.assertEqual(json.loads(talk.line(b"\xff"))["error"]["code"], -32700)
        self.assertIsNone(talk.line('{"jsonrpc":"2.0","method":"dance"}'))
        self.assertFalse(Echo.games)
        talk.ask(request(1, "initialize", protocol=1, game=game()))
        self.assertEqual(talk.code(tell(2, 2, [0, 0])), -32602)  # not the next round
        self.assertEqual(talk.code(request(2, "tell", t=1, x=[0, 0])), -32602)

    def test_a_constructor_refuses(self):
        talk = Conversation(Echo)
        with quiet():
            error = talk.ask(request(1, "initialize", protocol=1, game=game(parameters={"step": 9})))["error"]
        self.assertEqual(error, {"code": -32602, "message": "the problem declares no Slater margin; set slater"})
        self.assertEqual(talk.code(request(2, "ask")), -32600)

    def test_bad_actions(self):
        # What ask or tell returns, and what the error says came.
        class Late:
            def __float__(self):
                raise TypeError("not yet")

        async def later():
            return [0, 0]

        coroutine = later()
        self.addCleanup(coroutine.close)
        for x, came in [
            ([math.nan, 0], "a list of length 2 with nan at index 0"), ([0, -math.inf], "a list of length 2 with -inf at index 1"),
            ([10**400, 0], "a list of length 2 with inf at index 0"), ([0], "a list of length 1"), ((0, 0, 0), "a tuple of length 3"), ([], "a list of length 0"),
            ([[0.25], [-0.5]], "a list of shape (2, 1)"), ([[0.25, -0.5]], "a list of shape (1, 2)"), ([0.25, [-0.5]], "a list of length 2 with a list of length 1 at index 1"),
            ({0: 0.25, 1: -0.5}, "a dict of length 2"), ({0: 0.25, 1: -0.5}.keys(), "a dict_keys of length 2"), ({"x": [0, 0]}, "a dict of length 1"),
            ({0.25, -0.5}, "a set of length 2"), (frozenset([0.25, -0.5]), "a frozenset of length 2"),
            ("01", "the text '01'"), (b"01", "the bytes b'01'"), (bytearray(2), "a bytearray of length 2"), (memoryview(b"01"), "a memoryview of length 2"),
            (["0.25", 0], "a list of length 2 with the text '0.25' at index 0"), ([0, b"1"], "a list of length 2 with the bytes b'1' at index 1"),
            (0.5, "0.5"), (True, "True"), ([True, False], "a list of length 2 with True at index 0"), ([0, 1j], "a list of length 2 with 1j at index 1"),
            ([None, 0], "a list of length 2 with None at index 0"), ([0, Late()], "a list of length 2 with a Late at index 1"),
            ((0.5 for _ in range(1)), "a generator of length 1"), (itertools.count(), "a count of more than 2 elements"), (map(str, [0, 1]), "a list of length 2 with the text '0' at index 0"),
            (coroutine, "a coroutine"), (list, "the class list"), (lambda: [0, 0], "a function"),
        ]:
            for method in ("ask", "tell"):
                @ocobench.learner(name="bad")
                class Bad:
                    def __init__(self, game):
                        pass

                    def ask(self):
                        return x if method == "ask" else [0, 0]

                    def tell(self, round):
                        return x

                with self.subTest(x=x, method=method), quiet() as said:
                    talk = Conversation(Bad)
                    talk.ask(request(1, "initialize", protocol=1, game=game()))
                    error = talk.ask(request(2, "ask") if method == "ask" else tell(2, 1, [0, 0]))
                    if method == "tell" and hasattr(x, "__next__"):
                        continue  # it has been read
                    self.assertEqual(error["error"]["code"], -32603)
                    self.assertRegex(error["error"]["message"], f"^{method} returned {re.escape(came)}, expected (2|finite) numbers$")
                    self.assertEqual(talk.code(request(3, "ask")), -32600)  # the game is over
                    self.assertEqual(said(), "")  # and there is no traceback of this library

    def test_actions_of_other_types(self):
        for x in [(0.25, 1), range(2), (v for v in (0.25, 1)), array.array("d", [0.25, 1]), collections.deque([0.25, 1]),
                  {"a": 0.25, "b": 1}.values(), [fractions.Fraction(1, 4), decimal.Decimal(1)], map(float, ["0.25", "1"])]:
            with self.subTest(x=x):
                self.assertIn(ocobench._action(x, "ask returned", 2), ('{"x":[0.25,1.0]}', '{"x":[0.0,1.0]}'))

    def test_bad_declarations(self):
        def plain(self, game):
            pass

        def undeclared(self, game, *, step):
            pass

        def untyped(self, game, *, step: dict = {}):
            pass

        def wrong(self, game, *, step: int = 0.5):
            pass

        def infinite(self, game, *, step: float = math.inf):
            pass

        def many(self, game, **parameters):
            pass

        members = {"__init__": plain, "ask": plain, "tell": plain}
        ocobench.learner(name="sound")(type("Sound", (), members))
        for change in [{"ask": None}, {"tell": 1}, {"__init__": undeclared}, {"__init__": untyped}, {"__init__": wrong}, {"__init__": infinite}, {"__init__": many}]:
            with self.subTest(change=change), self.assertRaises(TypeError):
                ocobench.learner(name="faulty")(type("Faulty", (), {**members, **change}))
        for declared in [{"feedback": "full"}, {"assumes": "fixed constraints"}, {"claims": ocobench.Claim("regret_xmin", 0.5)}, {"claims": "regret_xmin"}, {"claims": [ocobench.Claim("regret_xmin", "0.5")]}, {"claims": {"regret_xmin": 0.5}}]:
            with self.subTest(declared=declared), self.assertRaises(ValueError):
                ocobench.learner(name="faulty", **declared)(type("Faulty", (), members))
        with self.assertRaises(TypeError):
            ocobench.main(type("Undeclared", (), members))
        with self.assertRaises(TypeError):
            ocobench.main(type("Derived", (Echo,), {}))


@ocobench.problem(name="drift", version=2, reference="a paper")
class Drift:
    """A budget."""

    facts = ocobench.Facts(loss_lipschitz=2, rounds=9, affine=True, adaptive=True)

    def __init__(self, seed: int, *, domain: Literal["box", "ball", "simplex"] = "box", turns: int = 2**53 + 1, rate: float = 0.5):
        if rate < 0:
            raise ValueError("the rate is negative")
        self.domain = {"box": ocobench.Box([0, -0.0], [1, 1]), "ball": ocobench.Ball([0, 1], 2), "simplex": ocobench.Simplex(2, 3)}[domain]
        self.constraints, self.seed, self.turns, self.seen = 2, seed, turns, []
        self.expectation = [ocobench.Form(rate, [1, 0]), ocobench.Form(0, [0, 1], [[1, 0], [0, 2]])]
        Drift.last = self

    def reveal(self, t, x):
        self.seen.append((t, x))
        return ocobench.Tangent(1, (0, -2)), [ocobench.Form(-t, [1 / 3, -0.0]), ocobench.Form(0, (0, 1), [[1, 0], [0, 2]])]


class TestProblem(unittest.TestCase):
    def begin(self, **parameters):
        return request(2, "initialize", protocol=1, game={"seed": 2**53 - 1, "parameters": parameters})

    declaration = {
        "protocol": 1, "role": "problem", "name": "drift", "version": 2, "doc": "A budget.", "reference": "a paper", "packed": True,
        "parameters": [
            {"name": "domain", "type": "string", "default": "box", "doc": "", "enum": ["box", "ball", "simplex"]},
            {"name": "turns", "type": "integer", "default": 2**53 + 1, "doc": ""},
            {"name": "rate", "type": "number", "default": 0.5, "doc": ""},
        ],
    }

    def test_transcript(self):
        talk = Conversation(Drift)
        self.assertEqual(talk.ask(request(1, "initialize", protocol=1))["result"], self.declaration)
        instance = {
            "domain": {"box": {"lower": [0, -0.0], "upper": [1, 1]}}, "constraints": 2,
            "facts": {"loss_lipschitz": 2, "rounds": 9, "affine": True, "adaptive": True},
            "expectation": [{"const": 3, "lin": [1, 0]}, {"const": 0, "lin": [0, 1], "quad": [[1, 0], [0, 2]]}],
        }
        self.assertEqual(talk.ask(self.begin(rate=3))["result"], {**self.declaration, "instance": instance})
        for t in (1, 2):
            self.assertEqual(
                talk.line(json.dumps(request(t, "reveal", t=t, x=[0, -0.0]))),
                '{"jsonrpc":"2.0","id":%d,"result":{"loss":{"value":1.0,"subgradient":[0.0,-2.0]},"constraints":['
                '{"form":{"const":-%d.0,"lin":[0.3333333333333333,-0.0]}},'
                '{"form":{"const":0.0,"lin":[0.0,1.0],"quad":[[1.0,0.0],[0.0,2.0]]}}]}}\n' % (t, t))
        self.assertEqual((Drift.last.seed, str(Drift.last.seen)), (2**53 - 1, "[(1, [0.0, -0.0]), (2, [0.0, -0.0])]"))
        for name, domain in [("ball", {"center": [0, 1], "radius": 2}), ("simplex", {"dim": 2, "scale": 3})]:
            self.assertEqual(talk.ask(self.begin(domain=name))["result"]["instance"]["domain"], {name: domain})

    def test_packed_numbers_keep_their_bits(self):
        for numbers in [[1.0, -0.0, 5e-324, 1.7976931348623157e308, 0.1, 1 / 3, -2.0, 7.0], [0.5] * 30]:
            packed = json.loads(json.dumps(ocobench._packed(numbers)))
            self.assertEqual(base64.b64decode(packed["f64"]), struct.pack(f"<{len(numbers)}d", *numbers))
            func = ocobench.Tangent._read({"value": 1.0, "subgradient": packed, "form": {"lin": packed, "quad": [packed] * 2, "terms": [
                {"of": {"ridge": {"curve": "exp", "a": packed}}}, {"of": {"halfsquares": {"rows": [packed], "y": [1.0]}}}]}})
            form = func.form
            read = [func.subgradient, form.lin, *form.quad, form.terms[0][1].a, form.terms[1][1].rows[0]]
            self.assertEqual(str(read), str([numbers] * 6))
        self.assertEqual(ocobench._packed([0.1] * 7), [0.1] * 7)

    def test_a_problem_packs_where_bench_reads_it(self):
        @ocobench.problem(name="wide")
        class Wide:
            def __init__(self, seed):
                self.domain = ocobench.Box([0] * 9, [1] * 9)

            def reveal(self, t):
                return ocobench.Form(0, [0.1] * 9), [ocobench.Form(-1, [0.2] * 9)]

        for packed in (False, True):
            talk = Conversation(Wide)
            talk.ask(request(1, "initialize", protocol=1, game={"seed": 1, "parameters": {}, **({"packed": True} if packed else {})}))
            lin = talk.ask(request(2, "reveal", t=1))["result"]["constraints"][0]["form"]["lin"]
            self.assertEqual(isinstance(lin, dict), packed)
            self.assertEqual(ocobench._unpacked(lin), [0.2] * 9)

    def test_integers_have_all_their_digits(self):
        for turns in (2**53 + 1, 2**63 - 1, -2**63, 0):
            Conversation(Drift).ask(self.begin(turns=turns))
            self.assertEqual((Drift.last.turns, type(Drift.last.turns)), (turns, int))

    def test_refusals(self):
        talk = Conversation(Drift)
        for message, code in [
            (request(1, "reveal", t=1), -32600),  # no game
            (request(1, "initialize", protocol=1, game={}), -32602),
            (self.begin(rates=1), -32602),
            (request(1, "ask"), -32601),
        ]:
            with self.subTest(message=message):
                self.assertEqual(talk.code(message), code)
        with quiet():
            self.assertEqual(talk.ask(self.begin(rate=-1))["error"], {"code": -32602, "message": "the rate is negative"})
        talk.ask(self.begin())
        self.assertEqual(talk.code(request(2, "reveal", t=2, x=[0, 0])), -32602)  # not the next round
        self.assertEqual(talk.code(request(2, "reveal", x=[0, 0])), -32602)

    def test_bad_rounds(self):
        loss, other, quad = ocobench.Form(0, [1, 1]), ocobench.Form(0, [1]), ocobench.Form(0, [1, 1], [[1, 0]])
        ridge = ocobench.Ridge("exp", [1, 1])
        for revealed, words in [
            ((loss, []), "constraints that reveal returned are a list of length 0, expected a list of 1 Form"),
            ((loss, [loss, loss]), "are a list of length 2, expected a list of 1 Form"),
            ((loss, loss), "are a Form, expected a list of 1 Form"), ((loss, {"a": loss}), "are a dict of length 1, expected"),
            ((loss, {loss}), "are a set of length 1, expected"), ((loss, None), "are None, expected"), ((loss, "g"), "are the text 'g', expected"),
            ((loss, [0]), "whose element 1 is 0, expected a Form"), ((loss, [None]), "whose element 1 is None, expected a Form"),
            ((loss, [ridge]), "whose element 1 is a Ridge, expected a Form or a Function: Form(0, [0] * n, terms=[(1, it)])"),
            ((other, [loss]), "the loss: lin of a form is a list of length 1, expected 2 numbers"),
            ((loss, [quad]), "constraint 1: quad of a form is a list of shape (1, 2), expected 2 rows"),
            ((loss, [ocobench.Form(math.nan, [1, 1])]), "constraint 1: const of a form is nan, expected a finite number"),
            ((loss, [ocobench.Form(0, [1, 1], terms=[(1, ocobench.Ridge("exp", [1]))])]), "constraint 1: a vector of 1 numbers"),
            ((loss, [ocobench.Tangent(1, [1, math.inf])]), "with inf at index 1, expected finite numbers"),
            ((loss, [ocobench.Tangent(1, [1])]), "a subgradient is a list of length 1, expected 2 numbers"),
            (None, "reveal returned None, expected a pair"), (loss, "reveal returned a Form, expected a pair"), ((loss,), "a tuple of length 1, expected a pair"),
            ({"loss": loss, "constraints": [loss]}, "a dict of length 2, expected a pair"), (([1, 1], [loss]), "the loss that reveal returned is a list of length 2, expected a Form"),
            ((0.5, [loss]), "the loss that reveal returned is 0.5, expected a Form"), ((lambda x: 0, [loss]), "is a function, expected a Form"),
        ]:
            @ocobench.problem(name="bad")
            class Bad:
                domain = ocobench.Box([0, 0], [1, 1])

                def __init__(self, seed):
                    pass

                def reveal(self, t):
                    return revealed

            with self.subTest(words=words), quiet() as said:
                talk = Conversation(Bad)
                self.assertEqual(talk.ask(self.begin())["result"]["instance"], {"domain": Bad.domain._message(), "constraints": 1, "facts": {}})
                error = talk.ask(request(2, "reveal", t=1))["error"]
                self.assertEqual(error["code"], -32603)
                self.assertIn(words, error["message"])
                self.assertEqual(said(), "")
                self.assertEqual(talk.code(request(3, "reveal", t=2)), -32600)  # the game is over

    def test_hindsight(self):
        form = ocobench.Form(0, [1, 1])
        for comparator, best, words in [
            (None, (-1, (0, 1)), None), ("own", [-1, [0, 1]], None), ("best", (-1, [0, 1]), "comparator is the text 'best', expected one of xmin, xhat, xmax, xe, own"),
            ("xmin", None, "hindsight returned None, expected a pair: the value and the action"),
            ("xmin", (math.inf, [0, 1]), "the value that hindsight returned is inf, expected a finite number"),
            ("xmin", (1, [0]), "the action that hindsight returned is a list of length 1, expected 2 numbers"),
        ]:
            @ocobench.problem(name="declares")
            class Declares:
                domain = ocobench.Box([0, 0], [1, 1])

                def __init__(self, seed):
                    if comparator:
                        self.comparator = comparator

                def reveal(self, t):
                    return form, [form]

                def hindsight(self, t):
                    return best

            with self.subTest(comparator=comparator, best=best), quiet():
                talk = Conversation(Declares)
                begun = talk.ask(self.begin())
                if "result" in begun:
                    self.assertEqual(begun["result"]["instance"]["hindsight"], comparator or "xmin")
                    talk.ask(request(3, "reveal", t=1))
                    begun = talk.ask(request(4, "hindsight", t=1))
                if words:
                    self.assertIn(words, begun["error"]["message"])
                else:
                    self.assertEqual(begun["result"], {"value": -1.0, "x": [0.0, 1.0]})

    def test_bad_instances(self):
        # Members that a problem sets, and what the error says of them.
        loss = ocobench.Form(0, [1, 1])
        for members, words in [
            ({"domain": None}, "domain is None, expected a Box, a Ball or a Simplex"), ({"domain": [[0, 1], [0, 1]]}, "domain is a list of shape (2, 2)"),
            ({"domain": ocobench.Box}, "domain is the class Box"), ({"domain": "box"}, "domain is the text 'box'"),
            ({"constraints": "1"}, "constraints is the text '1', expected an integer"), ({"constraints": 1.5}, "constraints is 1.5"),
            ({"constraints": [loss]}, "constraints is a list of length 1"), ({"constraints": True}, "constraints is True"),
            ({"facts": {"iid": True}}, "facts is a dict of length 1, expected Facts"), ({"facts": None}, "facts is None"),
            ({"facts": ocobench.Facts(iid=1)}, "iid is 1, expected True or False"), ({"facts": ocobench.Facts(slater="0.5")}, "slater is the text '0.5', expected a number"),
            ({"facts": ocobench.Facts(rounds=2.5)}, "rounds is 2.5, expected an integer"), ({"facts": ocobench.Facts(loss_range=math.inf)}, "loss_range is inf, expected a finite number"),
            ({"expectation": loss}, "expectation is a Form, expected a list of 1 Form"), ({"expectation": [loss, loss]}, "expectation is a list of length 2"),
            ({"expectation": [[0, 1]]}, "expectation is a list whose element 1 is a list of length 2"), ({"expectation": [ocobench.Form(0, [1])]}, "expectation 1: lin of a form"),
        ]:
            @ocobench.problem(name="bad")
            class Bad:
                domain = ocobench.Box([0, 0], [1, 1])

                def __init__(self, seed):
                    vars(self).update(members)

                def reveal(self, t):
                    return loss, [loss]

            with self.subTest(members=members), quiet() as said:
                error = Conversation(Bad).ask(self.begin())["error"]
                self.assertEqual(error["code"], -32603)
                self.assertIn(words, error["message"])
                self.assertEqual(said(), "")

    def test_bad_declarations(self):
        with self.assertRaises(TypeError):
            ocobench.problem(name="faulty")(type("Faulty", (), {}))
        with self.assertRaises(TypeError):
            ocobench.main(type("Derived", (Drift,), {}))


class quiet:
    """Keeps what is written to sys.stderr."""

    def __enter__(self):
        self.stderr, sys.stderr = sys.stderr, io.StringIO()
        return sys.stderr.getvalue

    def __exit__(self, *_):
        sys.stderr = self.stderr


class TestForm(unittest.TestCase):
    def test_values(self):
        form = ocobench.Form(1, [1, 2], [[2, 1], [1, 4]])
        # 1 + (3 + 2·5) + ½(2·9 + 2·15 + 4·25) = 88 at (3, 5)
        self.assertEqual(form.value([3, 5]), 88)
        self.assertEqual(form.gradient([3, 5]), [12, 25])
        affine = ocobench.Form(0, [2])
        self.assertEqual((affine.value([4]), affine.gradient([4]), affine.quad), (8, [2], None))
        zero = ocobench.Form._read({}, 2)
        self.assertEqual((zero.value([1, 1]), zero.gradient([1, 1])), (0, [0, 0]))
        read = ocobench.Form._read({"const": 1.0, "lin": [1.0, 2.0], "quad": [[2.0, 1.0], [1.0, 4.0]]}, 2)
        self.assertEqual(read._message(2), form._message(2))
        with self.assertRaises(ValueError):
            ocobench.Form._read({"opaque": True}, 2).value([0, 0])


    def test_terms(self):
        x = [0.5, 2.0]
        center = [0.5, 0.0]
        risk = ocobench.Shared(ocobench.Form(-1, [0, 0], [[2, 0], [0, 4]]))
        for scale, f, value, gradient in [
            (2, ocobench.Ridge("neglog", [2, 1], 1), -math.log(4), [-0.5, -0.25]),
            (1, ocobench.Ridge("softplus", [2, -0.5]), math.log(2), [1, -0.25]),
            (1, ocobench.Ridge("exp", [2, -0.5]), 1, [2, -0.5]),
            (3, ocobench.Separable("exp", [1], 1, -2), 1, [0, 1]),
            (1, ocobench.HalfSquares([[1, 1], [0, 2]], [0.5, 1]), 2 + 4.5, [2, 2 + 6]),
            (1, ocobench.Distance(center), 2, [0, 1]),
            (1, ocobench.HalfSquaredDistance(center), 2, [0, 2]),
            (1, ocobench.ElasticNet(1, 2), 2.5 + 4.25, [2, 5]),
            (-1, ocobench.Linear([3], 1), 6, [0, 3]),
            (1, ocobench.Max([ocobench.Form(0, [1, 0]), ocobench.Form(1, [0, 1])]), 3, [0, 1]),
            (0.5, risk, 0.25 + 8 - 1, [1, 8]),
        ]:
            form = ocobench.Form(1, [1, 0], terms=[(scale, f)])
            self.assertAlmostEqual(form.value(x), 1.5 + scale * value)
            for have, want in zip(form.gradient(x), [1 + scale * gradient[0], scale * gradient[1]]):
                self.assertAlmostEqual(have, want)
            folded = form.folded()
            self.assertAlmostEqual(folded.value(x), form.value(x))
            plain = isinstance(f, (ocobench.HalfSquares, ocobench.HalfSquaredDistance, ocobench.Linear, ocobench.Shared))
            self.assertEqual(folded.terms == [], plain)
            # Written, read and written again it is the same.
            message = form._message(2)["form"]
            again = ocobench.Form._read(json.loads(json.dumps(message)), 2)
            self.assertEqual(again._message(2)["form"], message)
            self.assertEqual(again.value(x), form.value(x))

    def test_vectors(self):
        # A list, or its entries that are not zero, wherever there is a number for each dimension.
        form = ocobench.Form._read({
            "lin": {"at": [1], "is": [-4]}, "diag": {"at": [2.0], "is": [5]}, "terms": [{"of": {"linear": {"a": [1, 2, 3]}}},
            {"of": {"halfsquares": {"rows": [{"at": [0], "is": [2]}], "y": [1]}}}, {"of": {"distance": {"center": {"at": [], "is": []}}}}],
        }, 3)
        self.assertEqual((form.lin, form.quad[2], form.value([0, 0, 1])), ([0, -4, 0], [0, 0, 5], 2.5 + 3 + 0.5 + 1))

    def test_shared(self):
        # A function that is shared has a name once, after those that it uses; without a name it is written whole.
        inner = ocobench.Shared(ocobench.Form(1, [1, 0]))
        outer = ocobench.Shared(ocobench.Form(0, [0, 2], terms=[(1, inner)]))
        form = ocobench.Form(0, [0, 0], terms=[(2, outer), (1, ocobench.Max([ocobench.Form(0, [0, 0], terms=[(1, inner)])]))])
        names, member = ocobench._shared_functions(ocobench._sharing(form), 2)
        self.assertEqual(member["functions"]["f2"]["terms"], [{"of": "f1"}])
        self.assertEqual(form._message(2, names)["form"]["terms"], [{"scale": 2, "of": "f2"}, {"of": {"max": [{"const": 0, "terms": [{"of": "f1"}]}]}}])
        self.assertEqual(ocobench.Form._read(form._message(2)["form"], 2).value([1, 1]), form.value([1, 1]))
        self.assertEqual(ocobench._shared_functions([], 2), ({}, {}))

    def test_bad_terms(self):
        with self.assertRaisesRegex(ValueError, "expected one of neglog, softplus, exp"):
            ocobench.Ridge("log", [1])
        with self.assertRaisesRegex(ValueError, "a vector of 1 numbers, expected 2, the dimension of the domain"):
            ocobench.Form(0, [0, 0], terms=[(1, ocobench.Ridge("exp", [1]))])._message(2)
        with self.assertRaisesRegex(ValueError, "unknown kind 'cube'"):
            ocobench.Form._read({"terms": [{"of": {"cube": {}}}]}, 2)

    def test_bad_numbers(self):
        # What sets and functions are made of.
        f = ocobench.Form(0, [1, 1])
        for make, words in [
            (lambda: ocobench.Box("01", [1, 1]), "Box: lower is the text '01'"), (lambda: ocobench.Box([0, 0], [1]), "Box: upper is a list of length 1, expected 2"),
            (lambda: ocobench.Box([0, 2], [1, 1]), "lower is 2.0 and upper 1.0 at index 1"), (lambda: ocobench.Box([], []), "of 0 numbers"),
            (lambda: ocobench.Box({0: 0}, [1]), "lower is a dict"), (lambda: ocobench.Box([0], [math.nan]), "with nan at index 0"), (lambda: ocobench.Box(0, 1), "lower is 0"),
            (lambda: ocobench.Ball([0], -1), "radius above 0"), (lambda: ocobench.Ball([0], [1]), "radius is a list of length 1"), (lambda: ocobench.Ball({0.5}, 1), "center is a set"),
            (lambda: ocobench.Simplex(2.5, 1), "dim is 2.5"), (lambda: ocobench.Simplex("2", 1), "dim is the text '2'"), (lambda: ocobench.Simplex(2, 0), "scale above 0"),
            (lambda: ocobench.Form("1", [1]), "const is the text '1'"), (lambda: ocobench.Form([1], [1]), "const is a list of length 1"), (lambda: ocobench.Form(True, [1]), "const is True"),
            (lambda: ocobench.Form(0, {"a": 1}), "lin is a dict"), (lambda: ocobench.Form(0, "12"), "lin is the text"), (lambda: ocobench.Form(0, [[1, 2]]), "lin is a list of shape (1, 2)"),
            (lambda: ocobench.Form(0, [1], [1]), "row 1 of Form: quad is 1"), (lambda: ocobench.Form(0, [1], {0: [1]}), "quad is a dict"), (lambda: ocobench.Form(0, [1], 2), "quad is 2"),
            (lambda: ocobench.Form(0, [1], terms=ocobench.Ridge("exp", [1])), "terms is a Ridge"), (lambda: ocobench.Form(0, [1], terms=[ocobench.Ridge("exp", [1])]), "term 1 is a Ridge, expected a pair"),
            (lambda: ocobench.Form(0, [1], terms=[("2", ocobench.Ridge("exp", [1]))]), "scale of term 1 is the text '2'"), (lambda: ocobench.Form(0, [1], terms=[(1, math.exp)]), "term 1 is a pair with a builtin"),
            (lambda: ocobench.Ridge("exp", "1"), "Ridge: a is the text"), (lambda: ocobench.Ridge(["exp"], [1]), "curve is ['exp']"), (lambda: ocobench.HalfSquares([[1]], [1, 2]), "y is a list of length 2, expected a list of 1"),
            (lambda: ocobench.HalfSquares([1, 2], [1, 2]), "row 1 of HalfSquares: rows is 1"), (lambda: ocobench.Distance(None), "center is None"), (lambda: ocobench.Linear([1], "0"), "first is the text"),
            (lambda: ocobench.Max(f), "forms is a Form"), (lambda: ocobench.Max([f, 1]), "element 2 is 1"), (lambda: ocobench.Shared([1]), "form is a list"), (lambda: ocobench.Tangent([1], [1]), "value is a list"),
            (lambda: ocobench.Box([0], [1]).project("1"), "x is the text"), (lambda: ocobench.Box([0], [1]).project([0, 0]), "x is a list of length 2"),
        ]:
            with self.subTest(words=words), self.assertRaisesRegex(ValueError, re.escape(words)):
                make()


# Problems with functions of one's own.


try:
    import numpy
except ImportError:
    numpy = None
needs_numpy = unittest.skipIf(numpy is None, "no numpy: install Debian's python3-numpy")


@ocobench.problem(name="own")
class Own:
    """Losses log(1 + exp(a·x)), and the constraints ‖x‖⁴ ≤ b and x_1 ≤ b."""

    constraints = 2

    def __init__(self, seed: int, *, slopes: bool = True, revealed: int = 0):
        self.domain, self.seen, self.numbers = ocobench.Box([-1, -1], [1, 1]), [], []
        self.slopes, self.fixed = slopes, ocobench.Form(-0.5, [1, 0])
        Own.last = self

    def reveal(self, t):
        a, b = [math.sin(t), math.cos(3 * t)], 1 + 1 / t
        self.seen.append(t)
        self.numbers.append((a, b))

        def value(x):
            Own.given = x
            return math.log1p(math.exp(a[0] * x[0] + a[1] * x[1]))

        def gradient(x):
            s = 1 / (1 + math.exp(-a[0] * x[0] - a[1] * x[1]))
            return [s * v for v in a]

        return ocobench.Function(value, gradient if self.slopes else None), [
            ocobench.Function(lambda x: (x[0] ** 2 + x[1] ** 2) ** 2 - b, lambda x: [4 * (x[0] ** 2 + x[1] ** 2) * v for v in x]), self.fixed]


@ocobench.problem(name="batched")
class Batched(Own):
    """The same at once."""

    def __init__(self, seed: int, *, slopes: bool = True, wrong: str = ""):
        super().__init__(seed, slopes=True)
        self.slopes, self.wrong = slopes, wrong

    def reveal(self, t):
        made_of = (*super().reveal(t), self.numbers[-1])
        return made_of[:2] if self.wrong == "pair" else made_of

    def batch(self, x, a, b):
        t = len(b)
        w = numpy.exp(a @ x)
        f, df = numpy.log1p(w), (w / (1 + w))[:, None] * a
        square = x @ x
        g = numpy.column_stack([square**2 - b, numpy.full(t, x[0] - 0.5)])
        dg = numpy.broadcast_to([4 * square * x, [1, 0]], (t, 2, 2))
        if self.wrong == "value":
            f = f + 1e-6 * (numpy.arange(t) == 3)
        if self.wrong == "gradient":
            dg = 1.01 * dg
        if self.wrong == "nan":
            df = numpy.where(numpy.arange(t)[:, None] == 4, math.nan, df)
        if self.wrong == "shape":
            g = g[:, 0]
        return (f, df, g) if self.wrong == "three" else (f, df, g, dg) if self.slopes else (f, None, g, None)


class OpaqueTalk(Conversation):
    """A problem that is asked within this process."""

    def __init__(self, cls, **parameters):
        super().__init__(cls)
        begun = self.ask(request(1, "initialize", protocol=1, game={"seed": 1, "parameters": parameters}))
        self.instance = begun["result"]["instance"]

    def result(self, method, **params):
        return self.ask(request(2, method, **params))["result"]

    def error(self, method, **params):
        with quiet():
            return self.ask(request(2, method, **params))["error"]["message"]


class TestFunction(unittest.TestCase):
    def test_rounds_at_any_point(self):
        # The fact is set, round 1 is drawn once, and forms beside functions are evaluated as well.
        talk = OpaqueTalk(Own)
        self.assertEqual(talk.instance["facts"], {"opaque": True})
        x, y, revealed = [0.25, -0.5], [0.0, 1.0], []
        for t in (1, 2, 3):
            revealed.append(talk.result("reveal", t=t, x=x))
            self.assertEqual(revealed[-1]["constraints"][1], {"form": {"const": -0.5, "lin": [1.0, 0.0]}})
        self.assertEqual(Own.last.seen, [1, 2, 3])
        for t in (1, 2, 3):
            again, other = talk.result("value", t=t, x=x), talk.result("value", t=t, x=y)
            self.assertEqual((again["loss"], again["constraints"][0]), (revealed[t - 1]["loss"], revealed[t - 1]["constraints"][0]))
            self.assertEqual(again["constraints"][1], func(-0.25, 1, 0))
            self.assertAlmostEqual(other["loss"]["value"], math.log1p(math.exp(math.cos(3 * t))))
            self.assertEqual(other["constraints"][0], func(1 - (1 + 1 / t), 0, 4))
        for t in (0, 4):
            self.assertEqual(talk.code(request(3, "value", t=t, x=x)), -32602)
            self.assertEqual(talk.code(request(3, "evaluate", rounds=[t], x=x)), -32602)
            self.assertEqual(talk.code(request(3, "evaluate", rounds=[], x=x, single=[t])), -32602)
        single = talk.result("evaluate", rounds=[], x=y, single=[3, 1])
        self.assertEqual(single, {"sums": [], "single": [talk.result("value", t=t, x=y)["constraints"] for t in (3, 1)]})

    def sums(self, talk, x, rounds):
        """Return what evaluate has to answer, from the values of each round."""
        got = [talk.result("value", t=t, x=x) for t in range(1, rounds[-1] + 1)]

        def summed(fs):
            return func(math.fsum(f["value"] for f in fs), *(math.fsum(f["subgradient"][i] for f in fs) for i in range(2)))

        def largest(fs):
            t = max(range(len(fs)), key=lambda s: fs[s]["value"])
            return {**fs[t], "round": t + 1}

        for t in rounds:
            g = [[r["constraints"][j] for r in got[:t]] for j in range(2)]
            yield {
                "loss": summed([r["loss"] for r in got[:t]]), "total": [summed(fs) for fs in g], "largest": [largest(fs) for fs in g],
                "prefix": [largest([summed(fs[:s]) for s in range(1, t + 1)]) for fs in g],
            }

    def close(self, got, want, delta=1e-11):
        if isinstance(want, dict):
            self.assertEqual(got.keys(), want.keys())
            got, want = got.values(), want.values()
        if not isinstance(want, (int, float)):
            self.assertEqual(len(got), len(want))
            for a, b in zip(got, want):
                self.close(a, b, delta)
        else:
            self.assertAlmostEqual(got, want, delta=delta)

    def test_sums_of_rounds(self):
        rounds = [1, 2, 7, 20]
        for cls in [Own] + [Batched] * (numpy is not None):
            for slopes in (True, False):
                talk = OpaqueTalk(cls, slopes=slopes)
                for t in range(1, 24):
                    talk.result("reveal", t=t, x=[0.5, 0.5])
                for x in ([0.25, -0.5], [1.0, 1.0], [-1.0, 0.0]):
                    want = list(self.sums(talk, x, rounds))
                    with self.subTest(cls=cls, slopes=slopes, x=x):
                        self.close(talk.result("evaluate", rounds=rounds, x=x)["sums"], want, 1e-11 if slopes else 1e-7)
        with unittest.mock.patch.dict(sys.modules, {"numpy": None}):
            talk = OpaqueTalk(Own)
            for t in range(1, 24):
                talk.result("reveal", t=t, x=[0.5, 0.5])
            self.assertIs(type(Own.given), list)
            self.close(talk.result("evaluate", rounds=rounds, x=x)["sums"], list(self.sums(talk, x, rounds)))

    @needs_numpy
    def test_functions_get_arrays(self):
        OpaqueTalk(Own).result("reveal", t=1, x=[0.25, -0.5])
        self.assertEqual((type(Own.given), Own.given.tolist()), (numpy.ndarray, [0.25, -0.5]))
        with self.assertRaises(ValueError):
            Own.given[0] = 1  # is read-only

    @needs_numpy
    def test_bad_batches(self):
        x = [0.25, -0.5]
        for wrong, words in [
            ("value", "the loss of round 4 has at x = [0.25, -0.5] the value"), ("gradient", "constraint 1 of round 1 has at x"),
            ("nan", "df that batch returned is nan in round 5 at x = [0.25, -0.5], expected finite numbers"),
            ("shape", "g that batch returned for 9 rounds is an ndarray of length 9, expected an array of shape (9, 2)"),
            ("three", "batch returned a tuple of length 3, expected f, df, g, dg"),
        ]:
            talk = OpaqueTalk(Batched, wrong=wrong)
            for t in range(1, 10):
                talk.result("reveal", t=t, x=x)
            with self.subTest(wrong=wrong):
                self.assertIn(words, talk.error("evaluate", rounds=[3, 9], x=x))
        self.assertIn("reveal returned a tuple of length 2, expected three values: the loss and a list of 2 constraints, and a tuple of numbers and arrays for batch",
                      OpaqueTalk(Batched, wrong="pair").error("reveal", t=1, x=x))

    def test_differences_stay_in_the_domain(self):
        # In the interior, at bounds and in corners, of a function whose gradient is known.
        def f(x):
            return math.exp(x[0] - 2 * x[1]) + math.sqrt(1 + x[1] ** 2) + x[2] ** 4

        def gradient(x):
            e = math.exp(x[0] - 2 * x[1])
            return [e, -2 * e + x[1] / math.sqrt(1 + x[1] ** 2), 4 * x[2] ** 3]

        tiny = ocobench.Box([0, 1, 2], [1e-3, 1, 2 + 1e-7])
        box, ball, simplex = ocobench.Box([-1, -2, 0], [1, 1, 30]), ocobench.Ball([1, 0, 0], 2), ocobench.Simplex(3, 2)
        for domain, points, delta in [
            (box, itertools.product([-1, 0.3, 1], [-2, 1e-7 - 2, 0, 1], [0, 1e-9, 1.0, 30]), 1e-5),
            (ball, [[1, 0, 0], [3, 0, 0], [1, 2, 0], [1, 0, -2], [1 + 2 * math.cos(1), 2 * math.sin(1), 0], [1, 2 * math.cos(1e-7), 2 * math.sin(1e-7)]], 1e-7),
            (simplex, [[2, 0, 0], [0, 0, 2], [2 / 3] * 3, [1, 1, 0], [1, 1 - 1e-8, 1e-8]], 1e-8), (tiny, [[0, 1, 2], [1e-3, 1, 2 + 5e-8]], 1e-5),
        ]:
            for x in map(list, points):
                evaluated = []

                def value(y):
                    evaluated.append(y)
                    return f(y)

                want = gradient(x)
                if domain is simplex:
                    want = [g - sum(want) / 3 for g in want]
                if domain is tiny:
                    want[1] = 0.0  # there is one value
                with self.subTest(domain=type(domain), x=x):
                    self.close(domain._slopes(x, value), want, delta * (1 + max(map(abs, want))))
                    for y in evaluated:
                        self.assertLess(math.dist(domain.project(y), y), 1e-15 * 32)

    def test_bad_functions(self):
        f, form = ocobench.Function(lambda x: 0.0, lambda x: [0, 0]), ocobench.Form(0, [0, 0])

        def late(t):
            return (f if t == 2 else form), [form]

        where = "constraint 1 of round 1 at x = [0.5, 0.25]: "
        for g, words in [
            (ocobench.Function(lambda x: math.nan), where + "its value is nan, expected a finite number"),
            (ocobench.Function(lambda x: x), where + "its value is a"), (ocobench.Function(lambda x: None), where + "its value is None, expected a number"),
            (ocobench.Function(lambda x: 0, lambda x: [0]), where + "its gradient is a list of length 1, expected 2 numbers"),
            (ocobench.Function(lambda x: 0, lambda x: 0), where + "its gradient is 0, expected 2 numbers"),
            (ocobench.Function(lambda x: 0, lambda x: [0, math.inf]), where + "its gradient is a list of length 2 with inf at index 1"),
            (ocobench.Function(lambda x: 1 / (x[0] - 0.5)), where + "ZeroDivisionError: "),
            (ocobench.Function(lambda x: math.inf if x[0] > 0.5 else 0.0), where + "near x its value is inf"),
            (lambda x: 0, "element 1 is a function, expected a Form or a Function: Function(it)"),
            (ocobench.Tangent(1, [0, 0]), "constraint 1 of round 1 is a Tangent; a problem with the fact opaque returns Forms and Functions"),
        ]:
            problem = ocobench.problem(name="bad")(type("Bad", (), {
                "domain": ocobench.Box([0, 0], [1, 1]), "__init__": lambda self, seed: None, "reveal": lambda self, t: (f, [g])}))
            with self.subTest(words=words):
                talk = OpaqueTalk(problem)
                with unittest.mock.patch.dict(sys.modules, {"numpy": None}):
                    self.assertIn(words, talk.error("reveal", t=1, x=[0.5, 0.25]))
                self.assertEqual(talk.code(request(3, "value", t=1, x=[0.5, 0.25])), -32600)  # the game is over
        for members in ({"reveal": lambda self, t: late(t)}, {"reveal": lambda self, t, x: late(t), "facts": ocobench.Facts(adaptive=True)}):
            problem = ocobench.problem(name="late")(type("Late", (), {"domain": ocobench.Box([0, 0], [1, 1]), "__init__": lambda self, seed: None, **members}))
            talk = OpaqueTalk(problem)
            self.assertNotIn("opaque", talk.instance["facts"])
            talk.result("reveal", t=1, x=[0, 0])
            self.assertIn("the loss of round 2 is a Function, expected a Form; a problem with Functions declares Facts(opaque=True)", talk.error("reveal", t=2, x=[0, 0]))
            problem.facts = ocobench.Facts(adaptive="facts" in members, opaque=True)
            talk = OpaqueTalk(problem)
            for t in (1, 2):
                revealed = talk.result("reveal", t=t, x=[0, 0])
            self.assertEqual(revealed, {"loss": func(0, 0, 0), "constraints": [{"form": {"const": 0, "lin": [0, 0]}}]})
        for value, gradient, words in [(1, None, "value is 1"), (None, None, "value is None"), (f.value, [0, 0], "gradient is a list of length 2")]:
            with self.subTest(words=words), self.assertRaisesRegex(ValueError, f"Function: {words}, expected a function of a point"):
                ocobench.Function(value, gradient)


class TestProcess(unittest.TestCase):
    def talk(self, source, *messages, newline="\n"):
        """Run a learner with these messages as its input."""
        with tempfile.TemporaryDirectory() as directory:
            file = Path(directory, "mine.py")
            file.write_bytes(textwrap.dedent(source).replace("\n", newline).encode())
            return subprocess.run(
                [sys.executable, str(file)], input="".join(json.dumps(m) + newline for m in messages).encode(),
                stdout=subprocess.PIPE, stderr=subprocess.PIPE, env={**os.environ, "PYTHONPATH": str(HERE)}, timeout=60,
            )

    noisy = """
        import os, subprocess, sys
        import ocobench

        @ocobench.learner(name="noisy")
        class Noisy:
            def __init__(self, game):
                self.x = game.domain.project([2.0, -0.5])
            def ask(self):
                print("printed")
                os.write(1, b"written\\n")
                subprocess.run(["echo", "by a child"])
                if sys.stdin.read() != "":
                    raise AssertionError("the learner reads messages")
                return self.x
            def tell(self, round):
                return 1 / (round.t - 2)

        if __name__ == "__main__":
            ocobench.main(Noisy)
        """

    def test_standard_output_has_answers_only(self):
        begin = request(1, "initialize", protocol=1, game=game())
        shutdown = {"jsonrpc": "2.0", "method": "shutdown"}
        run = self.talk(self.noisy, begin, request(2, "ask"), shutdown, request(3, "ask"))
        lines = run.stdout.decode().splitlines()
        self.assertEqual(len(lines), 2, run)
        self.assertEqual(lines[1], '{"jsonrpc":"2.0","id":2,"result":{"x":[1.0,-0.5]}}')
        for text in (b"printed", b"written", b"by a child"):
            self.assertIn(text, run.stderr)
        self.assertEqual(run.returncode, 0)

    def test_lines_of_windows(self):
        # A learner with the line breaks of Windows is told lines with them.
        begin = request(1, "initialize", protocol=1, game=game())
        run = self.talk(self.noisy, begin, request(2, "ask"), newline="\r\n")
        self.assertEqual(run.stdout.decode().split("\n")[1:], ['{"jsonrpc":"2.0","id":2,"result":{"x":[1.0,-0.5]}}', ""], run)

    def test_prints_before_main(self):
        # Where bench has started the program, nothing that it prints is among the answers, from the import
        # on; a process that it starts keeps its own output. Else a print before main is printed.
        source = """
            import os, subprocess, sys
            print("before the import")
            import ocobench
            print("after the import")
            os.write(1, b"written\\n")
            subprocess.run(["echo", "by a child"])
            sys.__stdout__.write("to the first stream\\n")
            if sys.stdin.read() != "":
                raise AssertionError("a message is read")
            code = "import ocobench; print('of a child')"
            print(subprocess.run([sys.executable, "-c", code], stdout=subprocess.PIPE, check=True).stdout)
            """
        texts = ["before the import", "after the import", "written", "by a child", "to the first stream", "b'of a child"]
        main = textwrap.dedent(self.noisy).replace("import os, subprocess, sys\nimport ocobench", "")
        begin = request(1, "initialize", protocol=1)
        with unittest.mock.patch.dict(os.environ, OCOBENCH_PROGRAM="1", PYTHONUNBUFFERED=""):
            run = self.talk(textwrap.dedent(source) + main, begin)
        self.assertEqual([json.loads(line)["id"] for line in run.stdout.splitlines()], [1], run)
        for text in texts:
            self.assertIn(text, run.stderr.decode())
        run = self.talk(source)
        self.assertEqual((sorted(run.stdout.decode().splitlines())), sorted([*texts[:5], "b'of a child\\n'"]), run)
        self.assertEqual(run.stderr, b"")

    def test_an_exception_is_an_error_with_a_traceback(self):
        run = self.talk(self.noisy, request(1, "initialize", protocol=1, game=game()), tell(2, 1, [0, 0]))
        error = json.loads(run.stdout.decode().splitlines()[1])["error"]
        self.assertEqual(error, {"code": -32603, "message": "tell returned -1.0, expected 2 numbers"})
        self.assertEqual(run.stderr, b"")
        self.assertEqual(run.returncode, 0)  # at the end of its input
        run = self.talk(self.noisy.replace("1 /", "1 / 0 +"), request(1, "initialize", protocol=1, game=game()), tell(2, 1, [0, 0]))
        self.assertIn(b"Traceback", run.stderr)
        self.assertIn(b"in tell\n    return 1 / 0", run.stderr)
        self.assertNotIn(b"ocobench.py", run.stderr)


# A bench that is a transcript: it reads the requests and writes the answers of a file.
SCRIPTED = """
import json, sys
if sys.argv[2:] != ["serve"]:
    sys.exit(f"bench was given {sys.argv[2:]}")
for line in open(sys.argv[1], encoding="utf-8"):
    expected, answer = json.loads(line)
    got = json.loads(sys.stdin.readline())
    if got != expected:
        sys.exit(f"got {got}, expected {expected}")
    if answer is None:
        sys.exit("out of memory")
    line = answer if isinstance(answer, str) else json.dumps(answer)
    sys.stdout.buffer.write((line + "\\r\\n").encode(errors="surrogateescape"))
    sys.stdout.flush()
if sys.stdin.read():
    sys.exit("more requests than the transcript has")
"""


class TestGame(unittest.TestCase):
    def scripted(self, *transcript):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        program, talk = Path(directory.name, "bench.py"), Path(directory.name, "talk.jsonl")
        program.write_text(SCRIPTED)
        opening = [
            (request(1, "initialize", protocol=1), {"program": {"version": "0.2.0"}, "protocol": 1}),
            (request(2, "new", problem="iid:dim=2", horizon=2, seed=5, replicate=3, feedback="FI"), {"game": 4, **game(horizon=2, seed=5)}),
        ]
        with open(talk, "w") as f:
            for number, (message, result) in enumerate([*opening, *transcript], 1):
                if isinstance(result, dict):
                    result = {"jsonrpc": "2.0", "id": number, **({"error": result} if "code" in result else {"result": result})}
                f.write(json.dumps([message, result]) + "\n")
        return [sys.executable, str(program), str(talk)]

    def revealed(self, t):
        return {
            "t": t, "loss": func(1, 0, -2.5, form={"lin": [0, -2.5]}), "constraints": [func(-1, 1, 0, form={"const": -1, "lin": [1, 0]})],
            "metrics": {"loss": 1, "violation_soft": 0}, "done": t == 2,
        }

    def test_transcript(self):
        outcome = {"t": 2, "metrics": {"loss": 2}, "regret": {"xmin": {"value": 0.5, "best": 1.5, "action": [0, 1], "gap": 0, "residual": 0, "empty": False}}}
        program = self.scripted(
            (request(3, "step", game=4, x=[0.5, -0.0]), self.revealed(1)),
            (request(4, "step", game=4, x=[3.0, 0.0]), {"code": -32602, "message": "the action is outside of the domain by 2"}),
            (request(5, "step", game=4, x=[1.0, 0.0]), self.revealed(2)),
            (request(6, "result", game=4), outcome),
        )
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        record = Path(directory.name, "mine-3.jsonl")
        with ocobench.Game("iid:dim=2", 2, seed=5, replicate=3, program=program, record=record) as g:
            self.assertEqual((g.dim, g.constraints, g.horizon, g.seed, g.t), (2, 1, 2, 5, 0))
            self.assertEqual(g.domain.project([2, 0]), [1.0, 0.0])
            self.assertEqual(g.facts.loss_lipschitz, 2.0)
            first = g.step([0.5, -0.0])
            self.assertEqual((first.t, first.x, first.done, first.metrics["loss"]), (1, [0.5, -0.0], False, 1.0))
            self.assertEqual(first.constraints[0].form.value([3, 0]), 2.0)
            with self.assertRaisesRegex(ocobench.Error, "outside of the domain by 2"):
                g.step((3, 0))
            self.assertEqual(g.t, 1)
            self.assertEqual(record.read_text(), '{"t":1,"x":[0.5,-0.0]}\n')  # before the game is over
            with self.assertRaisesRegex(ocobench.Error, "finite numbers"):
                g.step([math.nan, 0])
            self.assertTrue(g.step([1, 0]).done)
            self.assertEqual(g.t, 2)
            self.assertEqual(g.result(), outcome)
            process = g._process
        self.assertEqual(process.returncode, 0)
        self.assertEqual(record.read_text(), '{"t":1,"x":[0.5,-0.0]}\n{"t":2,"x":[1.0,0.0]}\n')
        with self.assertRaisesRegex(ocobench.Error, "closed"):
            g.result()

    def test_a_bench_that_ends(self):
        with ocobench.Game("iid:dim=2", 2, 5, 3, program=self.scripted((request(3, "step", game=4, x=[0.0, 0.0]), None))) as g:
            with self.assertRaisesRegex(ocobench.Error, "exit code 1: out of memory"):
                g.step([0, 0])

    def test_threads(self):
        # Rounds of several threads are played one after another.
        rounds, threads = 40, 4
        program = self.scripted(*((request(n + 2, "step", game=4, x=[0.0, 0.0]), self.revealed(n)) for n in range(1, rounds + 1)))
        record = Path(program[2]).with_name("mine.jsonl")
        played, errors = [], []

        def play(g):
            try:
                for _ in range(rounds // threads):
                    played.append(g.step([0, 0]).t)
            except Exception as e:
                errors.append(e)

        with ocobench.Game("iid:dim=2", 2, 5, 3, program=program, record=record) as g:
            players = [threading.Thread(target=play, args=[g], daemon=True) for _ in range(threads)]
            for player in players:
                player.start()
            for player in players:
                player.join(60)  # so that a game that hangs fails here
            self.assertEqual((errors, sorted(played), g.t), ([], list(range(1, rounds + 1)), rounds))
        recorded = [json.loads(line)["t"] for line in record.read_text().splitlines()]
        self.assertEqual(recorded, list(range(1, rounds + 1)))

    def test_an_interrupted_call(self):
        # Its answer is of no other call.
        with ocobench.Game("iid:dim=2", 2, 5, 3, program=self.scripted((request(3, "step", game=4, x=[0.0, 0.0]), self.revealed(1)))) as g:
            out = g._process.stdout
            with unittest.mock.patch.object(g._process, "stdout") as interrupted:
                interrupted.readline.side_effect = KeyboardInterrupt
                with self.assertRaises(KeyboardInterrupt):
                    g.step([0, 0])
            out.readline()
            with self.assertRaisesRegex(ocobench.Error, "^an earlier call was interrupted; the game cannot go on$"):
                g.result()

    def test_bad_answers(self):
        step = request(3, "step", game=4, x=[0.0, 0.0])
        for answer in ["hello", "[]", "7", "[" * 100_000, "\udcff", '{"id":3}', '{"id":2,"result":{}}', '{"id":3,"result":7}',
                       '{"id":3,"result":{"t":1}}', '{"id":3,"error":"no"}', '{"id":3,"result":{"t":1,"loss":[],"constraints":{}}}']:
            with self.subTest(answer=answer[:40]), ocobench.Game("iid:dim=2", 2, 5, 3, program=self.scripted((step, answer))) as g:
                with self.assertRaisesRegex(ocobench.Error, "^step is answered by b'"):
                    g.step([0, 0])
                with self.assertRaisesRegex(ocobench.Error, "did not answer step as it should; the game cannot go on"):
                    g.step([0, 0])
        with self.assertRaisesRegex(ocobench.Error, "^initialize is answered by b'hello"):
            ocobench.Game("iid", 2, program=[sys.executable, "-c", "print('hello')"])

    def test_bad_arguments(self):
        step = request(3, "step", game=4, x=[0.0, 0.0])
        with ocobench.Game("iid:dim=2", 2, 5, 3, program=self.scripted((step, self.revealed(1)))) as g:
            for x in [None, 7, "ab", [[0], [0]], [None, 0], {"a": 1}, {0: 0, 1: 1}, [10**400, 0], [math.nan, 0], [0]]:
                with self.subTest(x=x), self.assertRaisesRegex(ocobench.Error, "^step: x is .*, expected (2|finite) numbers$"):
                    g.step(x)
            self.assertEqual(g.step([0, 0]).t, 1)  # none of them was played
        for problem in ["\ud800", object()]:
            with self.assertRaisesRegex(ocobench.Error, "^new: "):
                ocobench.Game(problem, 2, program=self.scripted())
        for program in ['"bench', "", [], 7, "bench\0", ["bench", 7]]:
            for call in (lambda: ocobench.Game("iid", 2, program=program), lambda: ocobench.results(program=program), lambda: ocobench.run("rates", program=program)):
                with self.subTest(program=program), self.assertRaises(ocobench.Error):
                    call()
        with self.assertRaises(ocobench.Error):
            ocobench.Game("iid", 2, program=self.scripted(), external={"mine": "\ud800"})

    def test_records_that_cannot_be_written(self):
        step = request(3, "step", game=4, x=[0.0, 0.0])
        arguments = {"problem": "iid:dim=2", "horizon": 2, "seed": 5, "replicate": 3}
        with self.assertRaisesRegex(ocobench.Error, "^record: .*no such file|^record: .*No such file"):
            ocobench.Game(**arguments, program=self.scripted(), record="no-such-directory/mine.jsonl")
        if os.path.exists("/dev/full"):
            with ocobench.Game(**arguments, program=self.scripted((step, self.revealed(1))), record="/dev/full") as g:
                for message in ("^record: .*No space left", "^the record cannot be written; the game cannot go on$"):
                    with self.assertRaisesRegex(ocobench.Error, message):
                        g.step([0, 0])

    def test_what_run_is_given(self):
        # A bench that fails, and what is written for it.
        bench = [sys.executable, "-c", "import sys; sys.exit(sys.argv[2] + ': ' + ascii(open(sys.argv[2]).read()))"]
        with self.assertRaisesRegex(ocobench.Error, '(?s)^bench run: exit code 1: .*notebook.yaml: .*"a/b"'):
            ocobench.run({"name": "a/b"}, program=bench, quiet=True)
        with self.assertRaisesRegex(ocobench.Error, "exit code 1"):
            ocobench.run("nowhere.yaml", program=bench, quiet=True, external=None, actions=None)
        for member, words in [
            ({"horizon": object()}, "horizon is an object"), ({"horizon": math.nan}, "horizon is nan, expected a finite number"), ({"horizon": datetime.date(2020, 1, 1)}, "horizon is a date"),
            ({"algorithms": [{"use": "ogd", "step": {0.1, 1}}]}, "algorithms[0]: step is a set of length 2"), ({"algorithms": [{1: 2}]}, "algorithms[0] has the key 1, expected a text"),
            ({"problems": b"iid"}, "problems is the bytes b'iid'"), ({"horizon": 1j}, "horizon is 1j"), ({"horizon": itertools.count()}, "horizon is a count of more than"),
        ]:
            with self.subTest(member=member), self.assertRaisesRegex(ocobench.Error, "^run: experiment: " + re.escape(words)):
                ocobench.run({"name": "a", **member}, program=bench, quiet=True)
        for flags, words in [
            ({"external": "mine=python3 mine.py"}, "external is the text 'mine=python3 mine.py', expected a dict"), ({"external": {"mine": ["python3", "mine.py"]}}, "external: 'mine' is a list of length 2, expected a command"),
            ({"actions": {"mine": None}}, "actions: 'mine' is None, expected a file"), ({"horizon": {"a": 1}}, "run: horizon is a dict"), ({"horizon": datetime.date(2020, 1, 1)}, "run: horizon is a date"),
            ({"horizon": [10, None, object()]}, r"run: horizon\[2\] is an object"),
        ]:
            with self.subTest(flags=flags), self.assertRaisesRegex(ocobench.Error, words):
                ocobench.run("rates", program=bench, quiet=True, **flags)

    def test_experiments_are_written_as_numbers(self):
        bench = [sys.executable, "-c", "import sys; sys.exit(open(sys.argv[2]).read() + ascii(sys.argv[7:]))"]
        experiment = {"horizon": 1e4, "algorithms": ({"use": "ogd", "step": v} for v in (range(2), [0.5, 2.0], (10.0**k for k in (-1, 0)), -0.0, 1e300)), "problems": [{"use": "trace", "file": Path("a.jsonl")}], "seed": 2**60}
        with self.assertRaises(ocobench.Error) as caught:
            ocobench.run(experiment, program=bench, quiet=True, horizon=range(10, 30, 10), replicates=2.0, bounds=True, fresh=False)
        self.assertIn('{"name": "notebook", "horizon": 10000, "algorithms": [{"use": "ogd", "step": [0, 1]}, {"use": "ogd", "step": [0.5, 2]}, {"use": "ogd", "step": [0.1, 1]}, {"use": "ogd", "step": -0.0}, {"use": "ogd", "step": 1e+300}], "problems": [{"use": "trace", "file": "a.jsonl"}], "seed": 1152921504606846976}'
                      "['--horizon=10,20', '--replicates=2', '--bounds']", str(caught.exception))

    def test_a_terminal_that_is_not_utf_8(self):
        bench = [sys.executable, "-c", "import sys; sys.stderr.buffer.write('é≤\\n'.encode()); sys.exit(2)"]
        narrow = io.TextIOWrapper(io.BytesIO(), "ascii")
        with unittest.mock.patch.object(sys, "stderr", narrow), self.assertRaisesRegex(ocobench.Error, "exit code 2: é≤"):
            ocobench.run("rates", program=bench)
        narrow.seek(0)
        self.assertEqual(narrow.read().strip(), "\\xe9\\u2264")

    def test_no_bench(self):
        with self.assertRaisesRegex(ocobench.Error, "/no/bench does not start"):
            ocobench.Game("iid", 2, program="/no/bench")
        with self.assertRaisesRegex(ocobench.Error, "/no/bench does not start"):
            ocobench.results(program="/no/bench")
        with self.assertRaisesRegex(ocobench.Error, "/no/bench does not start"):
            ocobench.run("frequency", program="/no/bench")


# A twin of the problem alternating of ocobench.
ALTERNATING = """
import ocobench

@ocobench.problem(name="twin")
class Alternating:
    def __init__(self, seed: int, *, swing: float = 2):
        self.swing, self.domain, self.facts = swing, ocobench.Box([0], [1]), ocobench.Facts(
            loss_lipschitz=1 + swing, constraint_lipschitz=1, loss_range=1 + swing, constraint_bound=1,
            feasible=True, affine=True, perturbed=True, deterministic=True, known_optimum=True)

    def reveal(self, t):
        sign = 1 if t % 2 else -1
        return ocobench.Form(0, [-(1 + sign * self.swing)]), [ocobench.Form(-1 if t % 2 else 0, [1])]

ocobench.main(Alternating)
"""


# A learner that fails after a round.
FAILING = """
import ocobench

@ocobench.learner(name="failing", anytime=True)
class Failing:
    def __init__(self, game: ocobench.Setup, *, last: int = 3):
        self.x, self.last = game.domain.project([0.0] * game.dim), last

    def ask(self):
        return self.x

    def tell(self, round):
        if round.t > self.last:
            raise RuntimeError("enough")

ocobench.main(Failing)
"""


@unittest.skipIf(BENCH is None, "the environment variable OCOBENCH is not set")
class TestBench(unittest.TestCase):
    def test_results(self):
        with tempfile.TemporaryDirectory() as directory:
            experiment, store = Path(directory, "tiny.yaml"), os.path.join(directory, "store")
            experiment.write_text(
                "name: tiny\nhorizon: 20\nreplicates: 2\nseed: 1\n"
                "problems: [{use: conflicting}]\nalgorithms: [{use: ogd}, {use: primal-dual, step: 2}]\n")
            subprocess.run(
                [BENCH, "run", str(experiment), "--store", store, "--out", os.path.join(directory, "out")],
                check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            records = ocobench.results(store, program=BENCH)
        self.assertEqual(set(records[0]), {"experiment", "algorithm", "problem", "replicate", "horizon", "t", "metric", "value"})
        self.assertEqual({r["algorithm"] for r in records}, {"ogd", "primal-dual:step=2"})
        self.assertEqual({r["replicate"] for r in records}, {1, 2})
        self.assertEqual({r["experiment"] for r in records}, {"tiny"})
        self.assertEqual({type(r["value"]) for r in records}, {float})
        loss, = [r["value"] for r in records if (r["algorithm"], r["replicate"], r["t"], r["metric"]) == ("ogd", 2, 20, "loss")]
        played = subprocess.run(
            [BENCH, "play", "--algorithm", "ogd", "--problem", "conflicting", "--horizon", "20", "--replicate", "2"],
            check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout.splitlines()
        self.assertAlmostEqual(loss, sum(json.loads(line)["loss"]["value"] for line in played[1:]), places=9)

    def test_game(self):
        played = subprocess.run(
            [BENCH, "play", "--algorithm", "ogd", "--problem", "iid:dim=3,constraints=2", "--horizon", "20", "--seed", "4", "--replicate", "2"],
            check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout.splitlines()
        total = 0.0
        with ocobench.Game("iid:dim=3,constraints=2", 20, seed=4, replicate=2, program=BENCH) as g:
            self.assertEqual((g.dim, g.constraints, g.horizon), (3, 2, 20))
            for line in map(json.loads, played[1:]):
                with self.assertRaises(ocobench.Error):
                    g.step([2, 0, 0])
                round = g.step(line["x"])
                self.assertEqual((round.t, round.done), (line["t"], line["t"] == 20))
                for ours, theirs in zip([round.loss, *round.constraints], [line["loss"], *line["constraints"]]):
                    self.assertEqual(ours.value, theirs["value"])
                    self.assertEqual(ours.subgradient, theirs["form"]["lin"])
                    self.assertAlmostEqual(ours.form.value(round.x), ours.value)
                total += round.loss.value
                self.assertAlmostEqual(round.metrics["loss"], total)
            result = g.result()
            with self.assertRaises(ocobench.Error):
                g.step([0, 0, 0])
        self.assertEqual(result["t"], 20)
        self.assertAlmostEqual(result["metrics"]["loss"], total)
        best = result["regret"]["xmax"]
        self.assertAlmostEqual(best["value"], total - best["best"])
        with self.assertRaisesRegex(ocobench.Error, "nosuch"):
            ocobench.Game("nosuch", 20, program=BENCH)

    def test_terms_of_a_game(self):
        for problem in ["portfolio:dim=3", "logistic:dim=4,nonzeros=3", "fog-offloading:nodes=3", "regression:dim=3", "fixed:kind=norm,curvature=1",
                        "job-scheduling:servers=4,zones=2", "iid:dim=3,constraints=2,combine=max"]:
            with ocobench.Game(problem, 5, program=BENCH, terms=True) as g:
                x = g.domain.project([0.3] * g.dim)
                for _ in range(5):
                    round = g.step(x)
                    for f in [round.loss, *round.constraints]:
                        self.assertFalse(f.form.opaque)
                        self.assertAlmostEqual(f.form.value(x), f.value, delta=1e-9 * (1 + abs(f.value)))
                        for a, b in zip(f.form.gradient(x), f.subgradient):
                            self.assertAlmostEqual(a, b, delta=1e-9 * (1 + abs(b)))

    def test_a_problem_with_terms(self):
        wealth = f"wealth={sys.executable} {HERE / 'examples/wealth.py'}"
        laws = subprocess.run([BENCH, "conform", "wealth", "--external", wealth], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.assertIn(b" 0 broken", laws.stdout, laws.stderr)
        played = subprocess.run(
            [BENCH, "play", "--problem", "wealth", "--external", wealth, "--algorithm", "penalised-ftrl", "--horizon", "20"],
            check=True, stdout=subprocess.PIPE).stdout
        self.assertEqual((played.count(b'"neglog"'), played.count(b'"halfsquares"'), played.count(b"opaque")), (20, 1, 0))
        with tempfile.TemporaryDirectory() as directory:
            Path(directory, "rounds.jsonl").write_bytes(played)
            again = subprocess.run(
                [BENCH, "play", "--problem", f"trace:file={directory}/rounds.jsonl", "--algorithm", "penalised-ftrl", "--horizon", "20"],
                check=True, stdout=subprocess.PIPE).stdout
        self.assertEqual(again.splitlines()[1:], played.splitlines()[1:])

    def test_recorded_actions(self):
        """What a game records is played by bench, to the last bit."""
        with tempfile.TemporaryDirectory() as directory:
            results = {}
            for replicate in (1, 2):
                record = os.path.join(directory, f"mine-{replicate}.jsonl")
                with ocobench.Game("iid:dim=3", 30, replicate=replicate, program=BENCH, record=record) as g:
                    x = [0.0, -0.0, 0.1]
                    while g.t < g.horizon:
                        with self.assertRaises(ocobench.Error):
                            g.step([2, 0, 0])  # which is not recorded
                        step = 0.3 / math.sqrt(g.t + 1)
                        x = g.domain.project([v - step * d for v, d in zip(x, g.step(x).loss.subgradient)])
                    results[replicate] = g.result()
                scored = json.loads(subprocess.run(
                    [BENCH, "score", record, "--problem", "iid:dim=3", "--replicate", str(replicate), "--json"],
                    check=True, stdout=subprocess.PIPE).stdout)
                for key in ("t", "metrics"):
                    self.assertEqual(scored[key], results[replicate][key])
            self.assertNotEqual(results[1]["metrics"], results[2]["metrics"])
            experiment, store = Path(directory, "recorded.yaml"), os.path.join(directory, "store")
            experiment.write_text(
                "name: recorded\nhorizon: 30\nreplicates: 2\nproblems: [{use: iid, dim: 3}]\nalgorithms: [{use: mine}, {use: ogd}]\n")
            subprocess.run(
                [BENCH, "run", str(experiment), "--store", store, "--out", os.path.join(directory, "out"),
                 "--actions", "mine=" + os.path.join(directory, "mine-%d.jsonl")],
                check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            last = {
                (r["replicate"], r["metric"]): r["value"]
                for r in ocobench.results(store, program=BENCH) if r["algorithm"] == "mine" and r["t"] == 30}
        for replicate in (1, 2):
            for metric in ("loss", "violation_soft", "violation_hard"):
                self.assertEqual(last[replicate, metric], results[replicate]["metrics"][metric])
            self.assertAlmostEqual(last[replicate, "regret_xmax"], results[replicate]["regret"]["xmax"]["value"])

    def test_no_place_for_the_record(self):
        with tempfile.TemporaryDirectory() as directory, self.assertRaisesRegex(ocobench.Error, "^record: "):
            ocobench.Game("iid", 2, program=BENCH, record=directory)

    # The rounds of a game against a problem in Python are those against the problem
    # of the registry that it is written after: the lines are the same, the first
    # one, which names the two, up to that.
    def test_problems(self):
        with tempfile.TemporaryDirectory() as directory:
            files = {"mannor": HERE / "examples/mannor.py", "alternating": Path(directory, "alternating.py")}
            files["alternating"].write_text(ALTERNATING, encoding="utf-8")
            for problem, algorithm, horizon in [
                ("mannor", "ogd", 300), ("mannor:threshold=0.6", "penalised-ftrl", 300), ("alternating", "primal-dual", 50),
                ("alternating:swing=0.5", "ogd", 50),
            ]:
                name, _, parameters = problem.partition(":")
                with self.subTest(problem=problem):
                    play = [BENCH, "play", "--algorithm", algorithm, "--horizon", str(horizon), "--problem"]
                    theirs, ours = [
                        subprocess.run(
                            [*play, *words], check=True, stdout=subprocess.PIPE, env={**os.environ, "PYTHONPATH": str(HERE)},
                        ).stdout.splitlines()
                        for words in ([problem], ["mine:" + parameters if parameters else "mine", "--external", f"mine={sys.executable} {files[name]}"])
                    ]
                    self.assertEqual(len(theirs), horizon + 1)
                    self.assertEqual(theirs[1:], ours[1:])
                    for member in ("domain", "constraints"):
                        self.assertEqual(json.loads(theirs[0])[member], json.loads(ours[0])[member])

    def test_a_game_against_a_problem_in_python(self):
        mannor = f"{sys.executable} {HERE / 'examples/mannor.py'}"
        with ocobench.Game("mannor", 9, program=BENCH) as theirs, ocobench.Game("mine", 9, external={"mine": mannor}, program=BENCH) as ours:
            self.assertEqual(ours.facts, theirs.facts)
            for t in range(1, 10):
                x = [1 / t]
                a, b = theirs.step(x), ours.step(x)
                self.assertEqual((a.loss.value, a.constraints[0].subgradient, a.metrics), (b.loss.value, b.constraints[0].subgradient, b.metrics))
            self.assertEqual(ours.result(), theirs.result())

    def test_run(self):
        with tempfile.TemporaryDirectory() as directory:
            learner = Path(directory, "mine.py")
            learner.write_text(FAILING)
            experiment = {
                "name": "first", "horizon": 20, "replicates": 2, "problems": [{"use": "iid"}],
                "algorithms": [{"use": "mine", "last": [3, 20]}, {"use": "ogd"}]}
            store, out = os.path.join(directory, "store"), Path(directory, "out")
            arguments = {"store": store, "external": {"mine": f"python3 {learner}"}, "program": BENCH, "quiet": True}
            os.environ["PYTHONPATH"] = str(HERE)
            try:
                with self.assertWarnsRegex(UserWarning, "2 cells failed, .*: first: mine:last=3 on iid"):
                    a = ocobench.run(experiment, **arguments)
                with self.assertRaisesRegex(ocobench.Error, "exit code 2: .*first.yaml:1:.*unknown problem"):
                    ocobench.run({**experiment, "problems": [{"use": "nosuch"}]}, **arguments)
            finally:
                del os.environ["PYTHONPATH"]
            self.assertEqual([e["spec"] for e in a["algorithms"]], ["mine:last=3", "mine:last=20", "ogd"])
            self.assertEqual(repr(a), "<ocobench.Analysis of first: 3 algorithms on 1 problems, 2 failed>")
            self.assertIn("first", a.output)
            shown = str(a)
            self.assertTrue(shown.startswith("Who keeps both regret and violation at √t on iid? T = 20\n"), shown)
            self.assertIn("│ ogd ", shown)
            self.assertIn("\nFailed: ", shown)
            self.assertNotIn("\n\n", shown)
            self.assertEqual(len(a.failed), 2)
            self.assertIn('&lt;head&gt;&lt;base href=&quot;about:srcdoc&quot;&gt;', a._repr_html_())
            with self.assertWarnsRegex(UserWarning, "2 cells failed or are missing"):
                records = ocobench.results(store, experiment="first", program=BENCH)
            self.assertEqual(records.failed, a.failed)
            self.assertEqual({(r["algorithm"], r["replicate"]) for r in records}, {("mine:last=20", 1), ("mine:last=20", 2), ("ogd", 1), ("ogd", 2)})
            # a file, flags, and what stays; no cell is missing
            file = Path(directory, "second.yaml")
            file.write_text("name: second\nhorizon: 20\nproblems: [{use: iid}]\nalgorithms: [{use: ogd}]\n")
            b = ocobench.run(file, store=store, out=out, program=BENCH, quiet=True, horizon=[10, 20], replicates=2, bounds=True)
            self.assertEqual((b.name, b["experiment"]["horizon"], b.failed), ("second", [10, 20], []))
            self.assertEqual(b.page, (out / "index.html").read_text(encoding="utf-8"))
            self.assertEqual({r["experiment"] for r in b.results()}, {"second"})
            self.assertEqual(b.results().failed, [])

    def test_arrays(self):
        experiment = {
            "name": "arrays", "horizon": [20, 50], "replicates": 4, "metrics": ["violation_ccv", "state_multiplier"],
            "problems": [{"use": "iid", "dim": 3}], "algorithms": [{"use": "primal-dual"}, {"use": "ogd", "label": "descent"}]}
        with tempfile.TemporaryDirectory() as directory:
            a = ocobench.run(experiment, store=os.path.join(directory, "store"), program=BENCH, quiet=True)
            curves, single = a.arrays("violation_ccv"), a.arrays("state_multiplier")
            with unittest.mock.patch.dict(sys.modules, {"numpy": None}):
                lists = a.arrays("violation_ccv", quantiles=[0, 1])
            records = ocobench.results(a.store, experiment="arrays", metric="violation_ccv", program=BENCH)
            with self.assertRaisesRegex(ocobench.Error, "arrays has no metric 'violation_cvv', expected one of loss, "):
                a.arrays("violation_cvv")
            with self.assertRaisesRegex(ocobench.Error, "numbers between 0 and 1"):
                a.arrays("violation_ccv", [50])
        self.assertEqual([(c.algorithm, c.problem, c.title) for c in curves], [("primal-dual", "iid:dim=3", "primal-dual"), ("ogd", "iid:dim=3", "descent")])
        self.assertEqual([c.algorithm for c in single], ["primal-dual"])  # the others show nothing
        self.assertEqual({r["metric"] for r in records}, {"violation_ccv"})
        for c, plain in zip(curves, lists):
            finals = sorted(r["value"] for r in records if (r["algorithm"], r["t"], r["horizon"]) == (c.algorithm, 50, 50))
            mean = sum(finals) / 4
            self.assertEqual((len(finals), c.t[-1], len(c.values), len(c.values[0])), (4, 50, 4, len(c.t)))
            self.assertAlmostEqual(c.mean[-1], mean)
            self.assertAlmostEqual(c.std[-1], math.sqrt(sum((v - mean)**2 for v in finals) / 3))
            for q, want in [(0.1, finals[0] + 0.3 * (finals[1] - finals[0])), (0.5, (finals[1] + finals[2]) / 2), (0.9, finals[2] + 0.7 * (finals[3] - finals[2]))]:
                self.assertAlmostEqual(c.quantiles[q][-1], want)
            self.assertTrue(c.lower[-1] < mean < c.upper[-1])
            self.assertEqual((type(plain.mean), plain.mean), (list, list(c.mean)))
            self.assertEqual([plain.quantiles[q][-1] for q in (0, 1)], [finals[0], finals[3]])

    def test_no_store(self):
        with self.assertRaisesRegex(ocobench.Error, "exit code 2: .*no-such-store"):
            ocobench.results("no-such-store", program=BENCH)


class TestWriteRounds(unittest.TestCase):
    domain = ocobench.Box([0, 0], [1, 1])

    def setUp(self):
        self.directory = tempfile.TemporaryDirectory()
        self.addCleanup(self.directory.cleanup)
        self.file = os.path.join(self.directory.name, "rounds.jsonl")

    def written(self, **arguments):
        self.assertEqual(ocobench.write_rounds(self.file, **{"domain": self.domain, **arguments}), self.file)
        self.assertEqual(os.listdir(self.directory.name), ["rounds.jsonl"])
        return [json.loads(line) for line in Path(self.file).read_text(encoding="utf-8").splitlines()]

    def test_what_is_written(self):
        losses = [[1, 2], [3, 4]]
        form = lambda const, *lin: {"form": {"const": const, "lin": list(lin)}}
        f, g = ocobench.Form(-1, [1, 0]), ocobench.Form(0, [0, 0], terms=[(1, ocobench.HalfSquares([[1, 1]], [0]))])
        shared = ocobench.Form(-1, [0, 0], terms=[(1, ocobench.Shared(f))])
        for name, constraints, want in [
            ("one right-hand side", (losses, 0.5), [[form(-0.5, 1, 2)], [form(-0.5, 3, 4)]]),
            ("one for each round", (losses, (b for b in (0.5, 1))), [[form(-0.5, 1, 2)], [form(-1, 3, 4)]]),
            ("two constraints", ([[[1, 2], [0, 1]], [[3, 4], [1, 0]]], [[5, 6], [7, 8]]), [[form(-5, 1, 2), form(-6, 0, 1)], [form(-7, 3, 4), form(-8, 1, 0)]]),
            ("one for each constraint", ([[[1, 2], [0, 1]], [[3, 4], [1, 0]]], [5, 6]), [[form(-5, 1, 2), form(-6, 0, 1)], [form(-5, 3, 4), form(-6, 1, 0)]]),
            ("a form for each round", [f, g], [[form(-1, 1, 0)], [{"form": {"const": 0, "terms": [{"of": {"halfsquares": {"rows": [[1, 1]], "y": [0]}}}]}}]]),
            ("forms in a tuple", (f, f), [[form(-1, 1, 0)]] * 2), ("lists of forms in a tuple", ([f], [f]), [[form(-1, 1, 0)]] * 2),
            ("lists of forms", [[f, f], [f, f]], [[form(-1, 1, 0)] * 2] * 2), ("none", None, [[form(-1, 0, 0)]] * 2),
            ("shared", [shared, shared], [[{"form": {"const": -1, "terms": [{"of": "f1"}]}}]] * 2),
        ]:
            with self.subTest(name):
                head, *rounds = self.written(losses=losses, constraints=constraints, facts=ocobench.Facts(iid=True))
                functions = {"functions": {"f1": form(-1, 1, 0)["form"]}} if name == "shared" else {}
                self.assertEqual(head, {"domain": self.domain._message(), "constraints": len(want[0]), "facts": {"iid": True}, **functions})
                self.assertEqual([r["t"] for r in rounds], [1, 2])
                self.assertEqual([r["constraints"] for r in rounds], want)
                self.assertEqual([r["loss"] for r in rounds], [form(0, 1, 2), form(0, 3, 4)])

    def test_gzipped(self):
        plain = ocobench.write_rounds(self.file, domain=self.domain, losses=[[1, 2]])
        zipped = ocobench.write_rounds(self.file + ".gz", domain=self.domain, losses=[[1, 2]])
        with gzip.open(zipped) as file:
            self.assertEqual(file.read(), Path(plain).read_bytes())

    def test_refusals(self):
        a, f = [[1, 2], [3, 4]], ocobench.Form(0, [1, 1])
        Path(self.file).write_text("as before", encoding="utf-8")
        for arguments, words in [
            ({"losses": [[1, 2], [3, math.nan]]}, "losses: row 2, column 2 is nan, expected a finite number"), ({"losses": [[1, "2"], [3, 4]]}, "losses: row 1, column 2 is the text '2'"),
            ({"losses": [[1, 2], [3, None]]}, "losses: row 2, column 2 is None"), ({"losses": [[1, 2], [3, 10**400]]}, "losses: row 2, column 2 is 1000"), ({"losses": [[1, 2], [3, True]]}, "column 2 is True"),
            ({"losses": [[1, 2], [3]]}, "row 2 of losses has 1 number, expected 2"), ({"losses": [1, 2]}, "row 1 of losses is 1, expected 2 numbers"), ({"losses": []}, "losses is a list of length 0"),
            ({"losses": {"a": [1, 2]}}, "losses is a dict"), ({"losses": "rounds.csv"}, "losses is the text"), ({"losses": f}, "losses is a Form"), ({"losses": [f, 1]}, "losses is a list whose element 2 is 1"),
            ({"losses": [f, ocobench.Form(0, [1])]}, "round 2: lin of a form is a list of length 1, expected 2 numbers"), ({"losses": [[f, f], [f, f]]}, "row 1, column 1 is a Form"),
            ({"constraints": (a[:1], 1)}, "A of constraints is a list of shape (1, 2), expected 2 rows"), ({"constraints": (a, [1])}, "b of constraints is a list of length 1, expected 2 rows"),
            ({"constraints": (a, math.inf)}, "b of constraints is inf"), ({"constraints": (a, [1, math.nan])}, "b of constraints: row 2, column 1 is nan"), ({"constraints": (a, None)}, "b of constraints is None"),
            ({"constraints": ([[1], [2]], 1)}, "row 1 of A of constraints has 1 number, expected 2"), ({"constraints": ([[[1, 2]], [[1, 2], [3, 4]]], 1)}, "A of round 2 has 2 rows, expected 1"),
            ({"constraints": ([[[1, 2]], [[1, math.nan]]], 1)}, "A of round 2: row 1, column 2 is nan"), ({"constraints": ([[[1, 2]] * 2] * 2, [1, 1, 1])}, "b of constraints has 3 numbers for 2 constraints, expected T×m numbers, 2 numbers"),
            ({"constraints": a}, "element 1 of constraints is a list whose element 1 is 1, expected a Form"), ({"constraints": [f]}, "constraints is a list of length 1, expected one element for each of 2 rounds, or a pair (A, b)"),
            ({"constraints": f}, "constraints is a Form, expected a pair (A, b)"), ({"constraints": [[f], [f, f]]}, "element 2 of constraints is a list of length 2"), ({"constraints": [[], []]}, "element 1 of constraints is empty"), ({"constraints": "A"}, "constraints is the text"),
            ({"domain": "simplex"}, "domain is the text 'simplex'"), ({"domain": ocobench.Simplex}, "domain is the class Simplex"), ({"domain": ocobench.Simplex(3)}, "row 1 of losses has 2 numbers, expected 3"),
            ({"facts": {"iid": True}}, "facts is a dict"), ({"facts": ocobench.Facts(iid="yes")}, "iid is the text 'yes'"),
        ]:
            with self.subTest(words), self.assertRaisesRegex(ocobench.Error, "^write_rounds: .*" + re.escape(words)):
                ocobench.write_rounds(self.file, **{"domain": self.domain, "losses": a, "constraints": (a, 1), **arguments})
        for path, words in [(os.path.join(self.directory.name, "no", "x"), "No such file"), (self.directory.name, "no regular file"), (7, "TypeError")]:
            with self.subTest(path), self.assertRaisesRegex(ocobench.Error, words):
                ocobench.write_rounds(path, domain=self.domain, losses=a, constraints=(a, 1))
        self.assertEqual(os.listdir(self.directory.name), ["rounds.jsonl"])
        self.assertEqual(Path(self.file).read_text(encoding="utf-8"), "as before")

    @unittest.skipIf(BENCH is None, "the environment variable OCOBENCH is not set")
    def test_the_game_is_that_of_an_import(self):
        # The portfolio of examples/returns.csv: percent, and a squared return of at most (0.75/√2)² percent².
        imported = os.path.join(self.directory.name, "imported.jsonl")
        source = HERE / "../../examples/returns.csv"
        subprocess.run([BENCH, "import", "portfolio", source, "--ignore", "day", "--out", imported], check=True, stderr=subprocess.DEVNULL)
        returns = [list(map(float, line.split(",")[1:])) for line in source.read_text(encoding="utf-8").splitlines()[1:]]
        with open(imported, encoding="utf-8") as f:
            first = [json.loads(line) for line in itertools.islice(f, 2)][1]
        price, scale = (f["form"]["terms"][0]["scale"] for f in (first["loss"], first["constraints"][0]))
        ocobench.write_rounds(
            self.file, domain=ocobench.Simplex(4, 1), losses=[ocobench.Form(0, [0] * 4, terms=[(price, ocobench.Linear(row))]) for row in returns],
            constraints=[ocobench.Form(-1, [0] * 4, terms=[(scale, ocobench.HalfSquares([row], [0]))]) for row in returns])
        games = [subprocess.run([BENCH, "play", "--algorithm", "penalised-ftrl", "--problem", f"trace:file={file}", "--horizon", "120"], check=True, stdout=subprocess.PIPE).stdout
                 for file in (imported, self.file)]
        (_, *theirs), (_, *ours) = ([json.loads(line) for line in game.splitlines()] for game in games)
        self.assertEqual(len(ours), 120)
        for a, b in zip(theirs, ours):
            self.assertEqual((a["x"], a["loss"]["value"], a["constraints"][0]["value"]), (b["x"], b["loss"]["value"], b["constraints"][0]["value"]))


@unittest.skipIf(importlib.util.find_spec("pandas") is None, "no pandas: install Debian's python3-pandas")
class TestFrames(unittest.TestCase):
    """What comes from numpy and pandas."""

    @classmethod
    def setUpClass(cls):
        global np, pd
        import numpy as np
        import pandas as pd

    def test_actions(self):
        for make in (lambda: np.array([0.25, 1]), lambda: np.array([0.25, 1], np.float32), lambda: pd.Series([0.25, 1], index=["b", "a"]), lambda: [np.float64(0.25), np.array(1)],
                     lambda: pd.Series([0.25, 1], dtype="category"), lambda: np.array([0.25, 1], object), lambda: iter(np.array([0.25, 1])), lambda: pd.Index([0.25, 1])):
            x = make()
            with self.subTest(x=x):
                self.assertEqual(ocobench._action(x, "ask returned", 2), '{"x":[0.25,1.0]}')
        for x, came in [
            (pd.DataFrame([[0.25, -0.5]]), "a DataFrame (1 × 2)"), (pd.DataFrame([[0.25], [-0.5]]), "a DataFrame (2 × 1)"), (np.array([[0.25], [-0.5]]), "an ndarray (2 × 1)"),
            (np.array(0.5), "an ndarray without a dimension"), (np.float64(0.5), "0.5"), (np.array(["0", "1"]), "an ndarray of length 2 of dtype <U1"), (np.array([True, False]), "an ndarray of length 2 of dtype bool"),
            (np.array([0, 1j]), "an ndarray of length 2 of dtype complex128"), (np.array(["2020-01-01", "2020-01-02"], "datetime64[ns]"), "an ndarray of length 2 of dtype datetime64[ns]"),
            (pd.Series(pd.to_datetime(["2020-01-01", "2020-01-02"])), "a Series of length 2 of dtype datetime64[ns]"), (pd.Series([1, None], dtype="Int64"), "a Series of length 2 with a NAType at index 1"),
            ([pd.Timestamp("2020-01-01"), 0], "a list of length 2 with a Timestamp at index 0"), ([0, np.datetime64("2020-01-01")], "a list of length 2 with a datetime64 without a dimension of dtype datetime64[D] at index 1"),
            ([0, pd.NaT], "a list of length 2 with"), (np.ma.masked_array([0, 1], [False, True]), "a MaskedArray of length 2 with None at index 1"), (np.array([0, np.nan]), "an ndarray of length 2 with nan at index 1"),
            ([np.array([0.25]), np.array([-0.5])], "a list of shape (2, 1)"), ([np.bool_(True), 0], "a list of length 2 with a bool"), (pd.Series([1, 2, 3]), "a Series of length 3"), (pd.Series(["1", "2"]), "a Series of length 2 with the text '1' at index 0"),
            (np.array([1, 2], [("a", float)]), "an ndarray of length 2 of dtype"), (pd.Series([0.25, 1]).items(), "a list of shape (2, 2)"),
        ]:
            with self.subTest(x=x), self.assertRaisesRegex(ValueError, f"^ask returned {re.escape(came)}.*, expected (2|finite) numbers$"):
                ocobench._action(x, "ask returned", 2)

    def test_forms_and_parameters(self):
        form = ocobench.Form(np.float32(1), np.arange(2), np.eye(2), terms=[(np.int64(2), ocobench.HalfSquares(pd.DataFrame([[1, 2]]), pd.Series([3])))])
        self.assertEqual(form._message(2), {"form": {"const": 1, "lin": [0, 1], "quad": [[1, 0], [0, 1]], "terms": [{"scale": 2, "of": {"halfsquares": {"rows": [[1, 2]], "y": [3]}}}]}})
        self.assertEqual(ocobench.Box(np.zeros(2), pd.Series([1, 2]))._message(), {"box": {"lower": [0, 0], "upper": [1, 2]}})
        self.assertEqual(ocobench.Facts(slater=np.float32(0.5), iid=np.bool_(True), rounds=np.int64(3))._message(), {"slater": 0.5, "iid": True, "rounds": 3})

        class Plain:
            def __init__(self, game, *, step=np.float64(1.0), x0=np.zeros(2), n=np.int64(3), grid: Sequence[float] = range(2)):
                pass
            ask = tell = None

        Plain.ask = Plain.tell = lambda self: None
        declared = ocobench.learner(name="plain")(Plain)._ocobench["parameters"]
        self.assertEqual([(p["type"], p["default"]) for p in declared], [("number", 1.0), ("numbers", [0, 0]), ("integer", 3), ("numbers", [0, 1])])

    def test_experiments(self):
        plain = ocobench._json_value({"step": np.logspace(0, 2, 3) / 10, "horizon": np.float64(1e4), "seed": np.int64(2**62), "on": np.bool_(True), "x": pd.Series([1.5, 2]), "m": np.eye(2)}, "experiment")
        self.assertEqual(json.dumps(plain), '{"step": [0.1, 1, 10], "horizon": 10000, "seed": 4611686018427387904, "on": true, "x": [1.5, 2], "m": [[1, 0], [0, 1]]}')
        for value, words in [(pd.Timestamp("2020-01-01"), "a Timestamp"), (pd.date_range("2020-01-01", periods=2), "a DatetimeIndex"), (np.timedelta64(1, "D"), "a timedelta64"), (pd.DataFrame([[1]]), "a DataFrame (1 × 1)"), (np.array([1, np.nan]), "nan")]:
            with self.subTest(value=value), self.assertRaisesRegex(ValueError, r"^experiment: step(\[1\])? is " + re.escape(words)):
                ocobench._json_value({"step": value}, "experiment")

    def test_rounds(self):
        frame = pd.DataFrame({"a": [1.0, 2, 3], "b": [4, 5, 6]}, index=pd.date_range("2020-01-01", periods=3))
        domain = ocobench.Box([0, 0], [1, 1])
        with tempfile.TemporaryDirectory() as directory:
            def written(**arguments):
                file = Path(directory, "rounds.jsonl")
                ocobench.write_rounds(file, **{"domain": domain, "losses": frame, "constraints": (frame, 1), **arguments})
                return file.read_bytes()

            want = written(losses=frame.to_numpy().tolist(), constraints=(frame.to_numpy().tolist(), [1, 1, 1]))
            three = np.stack([frame, frame], 1)
            two = written(losses=frame.to_numpy().tolist(), constraints=(three.tolist(), [[1, 2]] * 3))
            self.assertEqual(written(), want)
            self.assertEqual(written(losses=frame.to_numpy(), constraints=(frame.to_numpy(), np.ones(3))), want)
            self.assertEqual(written(constraints=(frame, pd.Series([1, 1, 1], frame.index))), want)
            self.assertEqual(written(constraints=(frame.to_numpy(), pd.DataFrame({"b": [1, 1, 1]}, frame.index))), want)
            self.assertEqual(written(constraints=(three, np.tile([1, 2], (3, 1)))), two)
            self.assertEqual(written(constraints=(three, pd.DataFrame({"b": [1] * 3, "c": [2] * 3}, frame.index))), two)
            hole = frame.copy()
            hole.loc["2020-01-02", "b"] = np.nan
            for arguments, words in [
                ({"losses": hole}, "losses: row 2 (index 2020-01-02 00:00:00), column b is nan"), ({"constraints": (hole, 1)}, "A of constraints: row 2 (index 2020-01-02 00:00:00), column b is nan"),
                ({"losses": frame[::-1]}, "the index of row 2, 2020-01-02 00:00:00, is not after 2020-01-03"), ({"losses": frame.iloc[[0, 0, 1]]}, "is not after"),
                ({"constraints": (frame[["b", "a"]], 1)}, "column 1 of losses is a, and that of A of constraints is b"), ({"constraints": (frame[::-1], 1)}, "row 1 of losses is 2020-01-01"),
                ({"constraints": (frame, pd.Series([1, 1, 1]))}, "row 1 of losses is 2020-01-01 00:00:00, and that of b of constraints is 0"), ({"losses": frame.T}, "row 1 of losses has 3 numbers, expected 2"),
                ({"losses": frame.reset_index()}, "column index is a Timestamp"), ({"losses": frame.assign(a="x")}, "column a is the text 'x'"), ({"losses": frame.to_numpy() > 2}, "losses is an ndarray (3 × 2) of dtype bool"),
                ({"constraints": frame}, "constraints is a DataFrame (3 × 2), expected a pair (A, b)"), ({"constraints": (frame, frame)}, "row 1 of b of constraints has 2 numbers, expected 1"), ({"losses": frame["a"]}, "row 1 of losses is 1.0, expected 2 numbers"),
            ]:
                with self.subTest(words), self.assertRaisesRegex(ocobench.Error, re.escape(words)):
                    written(**arguments)


class TestSyntax(unittest.TestCase):
    def test_python_3_9(self):
        files = [HERE / "ocobench.py", *sorted((HERE / "examples").glob("*.py")), *sorted((HERE / "../../examples").glob("*.py"))]
        self.assertGreater(len(files), 6)
        for file in files:
            ast.parse(file.read_text(encoding="utf-8"), str(file), feature_version=(3, 9))

    def test_the_standard_library_is_enough(self):
        if not hasattr(sys, "stdlib_module_names"):
            self.skipTest("Python 3.9 has no list of its modules")
        tree = ast.parse((HERE / "ocobench.py").read_text(encoding="utf-8"))
        imported = {a.name for node in ast.walk(tree) if isinstance(node, ast.Import) for a in node.names}
        imported |= {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
        self.assertLessEqual({name.split(".")[0] for name in imported}, sys.stdlib_module_names)


if __name__ == "__main__":
    unittest.main()
