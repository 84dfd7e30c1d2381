"""Before the end, nothing that a seat receives depends on pieces that it may not see.

The tests exchange two hidden pieces in the lineups of a finished game, and the referee plays the same answers again.
If all results and the legality of all moves stay the same, the player must receive the same bytes, refusals included.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import random

import pytest

from junqi_protocol.referee.connections import Connection
from junqi_protocol.referee.referee import Referee, RefereeConditions, Spectator
from junqi_protocol.rules import lineup
from junqi_protocol.rules.arbiter import Arbiter, Refused
from junqi_protocol.rules.geometry import VARIANTS, Variant, move_of
from junqi_protocol.rules.lineup import LineupError, random_lineup
from junqi_protocol.rules.messages import BestMove, Happening, Terms

PLIES = 160


class Misfit(Exception):
    """The answers do not belong to this game."""


class Script(Connection):
    """A player that gives prepared answers and keeps what it receives."""

    def __init__(self, seats: tuple[int, ...], answers: list[BestMove], variant: Variant) -> None:
        super().__init__(seats)
        self._answers = answers
        self._variant = variant
        self._owed = 0
        self.sent: list[str] = []

    async def open(self) -> None:
        self.ready = True

    def send(self, line: str) -> None:
        self.sent.append(line)
        self._owed += line.startswith(("go ", "illegal "))

    async def receive(self, deadline: float) -> str:
        if self._owed != 1 or not self._answers:
            raise Misfit
        self._owed = 0
        return self._answers.pop(0).text(self._variant)


class Witness(Spectator):
    def __init__(self) -> None:
        self.happenings: list[Happening] = []

    def happened(self, happening: Happening) -> None:
        self.happenings.append(happening)


def answers_of_a_game(terms: Terms, lineups: list[str], chance: random.Random) -> list[BestMove]:
    """What the seats answer in a random game: mostly legal moves, some illegal ones, a few passes."""
    arbiter = Arbiter(terms, lineups)
    answers = []
    while arbiter.outcome is None:
        whim = chance.random()
        moves = arbiter.position.legal_moves()
        if whim < 0.1 and arbiter.strikes[arbiter.turn] < 2:
            move = move_of(chance.randrange(terms.variant.size), chance.randrange(terms.variant.size))
        else:
            captures = [move for move in moves if arbiter.position.piece_at(move & 255) is not None]
            move = chance.choice(captures if captures and whim < 0.6 else moves)
        answer = BestMove("", move, arbiter.next_ply)
        if whim > 0.99:
            answer = BestMove("pass", None, arbiter.next_ply)
        answers.append(answer)
        with contextlib.suppress(Refused):
            arbiter.answer(answer)
    return answers


Chairs = list[tuple[int, ...]]


def refereed(
    terms: Terms, lineups: list[str], answers: list[BestMove], chairs: Chairs, see: str
) -> tuple[list[str], dict[tuple[int, ...], list[str]]] | None:
    """Play the answers under the real referee; returns the events, and what each player received before the end.

    None if the answers do not fit this game: it ends before the last answer or needs more.
    """
    script = list(answers)
    players = [Script(seats, script, terms.variant) for seats in chairs]
    witness = Witness()
    conditions = RefereeConditions(terms, see=see, lineups=lineups)
    try:
        asyncio.run(Referee(conditions, players, witness).run())
    except Misfit:
        return None
    if script:
        return None
    sent = {
        player.seats: list(itertools.takewhile(lambda line: not line.startswith("gameover"), player.sent))
        for player in players
    }
    return [happening.text(terms.variant) for happening in witness.happenings], sent


def exchanges(lineups: list[str], hidden: list[int], chance: random.Random, number: int) -> list[list[str]]:
    """Legal lineups in which two different pieces of one hidden seat are exchanged."""
    found: list[list[str]] = []
    while len(found) < number:
        one = chance.choice(hidden)
        i, j = chance.randrange(30), chance.randrange(30)
        changed = list(lineups[one])
        changed[i], changed[j] = changed[j], changed[i]
        if changed[i] == changed[j]:
            continue
        try:
            lineup.check("".join(changed))
        except LineupError:
            continue
        found.append([*lineups[:one], "".join(changed), *lineups[one + 1 :]])
    return found


def compare(variant: Variant, see: str, chairs: Chairs, games: int, seed: int) -> int:
    """Look for a leak; returns how many exchanges did not change the game and were compared."""
    compared = 0
    for game in range(games):
        chance = random.Random(seed + game)
        terms = Terms(variant, first=chance.randrange(variant.seats), quiet=70, skips=5, plies=PLIES, id="game1")
        lineups = [random_lineup(chance) for _ in range(variant.seats)]
        answers = answers_of_a_game(terms, lineups, chance)
        before = refereed(terms, lineups, answers, chairs, see)
        assert before is not None
        for seats in chairs:
            arbiter = Arbiter(terms, lineups)
            hidden = [seat for seat in range(variant.seats) if seat not in arbiter.sees(seats, see)]
            for changed in exchanges(lineups, hidden, chance, 4):
                after = refereed(terms, changed, answers, chairs, see)
                if after is None or after[0] != before[0]:
                    continue
                compared += 1
                assert after[1][seats] == before[1][seats], "a leak"
    return compared


CASES = [
    pytest.param("duel", "own", [(0,), (1,)], id="duel"),
    pytest.param("siguo", "own", [(0,), (1,), (2,), (3,)], id="siguo-own"),
    pytest.param("siguo", "team", [(0,), (1,), (2,), (3,)], id="siguo-team"),
    pytest.param("siguo", "own", [(0, 2), (1, 3)], id="siguo-both-seats"),
]


@pytest.mark.parametrize(("variant", "see", "chairs"), CASES)
def test_a_seat_learns_nothing_about_hidden_pieces(variant: str, see: str, chairs: Chairs) -> None:
    assert compare(VARIANTS[variant], see, chairs, games=10, seed=100) > 10


def test_leaked_lineups_would_be_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Arbiter, "opening", lambda self, seats, see: self.disclose(range(self.variant.seats)))
    with pytest.raises(AssertionError, match="a leak"):
        compare(VARIANTS["duel"], "own", [(0,), (1,)], games=12, seed=100)


def test_a_refusal_that_names_a_hidden_piece_would_be_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    refuse = Arbiter.refuse

    def indiscreet(self: Arbiter, answer: BestMove, used_ms: int | None) -> Happening:
        target = self.position.piece_at(answer.move & 255) if answer.move is not None else None
        try:
            return refuse(self, answer, used_ms)
        except Refused as refusal:
            raise Refused(f"{refusal}: {target} stands there") from None

    monkeypatch.setattr(Arbiter, "refuse", indiscreet)
    with pytest.raises(AssertionError, match="a leak"):
        compare(VARIANTS["duel"], "own", [(0,), (1,)], games=12, seed=100)
