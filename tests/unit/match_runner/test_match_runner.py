"""The match runner with engines that play at once, and with engines that misbehave."""

from __future__ import annotations

import argparse
import json
import math
import os
import random
import shlex
import subprocess
import sys
import sysconfig
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from engine_client import uci_player
from engine_client.player import Fault
from engine_client.process import EngineDied, EngineProcess
from engine_client.reports import Report, read_info
from engine_client.specification import EngineSpecification, SpecificationError, parse_engine, read_engines
from engine_client.time_control import ThinkingLimit
from game_core.session import DRAW, FIRST_WINS, SECOND_WINS
from match_runner import command
from match_runner.display import eta_text
from match_runner.game import Adjudication, MatchConditions, MoveStats, PlayedGame, play_game
from match_runner.local_match import LocalMatch
from match_runner.match import MatchConfig, MatchPlan, MatchState
from match_runner.openings import Opening, OpeningError, enough_openings, openings_of_match, read_openings
from match_runner.schedule import GAUNTLET, Schedule, ScheduledGame
from match_runner.score import MatchScore, Tally
from match_runner.statistics import H0, H1, Pairs, Sprt, elo_of, estimate, log_likelihood_ratio, score_of
from sanqi.registry import GAMES
from search_core.child_process import STDERR_LIMIT
from search_core.clock import now_s
from tests.unit.conftest import LeftBehind
from ucci_engine.match_game import Xiangqi
from ucci_engine.match_player import XiangqiPlayer
from ucci_engine.pgn import read_games
from ucci_engine.points import START_FEN, move_text, parse_move
from ucci_engine.position import Position
from ucci_engine.xqf import serialise

SANQI = Path(sysconfig.get_path("scripts")) / "sanqi"
FAKE = Path(__file__).parents[2] / "helpers" / "fake_engine.py"
NO_CLOCK = ThinkingLimit(nodes=100)
XIANGQI = Xiangqi()
START = Opening((), 1)
SLEEPER = """
import sys, time
from ucci_engine.position import Position
from ucci_engine.points import move_text, parse_move
for line in sys.stdin:
    words = line.split()
    if words[0] == "uci":
        print("uciok", flush=True)
    elif words[0] == "isready":
        print("readyok", flush=True)
    elif words[0] == "position":
        position = Position()
        for text in words[3:]:
            position.push(parse_move(text))
    elif words[0] == "go":
        time.sleep(0.3)
        print("bestmove", move_text(position.legal_moves()[0]), flush=True)
"""


def fake(behaviour: str, seed: str = "1") -> EngineSpecification:
    return EngineSpecification(f"{behaviour}{seed}", (sys.executable, str(FAKE), behaviour, seed))


def game_of(
    red: str,
    black: str,
    limit: ThinkingLimit = NO_CLOCK,
    max_plies: int = 30,
    adjudication: Adjudication | None = None,
    opening: Opening = START,
) -> PlayedGame:
    players = XiangqiPlayer(fake(red, "1")), XiangqiPlayer(fake(black, "2"))
    try:
        return play_game(XIANGQI, players, opening, MatchConditions(limit, max_plies, adjudication or Adjudication()))
    finally:
        for one in players:
            one.stop()


def match_of(
    engines: tuple[EngineSpecification, ...], schedule: Schedule, max_plies: int = 30, concurrency: int = 1
) -> tuple[MatchScore, dict[int, PlayedGame]]:
    """Play a match; the records by number."""
    records: dict[int, PlayedGame] = {}
    plan = MatchPlan(MatchConfig(XIANGQI, engines, MatchConditions(NO_CLOCK, max_plies)), schedule)
    state = MatchState(plan, lambda task, record, duplicate, score: records.__setitem__(task.number, record))
    LocalMatch(state, concurrency).run()
    return state.score, records


def openings(count: int) -> list[Opening]:
    return [Opening((move_text(move),), 1) for move in Position().legal_moves()[:count]]


class TestSpecification:
    def test_all_keys(self) -> None:
        text = 'name=new cmd="sanqi uci" proto=uci variant=xiangqi ranks=1-10 dir=/tmp option."Move Overhead"=5'
        engine = parse_engine(text + " option.Hash=64", GAMES["xiangqi"])
        assert engine.command == ("sanqi", "uci")
        assert (engine.name, engine.protocol, engine.variant) == ("new", "uci", "xiangqi")
        assert (engine.ranks, engine.directory) == ("1-10", "/tmp")
        assert engine.options == (("Move Overhead", "5"), ("Hash", "64"))

    def test_name_and_protocol_by_default(self) -> None:
        engine = parse_engine("cmd=/usr/games/eleeye", GAMES["xiangqi"])
        assert (engine.name, engine.protocol) == ("eleeye", "ucci")

    @pytest.mark.parametrize(
        ("text", "token"),
        [
            ("name=a", "cmd="),
            ("cmd=a proto=xboard", "'xboard'"),
            ("cmd=a sanqi", "'sanqi'"),
            ("cmd=a colour=red", "'colour'"),
            ("cmd=a cmd=b", "'cmd'"),
            ("cmd=a ranks=0-8", "'0-8'"),
            ("cmd=a variant=xiangqi", "proto=uci"),
            ("cmd=a memory=much", "'much'"),
            ("cmd=a option.=1", "'option.'"),
            ("cmd=a name='a\nb'", "name: 'a"),
            ("cmd=a name=\udcff", "cannot be printed"),
            ("cmd=a option.x='\0'", "option.x"),
            ('cmd="a', "quotation"),
        ],
    )
    def test_errors_name_the_token(self, text: str, token: str) -> None:
        with pytest.raises(SpecificationError, match=token):
            parse_engine(text, GAMES["xiangqi"])


