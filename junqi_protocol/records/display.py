"""Junqi positions for people: lines of styled text for a terminal, and SVG drawings."""

from __future__ import annotations

import math
from html import escape
from typing import TYPE_CHECKING, NamedTuple

from game_core.display import encodable
from junqi_protocol.rules.geometry import Variant, move_text
from junqi_protocol.rules.lineup import FLAG, PIECES, placed
from junqi_protocol.rules.messages import Left, Moved, Skipped
from junqi_protocol.rules.position import RESULTS
from search_core.line_protocol import excerpt

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rich.text import Text

    from junqi_protocol.knowledge.player_view import PlayerView
    from junqi_protocol.rules.messages import Happening
    from junqi_protocol.rules.position import Position

SEAT_STYLES = ("bold dark_orange", "bold magenta", "bold green", "bold bright_blue")
"""Styles of the seats in a terminal, for rich."""
SEAT_COLOURS = ("#d9822b", "#8e44ad", "#2e8b57", "#2f6fb7")
"""Colours of the seats in drawings."""
_NAMES = {
    "9": ("司令", "commander"),
    "8": ("军长", "general"),
    "7": ("师长", "division"),
    "6": ("旅长", "brigade"),
    "5": ("团长", "regiment"),
    "4": ("营长", "battalion"),
    "3": ("连长", "company"),
    "2": ("排长", "platoon"),
    "1": ("工兵", "engineer"),
    "B": ("炸弹", "bomb"),
    "M": ("地雷", "mine"),
    "F": ("军旗", "flag"),
}
NAMES = {letter: chinese for letter, (chinese, _) in _NAMES.items()} | {"?": "?"}
ENGLISH = {letter: english for letter, (_, english) in _NAMES.items()}
_CHARACTERS = dict(zip("987654321BMF", "司军师旅团营连排兵炸雷旗"))
"""The pieces on the board, where the terminal can show them."""
_CAMP, _HEADQUARTERS, _RAIL, _ROAD, _LAST = "()", "[]", "+", ".", "*"


def arrow(variant: Variant, seat: int) -> str:
    """The direction that a seat's pieces face. It shows the owner where there are no colours."""
    return ("^<v>" if variant.seats == 4 else "^v")[seat]


def legend(variant: Variant) -> Text:
    """The arrow of each seat."""
    from rich.text import Text

    parts = [Text(f"{arrow(variant, seat)} seat {seat}", SEAT_STYLES[seat]) for seat in range(variant.seats)]
    return Text("   ").join(parts)


def piece_name(letter: str) -> str:
    """The Chinese name of a piece, or the English one if the terminal cannot write that."""
    return encodable(NAMES[letter]) or ENGLISH[letter]


def names_legend() -> list[str]:
    """What the letters of the pieces and the signs of the board mean."""
    names = [" ".join(filter(None, (letter, encodable(NAMES[letter]), name))) for letter, name in ENGLISH.items()]
    return [
        *("   ".join(names[first : first + 4]) for first in range(0, len(names), 4)),
        f"( ) camp   [ ] headquarters   {_RAIL} railway   {_ROAD} road   {_LAST} last move",
    ]


def moves_text(position: Position, square: str = "") -> str:
    """The squares of the pieces that may move, or where the piece on a square may go. Raises ValueError for a square
    that is none."""
    squares, point = position.variant.squares, position.variant.numbers.get(square.lower())
    if square and point is None:
        raise ValueError(f"{excerpt(square)} is no square")
    moves = position.legal_moves()
    points = [move & 255 for move in moves if move >> 8 == point] if square else dict.fromkeys(m >> 8 for m in moves)
    return " ".join(squares[each] for each in points) or "none"


def seen_pieces(view: PlayerView) -> dict[int, tuple[int, str]]:
    """The pieces by point, seat and letter, as the player of a view sees them."""
    return {
        point: (seat, PIECES[FLAG] if view.knowledge.flag_of(seat) == point else PIECES[kind])
        for seat in range(view.position.variant.seats)
        for point, kind in view.position.pieces(seat)
    }


