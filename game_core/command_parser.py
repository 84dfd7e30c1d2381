"""argparse for all commands of sanqi: one-line errors that suggest a name, help that fits 80 columns."""

from __future__ import annotations

import argparse
import difflib
import sys
import unicodedata
from collections.abc import Generator, Sequence
from typing import TYPE_CHECKING, Any, NoReturn

from search_core.line_protocol import printable

if TYPE_CHECKING:
    from _typeshed import SupportsWrite


class HelpFormatter(argparse.HelpFormatter):
    """Wraps at words. A Chinese character counts as two columns. A text with line breaks stays as it is."""

    def _split_lines(self, text: str, width: int) -> list[str]:
        return wrapped(text, width)

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        if "\n" in text:
            return text
        return "\n".join(indent + line for line in wrapped(text, width - len(indent)))

    # The list of commands, without the line "COMMAND" above it and without a second indentation.

    def _format_action(self, action: argparse.Action) -> str:
        text = super()._format_action(action)
        return text.partition("\n")[2] if isinstance(action, argparse._SubParsersAction) else text

    def _iter_indented_subactions(self, action: argparse.Action) -> Generator[argparse.Action, None, None]:
        if isinstance(action, argparse._SubParsersAction):
            yield from action._get_subactions()


class CommandParser(argparse.ArgumentParser):
    """The parser of the program or of a command. Its errors are one line and point to its own help."""

    def __init__(self, *args: Any, **settings: Any) -> None:
        settings.setdefault("formatter_class", HelpFormatter)
        super().__init__(*args, **settings)
        self.color = False  # from Python 3.14 on; the man page and the completions are made of this text

    @property
    def commands(self) -> dict[str, CommandParser]:
        """The parsers of the commands that the help lists."""
        for action in self._actions:
            if isinstance(action, argparse._SubParsersAction):
                return {choice.dest: action.choices[choice.dest] for choice in action._choices_actions}
        return {}

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: {printable(message)} (see {self.prog} --help)\n")

    def _print_message(self, message: str, file: SupportsWrite[str] | None = None) -> None:
        # argparse would ignore an error while it prints the help.
        print(message, end="", file=file or sys.stderr)

    def parse_known_args(  # type: ignore[override]
        self, args: Sequence[str] | None = None, namespace: argparse.Namespace | None = None
    ) -> tuple[argparse.Namespace, list[str]]:
        # argparse would let the program's parser refuse a command's unknown words. Here the command's parser does it.
        known, rest = super().parse_known_args(args, namespace)
        if rest:
            self._refuse(rest)
        if not hasattr(known, "given_words"):  # of the innermost command
            known.given_words = list(args or ())
        return known, rest

    def _refuse(self, rest: list[str]) -> NoReturn:
        option = next((word for word in rest if word.startswith("-")), None)
        if option is None:
            self.error(f"unexpected argument {rest[0][:40]!r}")
        name = option.partition("=")[0]
        self.error(f"unknown option {name[:40]!r}{suggestion(name, self._option_string_actions)}")

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        if action.choices is None or value in action.choices:
            return
        if isinstance(action, argparse._SubParsersAction):
            names = list(self.commands)
            what = f"unknown {str(action.metavar).lower()}"
            self.error(f"{what} {value[:40]!r}{suggestion(value, names) or f'; expected {listed(names)}'}")
        names = [str(choice) for choice in action.choices]
        text = f"{str(value)[:40]!r} is not one of {listed(names)}{suggestion(str(value), names)}"
        raise argparse.ArgumentError(action, text)


class RenamedOption(argparse.Action):
    """The old name of an option. It works for one version, says so, and is in no help."""

    def __init__(self, *args: Any, renamed: str, **settings: Any) -> None:
        super().__init__(*args, **settings)
        self._renamed = renamed

    def __call__(
        self, parser: argparse.ArgumentParser, namespace: argparse.Namespace, values: Any, option: str | None = None
    ) -> None:
        if isinstance(parser, CommandParser):  # else a file has kept the option
            print(f"{parser.prog}: {option} is called {self._renamed} now", file=sys.stderr)
        setattr(namespace, self.dest, values)


def add_old_name(group: argparse._ActionsContainer, old: str, action: argparse.Action) -> None:
    """Let an option be given by its old name, too."""
    group.add_argument(
        old,
        action=RenamedOption,
        renamed=action.option_strings[0],
        dest=action.dest,
        type=action.type or str,
        default=action.default,
        metavar=action.metavar,
        help=argparse.SUPPRESS,
    )


def suggestion(word: str, names: Sequence[str] | dict[str, Any]) -> str:
    """``; did you mean 'match'?`` if a name is close to the word, else ''."""
    close = difflib.get_close_matches(word, list(names), n=1)
    return f"; did you mean {close[0]!r}?" if close else ""


def listed(names: Sequence[str]) -> str:
    return ", ".join(names)


def columns(text: str) -> int:
    """The width of a text in columns of a terminal."""
    return sum(2 if unicodedata.east_asian_width(character) in "WF" else 1 for character in text)


def wrapped(text: str, width: int) -> list[str]:
    """The words of a text in lines of at most `width` columns."""
    lines = [""]
    for word in text.split():
        joined = f"{lines[-1]} {word}" if lines[-1] else word
        if lines[-1] and columns(joined) > width:
            lines.append(word)
        else:
            lines[-1] = joined
    return lines