class TestEnginesFile:
    TOML = """
[fairy]
cmd = "fairy-stockfish"
proto = "uci"
variant = "xiangqi"
option = { Hash = 64, "Use NNUE" = false }

[new]
cmd = "sanqi"
"""

    def write(self, folder: Path, text: str = TOML) -> Path:
        file = folder / "engines.toml"
        file.write_text(text, encoding="utf-8")
        return file

    def test_an_engine_by_name(self, tmp_path: Path) -> None:
        limited = f"memory = {500 if sys.platform == 'linux' else 0}"
        known = read_engines(self.write(tmp_path, self.TOML.replace("[new]", f"{limited}\n[new]")))
        engine = parse_engine("fairy", GAMES["xiangqi"], known)
        assert (engine.name, engine.command, engine.protocol) == ("fairy", ("fairy-stockfish",), "uci")
        assert (engine.variant, engine.memory_mb) == ("xiangqi", 500 if sys.platform == "linux" else 0)
        assert engine.options == (("Hash", "64"), ("Use NNUE", "false"))

    def test_words_after_the_name_override_it(self, tmp_path: Path) -> None:
        known = read_engines(self.write(tmp_path))
        engine = parse_engine("fairy name=small option.hash=1 option.Threads=2", GAMES["xiangqi"], known)
        assert engine.name == "small"
        assert engine.options == (("Use NNUE", "false"), ("hash", "1"), ("Threads", "2"))

    def test_words_alone_still_work(self, tmp_path: Path) -> None:
        assert parse_engine("cmd=other", GAMES["xiangqi"], read_engines(self.write(tmp_path))).name == "other"

    @pytest.mark.parametrize(
        ("text", "token"),
        [
            ("[a", "engines.toml"),
            ("a = 1", "'a' is no table"),
            ("[a]\nproto = 'uci'", r"\[a\]: no command"),
            ("[a]\ncmd = 'a'\ncolour = 'red'", r"\[a\]: unknown key 'colour'"),
            ("[a]\ncmd = ['a', 'b']", r"\[a\]: cmd is neither"),
            ("[a]\ncmd = 'a'\noption = 'b'", r"\[a\]: option is no table"),
            (f"[a]\ncmd = 'a'\noption = {{ Hash = 0x{4000 * 'f'} }}", r"\[a\]: option.Hash: "),
        ],
    )
    def test_bad_files_are_reported(self, text: str, token: str, tmp_path: Path) -> None:
        with pytest.raises(SpecificationError, match=token):
            read_engines(self.write(tmp_path, text))

    def test_unknown_name_lists_the_known_ones(self, tmp_path: Path) -> None:
        with pytest.raises(SpecificationError, match="no engine 'old'; known are fairy, new"):
            parse_engine("old", GAMES["xiangqi"], read_engines(self.write(tmp_path)))


