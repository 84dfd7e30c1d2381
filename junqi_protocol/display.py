"""Junqi for a person at a terminal, in `sanqi play`."""

from __future__ import annotations

from game_core.display import GameDisplay, InputError, SavedGame
from junqi_protocol.players.levels import CHOICES, LEVELS_HELP, SEARCH, SPELLINGS, read_level
from junqi_protocol.players.thinking_time import add_movetime
from search_core.failures import named
from search_core.line_protocol import legible
from search_core.number_argument import add_number

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from rich.text import Text

    from game_core.chooser import OwnEngineChooser
    from game_core.session import Session, Verdict
    from game_core.table import Moved
    from junqi_protocol.session import JunqiSession
    from search_core.engine import Engine

_DRAW, _CHOOSE = "draw", "choose"
TYPED_MOVES = "a move as two squares (g6g9)"
MORE_COMMANDS = """\
  pass           do not move
  draw           offer a draw with your next move, or agree to one
  mark SQUARE 9  note your guess of an enemy's piece (1-9, B, M or F), which
                 moves with it; without a guess, remove the note
  legend         show what letters and signs mean
"""
"""What can be typed in Junqi alone, at a table or under the referee."""
RULES = """\
Junqi, army chess. You see your own pieces alone. Seats move in turn; in the
game of four, seats 0 and 2 play against 1 and 3.
  Piece moves    one point along a road, or any number of free points straight
                 along a railway (+); only an engineer turns on the rails
  Never move     the flag, mines, and pieces in a headquarters [ ]
  Camps ( )      a piece there cannot be attacked
  To attack, move onto an enemy's piece. The higher rank stays, equal ones both
  die. From the highest: 9 commander, 8 general, 7 division, 6 brigade,
  5 regiment, 4 battalion, 3 company, 2 platoon, 1 engineer.
    B bomb       dies with whatever it meets
    M mine       kills what attacks it; only an engineer takes it away
    F flag       any piece takes it; then its seat is out
  You learn only who dies. When a commander dies, its flag is shown.
A seat is out when its flag is taken, when it cannot move, at its fifth pass or
when it resigns; its pieces leave the board. A team wins when the other is out.
After 70 plies without an attack the game is drawn.
"""


