"""What behaviour says of hidden Junqi pieces: the whole command on a few games, and what a fit must keep."""

from __future__ import annotations

import runpy
from pathlib import Path

import numpy as np
import pytest
from sanqi_training import junqi_behaviour
from sanqi_training.junqi_behaviour import Model, read, samples
from sanqi_training.selfplay.junqi import JunqiPlayer, lineup_kind, played
from sanqi_training.selfplay.store import Game, GameWriter, game_seed

from junqi_protocol.knowledge.behaviour_table import TABLES
from junqi_protocol.rules.geometry import VARIANTS
from junqi_protocol.rules.lineup import LINEUPS, PIECES, UNKNOWN, mirrored, parse
from junqi_protocol.rules.rated_lineups import RATED_LINEUPS

GAMES = 8


def header(variant: str) -> dict[str, object]:
    return {"game": "junqi", "record": 1, "variant": variant, "see": "team", "seed": 1}


def write_games(folder: Path, variant: str) -> Path:
    path = folder / f"{variant}.games"
    player = JunqiPlayer(30, variant, "team")
    writer = GameWriter(path, header(variant), 1)
    for number in range(GAMES):
        writer.add(Game(number, player.play(game_seed(1, number))))
    writer.close()
    return path


def test_the_kind_of_lineups_is_that_of_the_game() -> None:
    rated = {parse(text) for text in RATED_LINEUPS["duel"]}
    player = JunqiPlayer(30, "duel", "team")
    kinds = [lineup_kind(header("duel"), number) for number in range(GAMES)]
    assert set(kinds) == set(LINEUPS)
    for number, kind in enumerate(kinds):
        game = played(header("duel"), player.play(game_seed(1, number)))
        assert all(({lineup, mirrored(lineup)} & rated != set()) == (kind == "rated") for lineup in game.lineups)


def test_the_fit_prefers_the_true_types(tmp_path: Path) -> None:
    """And lets each type's weights have the mean 1, so that a least weight means the same for all."""
    write_games(tmp_path, "duel")
    to_fit, to_measure = read([tmp_path])["duel"]
    assert to_fit and to_measure
    for sample in to_fit:
        assert all(types >> kind & 1 for types, kind in zip(sample.types, sample.true))
    model = Model()
    model.fit(to_fit)
    tally = junqi_behaviour.measure(model, to_fit)["all",]
    assert tally.fitted < 0.95 * tally.even
    logarithms: list[list[float]] = [[] for _ in range(UNKNOWN)]
    for sample in to_fit:
        for types, code in zip(sample.types, sample.codes):
            if code is not None:
                for kind, weight in enumerate(model.weights(code, [1.0] * UNKNOWN)):
                    if types >> kind & 1:
                        logarithms[kind].append(np.log(weight))
    for kind in range(PIECES.index("1"), UNKNOWN):
        assert np.mean(logarithms[kind]) == pytest.approx(0, abs=0.01)


def test_an_army_is_seen_by_the_other_team(tmp_path: Path) -> None:
    player = JunqiPlayer(30, "siguo", "own")
    game = played({**header("siguo"), "see": "own"}, player.play(game_seed(1, 1)))
    found = list(samples(game, "sound"))
    assert found
    assert all(len(sample.types) == junqi_behaviour.ARMY_SIZE for sample in found)


def test_the_table_and_the_plots_are_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for variant in VARIANTS:
        write_games(tmp_path, variant)
    table = tmp_path / "table.py"
    monkeypatch.setattr("sys.argv", ["junqi_behaviour", str(tmp_path), "--table", str(table), "--plots", str(tmp_path)])
    junqi_behaviour.main()
    said = capsys.readouterr().out
    tables = runpy.run_path(str(table))["TABLES"]
    for variant in VARIANTS:
        assert f"{variant}: fitted on " in said
        assert {len(row) for row in tables[variant].values()} == {UNKNOWN}
        assert "</svg>" in (tmp_path / f"junqi-behaviour-{variant}.svg").read_text(encoding="utf-8")


def test_a_board_without_games_keeps_its_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_games(tmp_path, "duel")
    table = tmp_path / "table.py"
    monkeypatch.setattr("sys.argv", ["junqi_behaviour", str(tmp_path), "--table", str(table), "--plots", str(tmp_path)])
    junqi_behaviour.main()
    tables = runpy.run_path(str(table))["TABLES"]
    assert list(tables) == list(VARIANTS)
    assert tables["siguo"] == TABLES["siguo"]
    assert tables["duel"] != TABLES["duel"]
    assert not (tmp_path / "junqi-behaviour-siguo.svg").exists()


def test_a_folder_without_games_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.argv", ["junqi_behaviour", str(tmp_path)])
    with pytest.raises(SystemExit):
        junqi_behaviour.main()
    assert "no games" in capsys.readouterr().err


def test_games_of_another_game_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    GameWriter(tmp_path / "x.games", {"game": "gomoku", "record": 1}, 1).close()
    monkeypatch.setattr("sys.argv", ["junqi_behaviour", str(tmp_path)])
    with pytest.raises(SystemExit):
        junqi_behaviour.main()
    assert "x.games: games of gomoku" in capsys.readouterr().err