class TestOpenings:
    def test_shipped_are_legal_distinct_and_many(self) -> None:
        openings = read_openings(XIANGQI.shipped_openings, XIANGQI)
        assert len(openings) >= 60
        ends = set()
        for opening in openings:
            position = Position()
            for move in opening.moves:
                position.push(parse_move(move))
            ends.add(position.fen().split()[0])
            assert 4 <= len(opening.moves) <= 8
        assert len(ends) == len(openings)

    def test_bad_move_is_named_with_file_and_line(self, tmp_path: Path) -> None:
        file = tmp_path / "openings.txt"
        file.write_text("# comment\nh2e2 h9g7\n\nh2e2 h2e2 # twice\n")
        with pytest.raises(OpeningError, match=r"openings\.txt, line 4, move 'h2e2'"):
            read_openings(file, XIANGQI)
        file.write_text("h2e2 nonsense\n")
        with pytest.raises(OpeningError, match="line 1, move 'nonsense'"):
            read_openings(file, XIANGQI)

    def test_of_the_shipped_only_what_is_needed_is_read_of_a_file_all(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        assert XIANGQI.shipped_openings is not None
        shipped = read_openings(XIANGQI.shipped_openings, XIANGQI)
        read: list[Opening] = []
        whole = Xiangqi.read_openings

        def noted(game: Xiangqi, path: Path) -> Iterator[Opening]:
            for opening in whole(game, path):
                read.append(opening)
                yield opening

        monkeypatch.setattr(Xiangqi, "read_openings", noted)
        assert openings_of_match(XIANGQI, None, 5) == shipped[:3]
        assert len(read) == 3
        file = tmp_path / "openings.txt"
        file.write_text("h2e2\nb2e2\nnonsense\n")
        with pytest.raises(OpeningError, match="line 3, move 'nonsense'"):
            openings_of_match(XIANGQI, file, 2)

    def test_too_few_names_the_numbers(self, tmp_path: Path) -> None:
        file = tmp_path / "openings.txt"
        file.write_text("h2e2\nb2e2\nh2e2\n")
        openings = read_openings(file, XIANGQI)
        assert len(openings) == 2
        assert len(enough_openings(openings, 4, file)) == 2
        with pytest.raises(OpeningError, match=r"5 games need 3 distinct openings.* has 2"):
            enough_openings(openings, 5, file)

    def test_positions(self, tmp_path: Path) -> None:
        end = "3k5/9/9/9/9/9/9/9/9/R3K4 w"
        file = tmp_path / "openings.txt"
        file.write_text(f"{end}\n{end} - - 0 1 moves a0a7\n{end.replace(' w', ' b')}  # black begins\n")
        plain, moved, black = read_openings(file, XIANGQI)
        # In the standard form that every engine takes, however it was written.
        assert (plain.start, plain.moves) == (f"{end} - - 0 1", ())
        assert (moved.start, moved.moves) == (f"{end} - - 0 1", ("a0a7",))
        file.write_text(f"{end[:-2]}\n{end[:-1]}r\n{START_FEN} moves h2e2\nh2e2\n")
        assert read_openings(file, XIANGQI) == [replace(plain, line=1), Opening(("h2e2",), 3)]
        file.write_text(f"position fen {end} moves a0a7\nstartpos moves h2e2\nstartpos moves h3e3 h10g8\n")
        assert read_openings(file, XIANGQI) == [
            replace(moved, line=1),
            Opening(("h2e2",), 2),
            Opening(("h2e2", "h9g7"), 3),
        ]
        record = game_of("random", "random", max_plies=3, opening=black)
        position = Position(black.start)
        for move in record.moves:
            position.push(parse_move(move))
        assert [stats.side for stats in record.move_stats] == [1, 0, 1]

    @pytest.mark.parametrize(
        "bad",
        [
            "9/9/9 w",
            "3k5/9/9/9/9/9/9/9/9/R3K4 w moves a0a9 a9a8",
            "3k5/9/9/9/9/9/9/9/9/4K4 x",
            "3k5/9/9/9/9/9/9/9/9/R3K4 w - - 0 1 a0a7",
            "startpos h2e2",
        ],
    )
    def test_bad_positions_are_named_with_file_and_line(self, bad: str, tmp_path: Path) -> None:
        file = tmp_path / "openings.txt"
        file.write_text(f"h2e2\n{bad}\n")
        with pytest.raises(OpeningError, match=r"openings\.txt, line 2"):
            read_openings(file, XIANGQI)

    def test_pgn(self, tmp_path: Path) -> None:
        file = tmp_path / "openings.pgn"
        file.write_text('[Result "1-0"]\n1. 炮二平五 馬8進7 2. H0-G2 1-0\n\n[Red "x"]\n1. C2.5 *\n', encoding="utf-8")
        whole, short = read_openings(file, XIANGQI)
        assert whole.moves == ("h2e2", "h9g7", "h0g2")
        assert short.moves == whole.moves[:1]
        assert read_openings(file, XIANGQI, most_plies=1) == [Opening(whole.moves[:1], 1)]
        file.write_text("1. h2e2 h2e2 *\n")
        with pytest.raises(OpeningError, match=r"openings\.pgn.*h2e2"):
            read_openings(file, XIANGQI)

    def test_xqf(self, tmp_path: Path) -> None:
        file = tmp_path / "openings.xqf"
        (game,) = read_games("1. h2e2 (1. c3c4) h9g7 *")
        file.write_bytes(serialise(game))
        assert read_openings(file, XIANGQI) == [Opening(("h2e2", "h9g7"), 1)]
        file.write_bytes(serialise(game)[:-1])
        with pytest.raises(OpeningError, match=r"openings\.xqf: offset 0x418: "):
            read_openings(file, XIANGQI)


class TestFaults:
    @pytest.mark.parametrize(
        ("behaviour", "reason", "detail"),
        [
            ("crash", "crash", "status 7"),
            ("deaf", "crash", "if it speaks UCI, say so (proto=uci; in sanqi analyse --protocol uci)"),
            ("complain", "crash", "no net found"),
            ("garbage", "illegal", "moved"),
            ("illegal", "illegal", "a0a9"),
            ("sends=0000", "illegal", "moved '0000': that is no move"),
            ("sends=(none)", "illegal", "moved '(none)': that is no move"),
            ("sends=", "illegal", "moved 'bestmove': that is no move"),
            ("hang", "time", "no move after"),
            ("silent", "time", "no move after"),
            ("late", "time", "no move after"),
            ("resign", "resignation", ""),
        ],
    )
    def test_loses_by_its_reason(
        self, behaviour: str, reason: str, detail: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        if behaviour == "deaf":
            monkeypatch.setattr(uci_player, "START_S", 3.0)
        monkeypatch.setattr(uci_player, "STOP_S", 10.0 if behaviour == "late" else 0.2)
        limit = ThinkingLimit(movetime_ms=100, margin_ms=1400) if reason == "time" else NO_CLOCK
        lost = game_of(behaviour, "random", limit)
        assert (lost.result, lost.reason) == (SECOND_WINS, reason)
        assert detail in lost.detail
        if behaviour != "deaf":  # one wait for the handshake is enough
            assert game_of("random", behaviour, limit).result == FIRST_WINS

    @pytest.mark.skipif(sys.platform != "linux", reason="memory is limited on Linux only")
    def test_memory_is_limited(self) -> None:
        players = [XiangqiPlayer(replace(fake("greedy"), memory_mb=400)), XiangqiPlayer(fake("greedy", "2"))]
        try:
            record = play_game(XIANGQI, players, Opening((), 1), MatchConditions(NO_CLOCK, 8))
        finally:
            for player in players:
                player.stop()
        assert (record.result, record.reason) == (SECOND_WINS, "crash")
        assert "MemoryError" in record.detail

    def test_its_stderr_is_kept(self, tmp_path: Path) -> None:
        player = XiangqiPlayer(replace(fake("complain"), name="a/b").keeping_complaints(tmp_path))
        with pytest.raises(Fault, match="no net found"):
            player.start()
        assert (tmp_path / "a%2Fb.stderr").read_text() == "fake engine: no net found\n"

    def test_endless_stderr_is_kept_in_part(self, tmp_path: Path) -> None:
        player = XiangqiPlayer(replace(fake("loud"), name="loud").keeping_complaints(tmp_path))
        try:
            player.new_game(NO_CLOCK)
            player.think((), NO_CLOCK)
        finally:
            player.stop()
        assert (tmp_path / "loud.stderr").stat().st_size == STDERR_LIMIT

    def test_stderr_of_an_older_run_is_not_quoted(self, tmp_path: Path) -> None:
        (tmp_path / "crash1.stderr").write_text("the complaint of another day\n")
        record = None
        players = [XiangqiPlayer(fake("crash").keeping_complaints(tmp_path)), XiangqiPlayer(fake("random", "2"))]
        try:
            record = play_game(XIANGQI, players, START, MatchConditions(NO_CLOCK, 8))
        finally:
            for player in players:
                player.stop()
        assert record.detail == "crash1 exited with status 7"

    def test_endless_numbers_are_ignored(self) -> None:
        record = game_of("boastful", "random", max_plies=4)
        assert record.reason == "ply-limit"
        assert record.move_stats[0][2:] == (0, 0, 0, None)

    def test_its_text_is_made_safe_for_the_terminal(self) -> None:
        assert "\x01" not in game_of("garbage", "random").detail

    @pytest.mark.parametrize("behaviour", ["hasty", "dreamer"])
    def test_pondering_with_engines_that_do_it_wrong(self, behaviour: str) -> None:
        limit = ThinkingLimit(movetime_ms=5000, margin_ms=5000, ponder=True)
        assert game_of(behaviour, behaviour, limit, max_plies=12).reason == "ply-limit"

    def test_one_that_hangs_after_pondering_is_started_again(self, monkeypatch: pytest.MonkeyPatch) -> None:
        limit = ThinkingLimit(movetime_ms=5000, margin_ms=5000, ponder=True)
        player = XiangqiPlayer(fake("fainting"))
        try:
            for _ in range(3):
                player.new_game(limit)
                answer = player.think((), limit)
                player.ponder((answer.move,), limit, None, answer)
                with monkeypatch.context() as patch:
                    patch.setattr(uci_player, "READY_S", 0.2)
                    player.end_game()
        finally:
            player.stop()

    def test_a_missing_variant_is_reported_at_the_start(self) -> None:
        lines = "option name UCI_Variant type combo default chess var chess var shogi\nuciok"
        engine = f"import sys; print({lines!r}, flush=True); sys.stdin.read()"
        player = XiangqiPlayer(EngineSpecification("x", (sys.executable, "-c", engine), "uci", "xiangqi"))
        with pytest.raises(Fault, match="'UCI_Variant' is 'xiangqi', expected one of chess, shogi"):
            player.start()

    def test_endless_line(self) -> None:
        assert game_of("endless", "random", max_plies=8).reason == "ply-limit"

    def test_flood_plays_on(self) -> None:
        assert game_of("flood", "random", max_plies=8).reason == "ply-limit"

    def test_match_goes_on_after_faults(self) -> None:
        score, records = match_of((fake("crash"), fake("random", "2")), Schedule(2, 6, openings(3)))
        assert (score.first.wins, score.first.draws, score.first.losses) == (0, 0, 6)
        assert score.engines[0].faults == {"crash": 6, "time": 0, "illegal": 0}
        assert sum(score.engines[1].faults.values()) == 0
        assert [records[number].names[0] for number in range(6)] == ["crash1", "random2"] * 3

    @pytest.mark.skipif(sys.platform == "win32", reason="process groups are POSIX")
    def test_processes_of_the_engine_end_with_it(self) -> None:
        shell = "sleep 3600 & echo id $!; wait"
        engine = EngineProcess(["sh", "-c", shell])
        child = int(engine.receive(now_s() + 30).text.split()[1])
        engine.close()
        with pytest.raises(ProcessLookupError):
            while True:  # a killed orphan is reaped by init a moment later
                os.kill(child, 0)

    @pytest.mark.parametrize("how", ["holds", "stderr", "writes"])
    def test_a_process_that_has_left_the_group_ends_with_it(
        self, how: str, left_behind: LeftBehind, capfd: pytest.CaptureFixture[str]
    ) -> None:
        engine = EngineProcess(shlex.split(left_behind.by(how, f"{sys.executable} -P {FAKE} random")))
        engine.send("ucci")
        while engine.receive(now_s() + 30).text != "ucciok":
            pass
        engine.close()
        assert left_behind.running() == []
        assert capfd.readouterr().err == ""

    def test_a_process_that_cannot_be_found_is_reported(
        self, left_behind: LeftBehind, capfd: pytest.CaptureFixture[str]
    ) -> None:
        engine = EngineProcess(shlex.split(left_behind.by("unmarked", "true")))
        # Another process holds its output; its end is seen all the same.
        with pytest.raises(EngineDied, match="exited with status 0"):
            engine.receive(now_s() + 120)
        engine.close()
        assert capfd.readouterr().err.count("is held by something that the ended engine started; it may run on\n") == 1
        assert len(left_behind.running()) == 1


class TestMatch:
    def test_draw_by_ply_limit_and_move_texts(self) -> None:
        record = game_of("random", "random", max_plies=10)
        assert (record.result, record.reason, len(record.moves)) == (DRAW, "ply-limit", 10)
        assert [(stats.side, stats.nodes) for stats in record.move_stats] == [(0, 10), (1, 10)] * 5
        position = Position()
        for move in record.moves:
            position.push(parse_move(move))

    def test_random_games_end_by_the_rules(self) -> None:
        record = game_of("random", "random", max_plies=0)
        position = Position()
        for move in record.moves:
            position.push(parse_move(move))
        assert position.result() == record.reason

    def test_duplicates_and_points_by_pair(self) -> None:
        score = MatchScore(2)
        opening = Opening((), 1)

        def ended(moves: tuple[str, ...], result: str) -> PlayedGame:
            return PlayedGame(("a", "b"), opening, moves, result, "mate")

        assert not score.add(ScheduledGame(0, (0, 1), opening), ended(("a", "b"), FIRST_WINS))
        assert not score.add(ScheduledGame(1, (1, 0), opening), ended(("a", "c"), FIRST_WINS))
        assert score.add(ScheduledGame(3, (1, 0), opening), ended(("a", "b"), DRAW))
        first, second = score.engines
        assert (first.wins, first.draws, first.losses, score.duplicates) == (1, 1, 1, 1)
        assert (second.wins, second.draws, second.losses) == (1, 1, 1)
        assert score.first.pairs.counts == first.pairs.counts == [0, 0, 1, 0, 0]

    def test_pairs_count_for_the_first_engine_of_a_pairing(self) -> None:
        score = MatchScore(3)
        opening = Opening((), 1)
        for task in Schedule(3, 2, [opening]):
            winner = FIRST_WINS if task.players[0] < task.players[1] else SECOND_WINS
            score.add(task, PlayedGame(("", ""), opening, (str(task.number),), winner, "mate"))
        assert {pairing: tally.pairs.counts for pairing, tally in score.pairings.items()} == {
            (0, 1): [0, 0, 0, 0, 1],
            (0, 2): [0, 0, 0, 0, 1],
            (1, 2): [0, 0, 0, 0, 1],
        }
        assert [engine.points for engine in score.engines] == [4, 2, 0]
        assert [engine.pairs.counts for engine in score.engines] == [
            [0, 0, 0, 0, 2],
            [1, 0, 0, 0, 1],
            [2, 0, 0, 0, 0],
        ]

    def test_several_games_at_a_time(self) -> None:
        score, records = match_of((fake("random"), fake("random", "2")), Schedule(2, 8, openings(4)), 20, 3)
        assert sorted(records) == list(range(8))
        assert score.games == 8


class TestSchedule:
    def test_all_engines_play_each_other_in_pairs(self) -> None:
        tasks = list(Schedule(3, 4, openings(2)))
        assert len(tasks) == len(Schedule(3, 4, openings(2))) == 12
        assert [task.number for task in tasks] == list(range(12))
        assert [task.players for task in tasks[:6]] == [(0, 1), (1, 0), (0, 2), (2, 0), (1, 2), (2, 1)]
        assert {task.opening for task in tasks[:6]} == {openings(2)[0]}
        assert {task.opening for task in tasks[6:]} == {openings(2)[1]}

    def test_gauntlet(self) -> None:
        assert [task.players for task in Schedule(4, 2, openings(1), GAUNTLET)] == [
            (0, 1),
            (1, 0),
            (0, 2),
            (2, 0),
            (0, 3),
            (3, 0),
        ]

    def test_more_games_begin_as_fewer_do(self) -> None:
        few, many = Schedule(2, 3, openings(4)), Schedule(2, 8, openings(4))
        assert list(few) == list(many)[:3]

    def test_a_tournament_is_played(self) -> None:
        engines = (fake("random"), fake("illegal", "2"), fake("random", "3"))
        score, records = match_of(engines, Schedule(3, 2, openings(1)), 12)
        assert sorted(records) == list(range(6))
        assert score.engines[1].losses == score.engines[1].faults["illegal"] == 4
        assert score.pairings[0, 2].draws == 2


def seen(*scores: int | None) -> list[MoveStats]:
    """Stats of the moves of both sides in turn, with scores for side 0."""
    return [
        MoveStats(number % 2, 1, score_cp=None if score is None else (-score if number % 2 else score))
        for number, score in enumerate(scores)
    ]


class TestAdjudication:
    @pytest.mark.parametrize(
        ("scores", "result"),
        [
            ((500, 500, 500, 500), FIRST_WINS),
            ((0, -500, -700, -600, -500), SECOND_WINS),
            ((500, 500, 500), None),
            ((500, 499, 500, 500), None),
            ((500, -500, 500, -500), None),
            ((500, 500, None, 500), None),
            ((500, 500, 500, 500, 0), None),
        ],
    )
    def test_win_needs_all_scores_of_both_sides(self, scores: tuple[int | None, ...], result: str | None) -> None:
        assert Adjudication(win_cp=500, win_moves=2).result(seen(*scores), 100) == result

    def test_draw_waits_for_its_ply(self) -> None:
        adjudication = Adjudication(draw_cp=10, draw_moves=2, draw_from_ply=40)
        assert adjudication.result(seen(10, -10, 0, 3), 40) == DRAW
        assert adjudication.result(seen(10, -10, 0, 3), 39) is None
        assert adjudication.result(seen(10, -11, 0, 3), 40) is None

    def test_no_adjudication_by_default(self) -> None:
        assert Adjudication().result(seen(9000, 9000, 9000, 9000), 500) is None

    def test_games_end_by_adjudication(self) -> None:
        won = game_of("score=900", "score=-900", adjudication=Adjudication(win_cp=900, win_moves=3))
        assert (won.result, won.reason, len(won.moves)) == (FIRST_WINS, "adjudication", 6)
        drawn = game_of("score=5", "score=5", adjudication=Adjudication(0, 0, 10, 2, 8))
        assert (drawn.result, drawn.reason, len(drawn.moves)) == (DRAW, "adjudication", 8)
        doubted = game_of("score=900", "score=900", adjudication=Adjudication(win_cp=900, win_moves=3))
        assert doubted.reason == "ply-limit"

    @pytest.mark.parametrize(
        ("red", "black"), [("900:lowerbound", "-900:upperbound"), ("900:upperbound", "-900:lowerbound")]
    )
    def test_bounds_adjudicate_no_win(self, red: str, black: str) -> None:
        game = game_of(
            f"bound={red}", f"bound={black}", max_plies=8, adjudication=Adjudication(win_cp=800, win_moves=2)
        )
        assert game.reason == "ply-limit"
        assert [stats.score_cp for stats in game.move_stats] == [0] * 8

    def test_bounds_hinder_no_draw(self) -> None:
        adjudication = Adjudication(draw_cp=10, draw_moves=2, draw_from_ply=4)
        game = game_of("bound=900:lowerbound", "bound=-900:upperbound", adjudication=adjudication)
        assert (game.result, game.reason, len(game.moves)) == (DRAW, "adjudication", 4)

    @pytest.mark.parametrize(
        ("line", "score"),
        [
            ("info depth 9 score cp 31 nodes 5 pv h2e2", 31),
            ("info depth 9 score 31 pv h2e2", 31),
            ("info depth 9 score mate 3 pv h2e2", 29_997),
            ("info depth 9 score mate -3", -29_997),
            ("info depth 9 score cp 900 lowerbound nodes 5", None),
            ("info depth 9 score cp 900 upperbound", None),
            ("info depth 9 score mate 3 lowerbound pv h2e2", None),
            ("info score cp -5 wdl 1 2 997 upperbound depth 9", None),
            ("info depth 9 lowerbound score cp 900 pv h2e2", None),
            ("info depth 9 score cp 1234567", None),
        ],
    )
    def test_the_scores_that_count(self, line: str, score: int | None) -> None:
        report = read_info(line)
        assert report is not None and report.without_bound().centipawns == score

    def test_what_several_reports_say(self) -> None:
        report = Report()
        for line in (
            "info depth 5 score cp 10 nodes 100 time 7 pv h2e2",
            "info depth 6 score cp 90 lowerbound",
            "info time 50 currmove h2e2",
            "info nodes 300",
        ):
            newer = read_info(line)
            assert newer is not None
            report.update(newer.without_bound())
        assert report == Report(depth=5, score_cp=10, nodes=300, pv=("h2e2",))


class TestStatistics:
    def test_elo_and_score_are_inverse(self) -> None:
        for elo in (-300.0, -10.0, 0.0, 50.0, 400.0):
            assert elo_of(score_of(elo)) == pytest.approx(elo)
        assert elo_of(0) == -math.inf
        assert elo_of(1) == math.inf

    def test_estimate(self) -> None:
        assert estimate(Pairs()) is None
        assert str(estimate(Pairs([1.0]))) == "+0.0 ± ?"  # all alike: the spread is unknown
        assert str(estimate(Pairs([1.5] * 9))) == "+190.8 ± ?"
        even = estimate(Pairs([1.0, 2.0, 0.0, 1.0]))
        assert even is not None
        assert even.difference == pytest.approx(0)
        assert even.superiority == pytest.approx(0.5)
        better = estimate(Pairs([2.0, 1.5, 1.0, 1.5] * 20))
        assert better is not None
        assert better.low > 0
        assert better.superiority is not None
        assert better.superiority > 0.99

    @pytest.mark.parametrize("pairs", [1, 4, 50, 500])
    def test_a_score_of_0_or_100_percent_gives_a_bound(self, pairs: int) -> None:
        won, lost = estimate(Pairs([2.0] * pairs)), estimate(Pairs([0.0] * pairs))
        assert won is not None
        assert lost is not None
        # At the bound, this many won pairs in a row have a probability of one in twenty.
        assert score_of(won.low) ** pairs == pytest.approx(0.05)
        assert str(won) == f"> {won.low:+.0f} (95 %)"
        assert str(lost) == f"< {-won.low:+.0f} (95 %)"
        assert won.superiority is lost.superiority is None

    def test_texts_are_of_one_format(self) -> None:
        elo = estimate(Pairs([2.0, 1.5, 1.0, 1.5, 0.5] * 20))
        assert elo is not None
        assert elo.error == pytest.approx((elo.high - elo.low) / 2)
        assert str(elo) == "+107.5 ± 38.5"
        # By hand: mean 0.65, standard deviation of a pair's score sqrt(0.065 * 100/99).
        assert elo.normalised == pytest.approx(0.15 / math.sqrt(2 * 0.065 * 100 / 99) * 800 / math.log(10))
        assert elo.normalised_error == pytest.approx(1.959964 / math.sqrt(200) * 800 / math.log(10))
        assert elo.normalised_text() == f"{elo.normalised:+.1f} ± {elo.normalised_error:.1f}"

    def test_an_interval_beyond_100_percent_still_has_an_error_bar(self) -> None:
        elo = estimate(Pairs([2.0, 2.0, 1.5]))
        assert elo is not None
        assert math.isinf(elo.high)
        assert elo.error is not None
        assert math.isfinite(elo.error)

    def test_result_in_words(self) -> None:
        tally = Tally(3, 1, 0, Pairs([2.0, 1.5]))
        elo = tally.elo()
        assert elo is not None
        assert tally.text() == f"+3 =1 -0  87.5 %  Elo {elo}  LOS {elo.superiority_text()}"
        assert tally.details() == f"nElo {elo.normalised_text()}  draws 25.0 %  pairs [0, 0, 0, 1, 1]"
        back = tally.reversed()
        assert (back.wins, back.losses, back.pairs.counts) == (0, 3, [1, 1, 0, 0, 0])

    @pytest.mark.parametrize(
        ("bounds", "verdict", "words"),
        [
            ((0, 5), H1, "H1 accepted: new is stronger by more than 0 Elo (H0: 0 Elo or less, H1: 5 Elo or more"),
            ((0, 5), H0, "H0 accepted: new is stronger by less than 5 Elo"),
            ((-5, 0), H1, "H1 accepted: new is weaker by less than 5 Elo"),
            ((-5, 0), H0, "H0 accepted: new is weaker by more than 0 Elo"),
            ((0, 5), "", "undecided (H0: 0 Elo or less"),
        ],
    )
    def test_hypotheses_are_named(self, bounds: tuple[float, float], verdict: str, words: str) -> None:
        assert Sprt(*bounds).words("new", Pairs(), verdict).startswith(f"SPRT: {words}")

    @pytest.mark.parametrize(
        ("left", "played", "elapsed_s", "text"),
        [
            (10, 0, 5, ""),
            (0, 10, 5, ""),
            (10, 10, 50, "ETA 50 s"),
            (60, 2, 60, "ETA 30 min"),
            (100, 1, 117, "ETA 3 h 15 min"),
            (1000, 1, 260, "ETA 3.0 days"),
        ],
    )
    def test_time_to_the_end(self, left: int, played: int, elapsed_s: float, text: str) -> None:
        assert eta_text(left, played, elapsed_s) == text

    def test_error_bar_covers_the_truth(self) -> None:
        lottery = random.Random(3)
        inside = 0
        for _ in range(400):
            points = [float(lottery.random() < 0.6) + float(lottery.random() < 0.6) for _ in range(200)]
            elo = estimate(Pairs(points))
            assert elo is not None
            inside += elo.low <= elo_of(0.6) <= elo.high
        assert 0.92 * 400 <= inside <= 0.98 * 400

    @pytest.mark.parametrize(("truth", "verdict"), [(0.0, H0), (30.0, H1)])
    def test_sprt_errs_in_few_runs(self, truth: float, verdict: str) -> None:
        lottery = random.Random(5)
        sprt = Sprt(0, 30)
        right = 0
        for _ in range(100):
            pairs = Pairs()
            while not sprt.verdict(pairs):
                pairs.add(sum(float(lottery.random() < score_of(truth)) for _ in range(2)))
            right += sprt.verdict(pairs) == verdict
        assert right >= 88

    def test_a_verdict_stands(self) -> None:
        """Games in progress at the verdict may move the ratio back."""
        engines = (fake("random"), fake("random", "2"))
        schedule = Schedule(2, 400, openings(1) * 200)
        plan = MatchPlan(MatchConfig(XIANGQI, engines, MatchConditions(NO_CLOCK)), schedule, Sprt(0, 100))
        state = MatchState(plan, lambda *_: None)
        played = 0
        while (task := state.take()) is not None:
            played += 1
            winner = SECOND_WINS if task.swapped else FIRST_WINS
            state.count(task, PlayedGame(("a", "b"), task.opening, (str(task.number),), winner, "mate"))
        assert state.score.verdict == H1
        assert played < 400
        for number in range(played, played + 40):
            task = ScheduledGame(number, (number % 2, 1 - number % 2), openings(1)[0])
            winner = FIRST_WINS if task.swapped else SECOND_WINS
            state.count(task, PlayedGame(("a", "b"), task.opening, (str(number),), winner, "mate"))
        assert Sprt(0, 100).verdict(state.score.first.pairs) != H1
        assert state.score.verdict == H1
        assert state.take() is None

    def test_llr_sign(self) -> None:
        assert log_likelihood_ratio(Pairs(), 0, 10) == 0
        assert log_likelihood_ratio(Pairs([2.0, 1.0] * 10), 0, 10) > 0
        assert log_likelihood_ratio(Pairs([0.0, 1.0] * 10), 0, 10) < 0


class TestCommand:
    @staticmethod
    def arguments(*words: str) -> argparse.Namespace:
        parser = argparse.ArgumentParser()
        command.add_arguments(parser, GAMES)
        return parser.parse_args(words)

    @staticmethod
    def engine(name: str, behaviour: str) -> str:
        return f'name={name} cmd="{sys.executable} {FAKE} {behaviour} {name}"'

    def test_whole_match(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        out = tmp_path / "games.jsonl"
        engines = ["--engine", self.engine("a", "random"), "--engine", self.engine("b", "illegal")]
        words = [*engines, "--games", "4", "--nodes", "10", "--max-plies", "40", "--out", str(out)]
        assert command.run(self.arguments(*words)) == 0
        printed = capsys.readouterr().out
        assert printed.count("a - b  +4 =0 -0  100.0 %  Elo > -216 (95 %)") == 2  # the last game's line, and the end
        assert "draws 0.0 %  pairs [0, 0, 0, 0, 2]" in printed
        assert "b  0 crashes, 0 time losses, 4 illegal moves" in printed
        head, *games = [json.loads(line) for line in out.read_text().splitlines()]
        assert [engine["name"] for engine in head["match"]["engines"]] == ["a", "b"]
        assert [game["result"] for game in games] == ["1-0", "0-1", "1-0", "0-1"]
        assert command.run(self.arguments(*words)) == 2  # the file exists
        assert "games.jsonl" in capsys.readouterr().err

    @pytest.mark.parametrize(
        ("words", "token"),
        [
            (["--engine", "cmd=a"], "1 engines"),
            (["--engine", "cmd=a", "--engine", "cmd=a"], "'a'"),
            (["--engine", "cmd=a", "--engine", "a b"], "expected key=value after the first word, got 'b'"),
            (["--engine", "cmd=/nowhere/a", "--engine", "cmd=b"], "/nowhere/a"),
            (["--engine", "cmd=a", "--engine", "cmd=b", "--games", "100000"], "50000 distinct openings"),
            (
                ["--engine", "cmd=a", "--engine", "cmd=b", "--games", "100000"],
                "; make more with sanqi openings xiangqi --count 50000 --out FILE",
            ),
            (
                [
                    "--game",
                    "gomoku",
                    "--rule",
                    "renju",
                    "--size",
                    "19",
                    "--engine",
                    "cmd=a",
                    "--engine",
                    "cmd=b",
                    "--games",
                    "100000",
                ],
                "; make more with sanqi openings gomoku --rule renju --size 19x19 --count 50000 --out FILE",
            ),
            (["--engine", "cmd=a", "--engine", "cmd=b", "--openings", "/nowhere/o.txt"], "o.txt: No such file"),
            (["--engine", "cmd=a", "--engine", "cmd=b", "--sprt", "5"], "--sprt '5'"),
            (["--engine", "cmd=a", "--engine", "cmd=b", "--sprt", "5,0"], "--sprt '5,0'"),
            (["--engine", "cmd=a nodes=0", "--engine", "cmd=b"], "nodes is '0'"),
            (["--engine", "cmd=a tc=x", "--engine", "cmd=b"], "tc='x' is no time control"),
            (["--engine", "cmd=a tc=1 depth=2", "--engine", "cmd=b"], "tc= and depth= do not go together"),
            (["--engine", "cmd=a depth=2", "--engine", "cmd=b", "--ponder"], "--ponder needs a clock"),
            (
                ["--game", "junqi", "--engine", "name=a cmd=a movetime=5000", "--engine", "cmd=b", "--tc", "10"],
                "has one clock for all; engine a has a limit of its own",
            ),
            (["--engine", "cmd=a", "--engine", "cmd=b", "--sprt=-1000000,0"], "--sprt '-1000000,0'"),
            (["--engine", "cmd=a", "--engine", "cmd=b", "--sprt", "0,1e400"], "--sprt '0,1e400'"),
            (["--engine", "cmd=a", "--engine", "cmd=b", "--max-plies", "8"], "--max-plies 8: an opening has 8"),
        ],
    )
    def test_wrong_arguments(self, words: list[str], token: str, capsys: pytest.CaptureFixture[str]) -> None:
        assert command.run(self.arguments(*words)) == 2
        assert token in capsys.readouterr().err

    @pytest.mark.parametrize(
        ("text", "control"),
        [
            ("2+0.02", (2000, 20, 0)),
            ("60", (60_000, 0, 0)),
            ("0.5+1", (500, 1000, 0)),
            ("600+0", (600_000, 0, 0)),
            ("40/60", (60_000, 0, 40)),
            ("40/60+0.5", (60_000, 500, 40)),
        ],
    )
    def test_time_control_is_read_in_seconds(self, text: str, control: tuple[int, int, int]) -> None:
        assert self.arguments("--tc", text).tc == control

    @pytest.mark.parametrize(
        "words",
        [
            ["--games", "0"], ["--nodes", "x"], ["--nodes", "1", "--movetime", "1"], ["--tc", "0+1"], ["--tc", "x"],
            ["--tc", "1+"], ["--tc", "0/60"], ["--tc", "40/"], ["--tc=-1"], ["--tc", "1", "--nodes", "1"],
            ["--movetime", "9" * 13], ["--margin", "9" * 400], ["--games", "900000000"],
        ],
    )  # a command line, many words a line  # fmt: skip
    def test_wrong_numbers(self, words: list[str]) -> None:
        with pytest.raises(SystemExit):
            self.arguments(*words)

    @pytest.mark.parametrize("protocol", ["ucci", pytest.param("uci", marks=pytest.mark.long)])
    def test_clocks_are_sent_and_kept(self, protocol: str, tmp_path: Path) -> None:
        log = tmp_path / "log"
        option = "debuglogfile" if protocol == "ucci" else '"Debug Log File"'
        logged = f"name=a cmd={SANQI} proto={protocol} option.{option}={log}"
        words = [
            "--engine", logged, "--engine", f"name=b cmd={SANQI} proto=uci", "--games", "2", "--tc", "0.7+0.05",
            "--max-plies", "14",
        ]  # a command line, many words a line  # fmt: skip
        run = subprocess.run([SANQI, "match", *words], cwd=tmp_path, capture_output=True, text=True, timeout=120)
        assert run.returncode == 0, run.stderr
        assert "0.7+0.05 s a game" in run.stdout
        assert run.stdout.count(" 0 time losses") == 2
        lines = [line.split(" > ")[1].split() for line in log.read_text().splitlines() if " > go " in line]
        keys = ("time", "increment", "opptime", "oppincrement") if protocol == "ucci" else ("wtime", "winc", "btime")
        told = [[int(words[words.index(key) + 1]) for key in keys] for words in lines]
        assert told[0][:2] == [700, 50]
        assert {increment for _, increment, *_ in told} == {50}
        # Each move takes some of the clock and adds the increment.
        assert all(clock <= 700 + 10 * 50 for clock, *_ in told)
        assert min(clock for clock, *_ in told) < 700

    def test_the_margin_applies_once_per_game(self) -> None:
        """Not per move: an engine that is always a little late soon loses."""
        sleeper = EngineSpecification("late", (sys.executable, "-P", "-c", SLEEPER), "uci")
        players = XiangqiPlayer(sleeper), XiangqiPlayer(fake("random"))
        try:
            limit = ThinkingLimit(match_ms=100, increment_ms=1, margin_ms=1500)
            record = play_game(XIANGQI, players, START, MatchConditions(limit))
        finally:
            for player in players:
                player.stop()
        assert (record.result, record.reason) == (SECOND_WINS, "time")
        assert sum(stats.time_ms for stats in record.move_stats if stats.side == 0) <= 1700

    def test_a_clock_that_runs_out_loses(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(uci_player, "STOP_S", 0.2)  # the hanging engine hears no stop
        limit = ThinkingLimit(match_ms=2000, margin_ms=50)
        lost = game_of("random", "hang", limit)
        assert (lost.result, lost.reason) == (FIRST_WINS, "time")