def view_lines(view: PlayerView, last: tuple[int, ...], guesses: Mapping[int, str], width: int) -> list[Text]:
    """The board as the player of a view sees it, with what each seat has lost. The others are those of board_lines()
    and losses()."""
    variant = view.position.variant
    return [
        *board_lines(variant, seen_pieces(view), last, guesses, has_characters=True),
        *losses(variant, view.knowledge.dead, width),
    ]


def last_points(happenings: Sequence[Happening]) -> tuple[int, ...]:
    """The points of the last move."""
    move = next((happening.move for happening in reversed(happenings) if isinstance(happening, Moved)), None)
    return () if move is None else (move >> 8, move & 255)


def losses(variant: Variant, dead: Sequence[Sequence[int]], width: int) -> list[Text]:
    """What each seat has lost, if anything, in lines of at most `width` cells. `dead`: as in Knowledge."""
    from rich.cells import cell_len
    from rich.text import Text

    lines = []
    for seat, lost in enumerate(dead):
        if lost:
            known = sorted((types.bit_length() - 1 for types in lost if not types & (types - 1)), reverse=True)
            letters = [PIECES[kind] for kind in known] + ["?"] * (len(lost) - len(known))
            words = [letter if letter == "?" else f"{letter} {piece_name(letter)}" for letter in letters]
            line = f"   {arrow(variant, seat)} lost {len(lost)}:"
            for word in (*(f" {word}," for word in words[:-1]), f" {words[-1]}"):
                if cell_len(line + word) > width:
                    lines.append(Text(line, style=SEAT_STYLES[seat]))
                    line = " " * 4
                line += word
            lines.append(Text(line, style=SEAT_STYLES[seat]))
    return lines


def last_pieces(lineups: Mapping[int, str], happenings: Sequence[Happening]) -> dict[int, tuple[int, str]]:
    """All pieces at the end of a game, by point: seat and letter. Those of a seat that fell in the last ply are still
    there."""
    pieces = {point: (seat, letter) for point, seat, letter in placed(lineups.items())}
    out: set[int] = set()
    for happening in happenings:
        pieces = {point: piece for point, piece in pieces.items() if piece[0] not in out}
        if isinstance(happening, Moved):
            result = RESULTS[happening.result]
            piece, target = pieces.pop(happening.move >> 8), happening.move & 255
            if result == "BOMB":
                pieces.pop(target)
            elif result != "KILLED":
                pieces[target] = piece
        out.update(seat for seat, _ in happening.outs)
    return pieces


def place(variant: Variant, point: int) -> tuple[int, int]:
    """Column and row of a point in a picture, from the top left."""
    square = variant.squares[point]
    return ord(square[0]) - ord("a"), (17 if variant.seats == 4 else 12) - int(square[1:])


def board_lines(
    variant: Variant,
    pieces: Mapping[int, tuple[int, str]],
    marked: tuple[int, ...] = (),
    guesses: Mapping[int, str] | None = None,
    *,
    has_characters: bool = False,
) -> list[Text]:
    """The board with the names of its squares and a legend. A point takes four columns; the arrow before a piece shows
    its seat. `marked` points are highlighted and have a star: the last move. `guesses`: letters by point, shown with a
    question mark for unknown pieces there. `has_characters`: pieces have their characters, which are two columns wide,
    if the terminal can show them; then they have no right bracket."""
    from rich.text import Text

    width, height = (17, 17) if variant.seats == 4 else (5, 12)
    points = {place(variant, point): point for point in range(variant.size)}
    lines = []
    for row in range(height):
        line = Text().append(f"{height - row:>2} ", style="dim")
        for column in range(width):
            point = points.get((column, row))
            if point is None:
                line.append("    ")
                continue
            if point in variant.camps:
                left, right, empty = *_CAMP, " "
            elif point in variant.headquarters:
                left, right, empty = *_HEADQUARTERS, " "
            else:
                left, right, empty = " ", " ", _RAIL if variant.rails[point] else _ROAD
            line.append(_LAST if point in marked else left, style="dim")
            if point in pieces:
                seat, letter = pieces[point]
                guess = guesses.get(point) if guesses and letter == "?" else None
                if guess:
                    letter, right = guess, "?"
                character = encodable(_CHARACTERS.get(letter, "")) if has_characters else ""
                if character and guess:
                    line.right_crop(1)
                    line.append("?", style="dim")
                text, style = arrow(variant, seat) + (character or letter), SEAT_STYLES[seat]
                right = "" if character else right
            else:
                text, style = f" {empty}", "dim"
            line.append(text, style=f"{style} reverse" if point in marked else style)
            line.append(right, style="dim")
        lines.append(line)
    lines.append(Text("   " + "".join(f"  {chr(ord('a') + column)} " for column in range(width)), style="dim"))
    lines.append(Text("   ").append_text(legend(variant)))
    return lines