class JunqiDisplay(GameDisplay):
    """Junqi in `sanqi play`: the person has one seat, the engine the others."""

    examples = """\
examples (the game of two, against an easier opponent; four seats, with a
lineup of your own):
  sanqi play junqi --variant duel --level 3
  sanqi play junqi --lineup mine.jql --partner path --enemies greedy
"""
    typed_moves = TYPED_MOVES
    more_commands = MORE_COMMANDS
    save_help = "save the game, for --resume FILE"
    saved_as = "jgr"
    ply_names = ("ply", "plies")
    seed_help = "the same number gives the same lineups, and at levels 1 to 19 the same moves give the same game"
    level_names = (*CHOICES, *SPELLINGS)
    tells_at_once = True
    rules = RULES

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument(
            "--variant", choices=["siguo", "duel"], help="four seats (default), 0 and 2 against 1 and 3, or two"
        )
        add_number(parser, "--seat", 0, 3, "N", "your seat (default 0, which begins)")
        parser.add_argument("--resume", metavar="FILE", help="go on with a saved game")
        for option, default, what in (
            ("--level", SEARCH, f"level of the other seats: {LEVELS_HELP} (default %(default)s)"),
            ("--partner", None, "who plays your partner's seat (default: as --level)"),
            ("--enemies", None, "who plays the enemies' seats (default: as --level)"),
        ):
            parser.add_argument(option, type=read_level, default=default, metavar="LEVEL", help=what)
        add_movetime(parser)
        parser.add_argument(
            "--lineup",
            default=_DRAW,
            metavar="LINEUP",
            help=f"your lineup: '{_DRAW}' at random (default), '{_CHOOSE}' at the start, a .jql file, a file with "
            "lineups (one of them is drawn), or 30 characters as 96317/5.3.5/81.37/B.2.4/6M2MB/4FM21",
        )

    def load(self, file: str) -> SavedGame:
        from junqi_protocol.records.records import RecordError, Replay, record_text
        from junqi_protocol.session import PLAY_COMMENT
        from search_core.input_file import read_input

        with named(f"--resume {legible(file)} cannot be read", OSError, InputError):
            data = read_input(file)
        with named(f"--resume {legible(file)}", RecordError, InputError):
            arbiter = Replay(data).arbiter
        comments = [line.decode("ascii", "replace").strip() for line in data.splitlines() if line.startswith(b"#")]
        lines = (text for text in comments if text.startswith(PLAY_COMMENT))
        options = next((text.removeprefix(PLAY_COMMENT) for text in lines), None)
        if options is None:  # an older version has named the seat alone
            seats = (seat for seat in range(arbiter.variant.seats) if f"# you are seat {seat}" in comments)
            self._default_seat = next(seats, 0)
        own = f"{record_text(arbiter)}{PLAY_COMMENT}{options}\n".encode("ascii", "replace") == data
        return SavedGame(arbiter, options, data, own)

    _default_seat = 0

    def settle(self, args: argparse.Namespace) -> None:
        if args.saved is not None:
            if args.variant is not None or args.lineup != _DRAW:
                raise InputError("--resume: the game has its variant and its lineups already")
            args.variant = args.saved.game.variant.name
        args.variant = args.variant or "siguo"
        args.seat = self._default_seat if args.seat is None else args.seat
        seats = 4 if args.variant == "siguo" else 2
        if not 0 <= args.seat < seats:
            raise InputError(f"--seat {args.seat} must be from 0 to {seats - 1}")
        if args.variant == "duel" and args.partner is not None:
            raise InputError("--partner: with two seats you have no partner")

    def ask(self, args: argparse.Namespace, read: Callable[[], str | None]) -> None:
        """The person's lineup, as `args.chosen`; None: it is drawn."""
        import random
        from pathlib import Path

        from junqi_protocol.rules import lineup

        chance = random.Random(args.seed)
        args.chosen = None
        if args.lineup == _CHOOSE:
            from rich.console import Console

            from junqi_protocol.referee.lineup_dialogue import choose

            args.chosen = choose(read, Console(highlight=False), lambda: lineup.rated_lineup(args.variant, chance))
        elif args.lineup != _DRAW:
            path = Path(args.lineup)
            refused = named("--lineup", lineup.LineupError, InputError)
            with refused, named(f"--lineup {legible(args.lineup)}", OSError, InputError):
                is_lineup = "/" in args.lineup and not path.exists()
                args.chosen = lineup.parse(args.lineup) if is_lineup else chance.choice(lineup.from_file(path))

    def open_session(self, args: argparse.Namespace) -> JunqiSession:
        from junqi_protocol.session import JunqiSession

        lineups = {} if args.chosen is None else {args.seat: args.chosen}
        return JunqiSession(args.variant, args.seed, lineups, None if args.saved is None else args.saved.game)

    def seat(self, args: argparse.Namespace, session: Session) -> int:
        seat: int = args.seat
        return seat

    def levels(self, args: argparse.Namespace, session: Session) -> list[str]:
        own = args.seat % 2
        return [(args.partner if seat % 2 == own else args.enemies) or args.level for seat in range(len(session.sides))]

    def chooser(self, args: argparse.Namespace, engine: Engine, level: str) -> OwnEngineChooser:
        from junqi_protocol.session import JunqiChooser

        return JunqiChooser(read_level(level), args.movetime)

    def read_level(self, text: str) -> str:
        level = super().read_level(text)
        return SPELLINGS.get(level, level)

    def options_at_level(self, options: Mapping[str, str], level: str) -> dict[str, str]:
        kept = super().options_at_level(options, level)
        return {name: text for name, text in kept.items() if name not in ("partner", "enemies")}

    # The game. Each session here is a JunqiSession

    def opening(self, session: Session, seat: int, level: str) -> str:
        partner = f", your partner seat {(seat + 2) % 4}" if len(session.sides) == 4 else ""
        return f"Junqi, level {level}: you have seat {seat}{partner}."

    def introduction(self, session: Session) -> Iterator[tuple[str, str]]:
        from junqi_protocol.records.display import names_legend

        for line in names_legend():
            yield f"{line}\n", "dim"

    def prompt(self, session: Session, seat: int) -> str:
        arbiter = _of(session).arbiter
        left = "" if arbiter.clocks is None else f" ({arbiter.clocks[seat] / 1000:.0f} s)"
        return f"ply {arbiter.next_ply}, you are seat {seat}{left}"

    def told(self, session: Session, moved: Moved, seat: int) -> tuple[str, str]:
        from junqi_protocol.records.display import SEAT_STYLES, ply_text

        arbiter = _of(session).arbiter
        happening = arbiter.happenings[-1]
        return ply_text(arbiter.variant, happening), SEAT_STYLES[happening.seat]

    def board(self, session: Session, seat: int) -> Iterator[tuple[str, str]]:
        """The board as the seat sees it and what it has lost; after the end, all pieces and the lineups."""
        from rich.console import Console

        from junqi_protocol.records.display import SEAT_STYLES, board_lines, last_pieces, last_points, view_lines

        junqi = _of(session)
        arbiter = junqi.arbiter
        last = last_points(arbiter.happenings)
        lines: Iterable[Text]
        if arbiter.outcome is None:
            width = Console().width
            guesses = junqi.notes.guesses(arbiter.happenings)
            lines = view_lines(junqi.player_view(seat), last, guesses, width)
        else:
            for owner, line in enumerate(junqi.lineup_lines()):
                yield f"{line}\n", SEAT_STYLES[owner]
            pieces = last_pieces(dict(enumerate(arbiter.lineups)), arbiter.happenings)
            lines = board_lines(arbiter.variant, pieces, last, has_characters=True)
        yield "\n", ""
        console = Console()
        for text in lines:
            for segment in text.render(console):
                yield segment.text, str(segment.style or "")
            yield "\n", ""
        if arbiter.outcome is None and arbiter.turn == seat:
            own = [happening for happening in arbiter.happenings if happening.seat == seat]
            if arbiter.asks_for_draw:
                yield "The enemies offer a draw. To agree, type draw and then your move.\n", "bold"
            elif own and own[-1].spent.draw:
                yield "Your offer of a draw was not accepted.\n", ""

    def moves(self, session: Session, seat: int, point: str) -> Iterator[str]:
        from junqi_protocol.records.display import moves_text

        try:
            yield moves_text(_of(session).player_view(seat).position, point)
        except ValueError as error:
            raise InputError(str(error)) from None

    def command(self, session: Session, seat: int, word: str, rest: str) -> str | None:
        junqi = _of(session)
        if word == "legend":
            from junqi_protocol.records.display import names_legend

            return "\n".join(names_legend())
        if word != "mark":
            return None
        try:
            junqi.notes.mark(junqi.player_view(seat).position, rest.split())
        except ValueError as error:
            raise InputError(str(error)) from None
        return ""

    def ending(self, session: Session, verdict: Verdict, seat: int | None = None) -> str:
        from junqi_protocol.records.display import ending_text

        return ending_text(verdict.reason, () if seat is None else (seat,), _of(session).arbiter.happenings)

    # Files

    def format_of(self, file: str) -> str:
        return self.saved_as

    def kept_options(self, format: str, options: Mapping[str, str]) -> dict[str, str] | None:
        return dict(options)


def _of(session: Session) -> JunqiSession:
    from junqi_protocol.session import JunqiSession

    assert isinstance(session, JunqiSession)
    return session
