"""`sanqi gomocup`: the Gomocup protocol over standard input and output."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

    from gomoku_protocol.gomocup import GomocupProtocol
    from search_core.line_protocol import LineChannel


def adapter(channel: LineChannel) -> GomocupProtocol:
    """The adapter of a program that has just started: the start-up time counts for the first move."""
    from gomoku_protocol.gomocup import GomocupProtocol

    return GomocupProtocol(channel, bill_start=True)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `sanqi gomocup`."""
    from gomoku_protocol.levels import CHOICES, WEIGHTS
    from gomoku_protocol.settings import STYLES
    from search_core.levels import FULL, level_argument

    parser.add_argument(
        "--level",
        type=level_argument(*CHOICES),
        metavar="LEVEL",
        help=f"how well the engine plays: 1 to 20, {FULL}, or {WEIGHTS} (points without look-ahead)",
    )
    parser.add_argument("--style", choices=STYLES, help="how much attack and defence weigh")


def run(args: argparse.Namespace) -> int:
    """Serve the host. Returns the exit status 2 if standard input or output is closed."""
    from search_core.standard_channel import on_standard_channel

    def speak(channel: LineChannel) -> int:
        protocol = adapter(channel)
        for name in ("level", "style"):
            if (value := getattr(args, name)) is not None:
                protocol.command(f"INFO {name} {value}")
        return protocol.run()

    return on_standard_channel(speak)