def happening_text(variant: Variant, happening: Happening) -> str:
    """A ply in words."""
    if isinstance(happening, Moved):
        ends = ("", " takes", " dies", " both die")
        words = f"{move_text(variant, happening.move)}{ends[happening.result]}"
        words += "".join(f"; seat {seat}'s flag is on {variant.squares[point]}" for seat, point in happening.flags)
        return words + "".join(f"; seat {seat} is out ({reason})" for seat, reason in happening.outs)
    if isinstance(happening, Skipped):
        times = f"does not move ({happening.kind}, {happening.number})"
        return times + ("; it is out" if happening.out else "")
    assert isinstance(happening, Left)
    return f"is out ({happening.reason})"


def ply_text(variant: Variant, happening: Happening) -> str:
    """A ply in words, with its number and its seat."""
    return f"{happening.ply}. seat {happening.seat}: {happening_text(variant, happening)}"


_LOSSES = {
    "flag": "{whose} flag has fallen",
    "nomove": "{who} {have} no legal move",
    "resign": "{who} {have} resigned",
    "skips": "{who} {have} skipped too often",
    "time": "{whose} time is used up",
    "illegal": "{who} {have} given too many illegal answers",
    "exit": "{who} {have} left the game",
    "quiet": "{who} {have} reached the limit of plies without a clash",
}
_DRAWS = {
    "quiet": "the limit of plies without a clash is reached",
    "plies": "the limit of plies is reached",
    "nomove": "no team has a legal move",
    "agreed": "the teams have agreed",
}


def ending_text(outcome: str, own: Sequence[int], happenings: Sequence[Happening]) -> str:
    """The end of a game in a sentence, for the player of the seats `own`. `outcome`: the words after `gameover`."""
    fallen = [seat for happening in happenings for seat, _ in happening.outs]
    mover = happenings[-1].seat if happenings else 0
    result, *winners, reason = outcome.split()
    if result == "draw":
        return f"The game is drawn: {_DRAWS.get(reason, reason)}."
    seats = [int(seat) for seat in winners[0].split(",")]
    loser = mover if reason == "quiet" else next((seat for seat in reversed(fallen) if seat not in seats), 1 - seats[0])
    names = {"who": f"seat {loser}", "whose": f"seat {loser}'s", "have": "has"}
    if loser in own:
        names = {"who": "you", "whose": "your", "have": "have"}
    win = f"Seats {seats[0]} and {seats[1]} win" if len(seats) > 1 else f"Seat {seats[0]} wins"
    return f"{'You win' if set(seats) <= set(own) else win}: {_LOSSES.get(reason, reason).format_map(names)}."


class Arrow(NamedTuple):
    """A move in a drawing."""

    move: int
    label: str
    colour: str


def svg(
    variant: Variant,
    pieces: Mapping[int, tuple[int, str]],
    marked: tuple[int, ...] = (),
    title: str = "",
    *,
    arrows: Sequence[Arrow] = (),
    links: Mapping[int, tuple[str, str]] | None = None,
) -> str:
    """A drawing of a position: railways thick, roads thin, camps round, headquarters square. Pieces point where their
    seat faces.

    `arrows`: the first is drawn on top. `links`: by point, where the piece leads when it is clicked, and its tooltip.
    """
    links = links or {}
    step, size = 40, 15
    width, height = (17, 17) if variant.seats == 4 else (5, 12)
    centres = [((x + 1) * step, (y + 1) * step) for x, y in (place(variant, point) for point in range(variant.size))]
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {(width + 1) * step} {(height + 1) * step}"'
        ' font-family="sans-serif" text-anchor="middle">',
        f"<title>{escape(title)}</title>",
        '<rect width="100%" height="100%" fill="#f6efe0"/>',
    ]

    for point, (x, y) in enumerate(centres):
        for thickness, joined in ((1, variant.roads[point]), (4, variant.rails[point])):
            for to_x, to_y in (centres[other] for other in joined if point < other):
                out.append(f'<path d="M{x} {y}L{to_x} {to_y}" stroke="#6b5b45" stroke-width="{thickness}"/>')
    for point, (x, y) in enumerate(centres):
        if point in variant.camps:
            out.append(f'<circle cx="{x}" cy="{y}" r="{size}" fill="#f6efe0" stroke="#6b5b45" stroke-width="2"/>')
        elif point in variant.headquarters:
            out.append(
                f'<rect x="{x - size}" y="{y - size}" width="{2 * size}" height="{2 * size}"'
                ' fill="#e3d3b3" stroke="#6b5b45" stroke-width="2"/>'
            )
        if point in pieces:
            seat, letter = pieces[point]
            edge = "#c0392b" if point in marked else "#333"
            target, tip = links.get(point, ("", f"seat {seat}"))
            start, end = (f'<a href="{escape(target)}">', "</a>") if target else ("<g>", "</g>")
            out.append(
                f"{start}<title>{escape(tip)}</title>"
                f'<polygon points="{_outline(x, y, arrow(variant, seat))}" fill="{SEAT_COLOURS[seat]}"'
                f' stroke="{edge}" stroke-width="{3 if point in marked else 1}"/>'
                f'<text x="{x}" y="{y + 5}" font-size="13" fill="#fff">{NAMES[letter]}</text>{end}'
            )
        elif point in marked:
            out.append(f'<circle cx="{x}" cy="{y}" r="5" fill="#c0392b"/>')
    out += [_arrow(centres[arrow.move >> 8], centres[arrow.move & 255], arrow) for arrow in reversed(arrows)]
    for column in range(width):
        out.append(_label((column + 1) * step, (height + 1) * step - 8, chr(ord("a") + column)))
    for row in range(height):
        out.append(_label(10, (row + 1) * step + 4, str(height - row)))
    return "\n".join([*out, "</svg>", ""])


def _outline(x: int, y: int, looks: str) -> str:
    """The corners of a piece: a box with one pointed side."""
    corners = {
        "^": ((-17, 12), (-17, -10), (0, -18), (17, -10), (17, 12)),
        "v": ((-17, -12), (-17, 10), (0, 18), (17, 10), (17, -12)),
        "<": ((16, -12), (-12, -12), (-20, 0), (-12, 12), (16, 12)),
        ">": ((-16, -12), (12, -12), (20, 0), (12, 12), (-16, 12)),
    }[looks]
    return " ".join(f"{x + right},{y + down}" for right, down in corners)


def _arrow(origin: tuple[int, int], target: tuple[int, int], arrow: Arrow) -> str:
    """An arrow that leaves the middles of both points free."""
    (x1, y1), (x2, y2) = origin, target
    length = math.hypot(x2 - x1, y2 - y1)
    dx, dy = (x2 - x1) / length, (y2 - y1) / length
    tail, neck, tip = ((x1 + dx * far, y1 + dy * far) for far in (8, length - 17, length - 7))
    head = (tip, (neck[0] - 6 * dy, neck[1] + 6 * dx), (neck[0] + 6 * dy, neck[1] - 6 * dx))
    corners = " ".join(f"{x:.1f},{y:.1f}" for x, y in head)
    x, y = (tail[0] + neck[0]) / 2, (tail[1] + neck[1]) / 2
    return (
        f'<g pointer-events="none"><path d="M{tail[0]:.1f} {tail[1]:.1f}L{neck[0]:.1f} {neck[1]:.1f}"'
        f' stroke="{arrow.colour}" stroke-width="4"/><polygon points="{corners}" fill="{arrow.colour}"/>'
        f'<circle cx="{x:.1f}" cy="{y:.1f}" r="8" fill="{arrow.colour}" stroke="#fff"/>'
        f'<text x="{x:.1f}" y="{y + 4:.1f}" font-size="11" font-weight="bold" fill="#fff">{escape(arrow.label)}</text>'
        "</g>"
    )


def _label(x: int, y: int, text: str) -> str:
    return f'<text x="{x}" y="{y}" font-size="11" fill="#6b5b45">{text}</text>'
