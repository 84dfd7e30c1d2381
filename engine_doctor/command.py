"""`sanqi doctor`: checks an engine against the habits of real GUIs and hosts; says what fails and how to fix it."""

from __future__ import annotations

import argparse
import contextlib
import logging
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import IO

from engine_client.check import (
    FIX_ENDED,
    HANDSHAKE_S,
    Check,
    CheckedProtocol,
    CheckFailed,
    EngineUnderTest,
    NotSpoken,
    NotTried,
    Overrun,
)
from engine_client.dialogue import (
    CommandError,
    Dialogue,
    LogError,
    end_engines,
    engine_command,
    engines_ended,
    quoted,
    write_log,
)
from engine_client.process import EngineDied, EngineSilent
from game_core.description import GameDescription, HostDescription
from search_core.clock import now_s
from search_core.failures import named
from search_core.input_file import open_input
from search_core.line_protocol import excerpt
from search_core.parts import load_part
from search_core.whole_file import UnfinishedFile, is_stream

EXAMPLE = """\
examples:
  this program:
    sanqi doctor
  an engine of your own:
    sanqi doctor --engine ./my-engine --game {game}
  an engine that needs an option for the game:
    sanqi doctor --engine fairy-stockfish --set UCI_Variant={game}
  one host only, with a log of the dialogue:
    sanqi doctor --engine "python my_engine.py" --host piskvork --log log.txt
"""

_LOG_HEAD = "# sanqi doctor"
_LATE_S = 1.0
_TRIES = 2

PASSED, FAILED, NOT_SPOKEN, NOT_TRIED = "passed", "failed", "not spoken", "not tried"
_STYLES = {PASSED: "green", FAILED: "bold red", NOT_SPOKEN: "dim", NOT_TRIED: "yellow"}


class DoctorError(ValueError):
    """An argument that cannot be used; the message is one line."""


@dataclass(frozen=True)
class Finding:
    """The result of a check, or of a host whose protocol the engine does not speak."""

    host: str
    check: str
    verdict: str
    cause: str = ""
    fix: str = ""

    def lines(self) -> list[str]:
        head = f"{self.host:<18}{self.check:<18}{self.verdict}"
        return [f"{head}: {self.cause}" if self.cause else head, *([f"  fix: {self.fix}"] if self.fix else [])]


@dataclass
class _Heard:
    """How the engine answers a protocol's greeting."""

    spoken: bool = False
    late: bool = False
    """It answers only after its input has ended."""
    said: str = ""


def add_arguments(parser: argparse.ArgumentParser, games: Mapping[str, GameDescription]) -> None:
    """Declare the options of `sanqi doctor`, for games that have hosts."""
    parser.epilog = EXAMPLE.format(game=next(iter(games)))
    hosts = [host.name for game in games.values() for host in game.hosts]
    parser.add_argument("--engine", metavar="CMD", help="the engine's command (default: this program)")
    parser.add_argument("--game", action="append", choices=games, help="only hosts of this game; may be repeated")
    parser.add_argument(
        "--host",
        action="append",
        choices=hosts,
        metavar="HOST",
        help=f"only this host, of {', '.join(hosts)}; may be repeated",
    )
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        type=_setting,
        metavar="NAME=VALUE",
        help="set an option of the engine in every check (Gomocup: INFO NAME VALUE); may be repeated",
    )
    parser.add_argument("--log", metavar="FILE", help="write the dialogues to FILE, as `sanqi replay` reads them")
    parser.set_defaults(registry=games)


def run(args: argparse.Namespace) -> int:
    """Check the engine. Returns the exit status: 0 all passed, 1 something failed, 2 for wrong arguments."""
    # asyncio warns when something else ends its child processes. The doctor does that on purpose.
    logging.getLogger("asyncio").addHandler(logging.NullHandler())
    try:
        hosts = _hosts(args.registry, args.host, args.game)
        command = engine_command(args.engine)
        with contextlib.ExitStack() as outputs, engines_ended():
            _must_start(command)
            log = None if args.log is None else outputs.enter_context(_log_file(args.log))
            findings = _report(_examine(EngineUnderTest(command, args.set, log), hosts))
    except (CommandError, DoctorError, LogError) as error:
        print(f"sanqi doctor: {error}", file=sys.stderr)
        return 2
    print(_summary(findings))
    verdicts = [finding.verdict for finding in findings]
    if FAILED in verdicts:
        return 1
    if PASSED not in verdicts and NOT_TRIED not in verdicts:
        print("the engine speaks none of the protocols of these hosts")
        return 1
    return 0


def _setting(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not name.strip() or not equals:
        raise argparse.ArgumentTypeError(f"expected NAME=VALUE, got {text[:40]!a}")
    if not text.isprintable():
        raise argparse.ArgumentTypeError(f"expected characters that can be printed, got {text[:40]!a}")
    return name.strip(), value.strip()


def _hosts(
    registry: Mapping[str, GameDescription], named: Sequence[str] | None, games: Sequence[str] | None
) -> list[HostDescription]:
    """The hosts that the user wants, in the order of the games. Raises DoctorError."""
    hosts = [
        host
        for name, game in registry.items()
        if not games or name in games
        for host in game.hosts
        if named is None or host.name in named
    ]
    if not hosts:
        raise DoctorError(f"--host {', '.join(named or ())}: no host of --game {', '.join(games or ())}")
    return hosts


def _must_start(command: Sequence[str]) -> None:
    with named(f"--engine {excerpt(command[0])} cannot be started", OSError, DoctorError):
        Dialogue(command).close()


def _has_something_else(path: str) -> bool:
    """Whether a file is there that is no log of ours. Raises OSError."""
    try:
        with open_input(path) as old:
            return old.read(len(_LOG_HEAD)) not in (b"", _LOG_HEAD.encode())
    except FileNotFoundError:
        return False


@contextlib.contextmanager
def _log_file(path: str) -> Iterator[IO[bytes]]:
    """The log, which an interrupt does not delete. Raises DoctorError, LogError."""
    with named(f"--log {excerpt(path)} cannot be written", OSError, DoctorError):
        if not is_stream(path) and _has_something_else(path):
            raise DoctorError(f"--log {excerpt(path)}: the file exists, and is no log of sanqi doctor")
        log = UnfinishedFile(path, replace=True)
        try:
            write_log(log.file, [_LOG_HEAD])
            yield log.file
        except LogError:
            log.discard()
            raise
        except BaseException:
            log.finish()
            raise
        log.finish()


# The examination


def _examine(under_test: EngineUnderTest, hosts: Sequence[HostDescription]) -> Iterator[Finding]:
    """Run the checks; yields each finding as it comes."""
    checks = _all_checks(hosts)
    wanted = list(dict.fromkeys(protocol for check in checks for protocol in check.protocols))
    heard = _greet(under_test, wanted)
    for host in (host.name for host in hosts):
        own = [check for check in checks if check.host == host]
        protocols = [p for p in wanted if any(p in check.protocols for check in own)]
        spoken = [p for p in protocols if heard[p].spoken]
        late = [p for p in protocols if heard[p].late]
        if spoken:
            yield from _run_checks(under_test, own, spoken)
        elif late:
            yield Finding(
                host,
                "handshake",
                FAILED,
                f"answers {late[0].greeting.splitlines()[0]!r} only once its input has ended",
                "flush after each line of output, and read the input line by line",
            )
        else:
            said = (f"{p.greeting.splitlines()[0]!r} got {heard[p].said}" for p in protocols)
            yield Finding(host, "handshake", NOT_SPOKEN, "; ".join(said))


def _all_checks(hosts: Sequence[HostDescription]) -> list[Check]:
    """The checks of the hosts. Loads only the modules of these hosts."""
    names = {host.name for host in hosts}
    modules = dict.fromkeys(host.checks for host in hosts)
    return [check for module in modules for check in load_part(module).CHECKS if check.host in names]


def _greet(under_test: EngineUnderTest, protocols: Sequence[CheckedProtocol]) -> dict[CheckedProtocol, _Heard]:
    """Start the engine once for each protocol, all at the same time: an unknown protocol costs the whole timeout."""
    dialogues: dict[CheckedProtocol, Dialogue] = {}
    heard = {protocol: _Heard() for protocol in protocols}
    with contextlib.ExitStack() as all_of_them:
        for protocol in protocols:
            dialogues[protocol] = all_of_them.enter_context(Dialogue(under_test.command))
            dialogues[protocol].send(*protocol.greeting.split("\n"))
        deadline = now_s() + HANDSHAKE_S
        for protocol, dialogue in dialogues.items():
            heard[protocol].spoken = _is_recognised(dialogue, protocol, deadline, heard[protocol])
        silent = [protocol for protocol in protocols if not heard[protocol].spoken]
        for protocol in silent:
            dialogues[protocol].close_input()
        deadline = now_s() + _LATE_S
        for protocol in silent:
            heard[protocol].late = _is_recognised(dialogues[protocol], protocol, deadline, heard[protocol])
    return heard


def _is_recognised(dialogue: Dialogue, protocol: CheckedProtocol, deadline: float, heard: _Heard) -> bool:
    """Whether the engine answers in the protocol before the deadline. Notes any other answer in `heard`."""
    try:
        dialogue.until(protocol.recognised.match, max(0.0, deadline - now_s()))
    except EngineSilent:
        heard.said = f"only {quoted(dialogue.heard[0].text)}" if dialogue.heard else "nothing"
        return False
    except EngineDied as ended:
        if not heard.said:  # keep the first answer, not what it says when its input ends
            heard.said = f"no answer: {ended}"
        return False
    return True


def _run_checks(
    under_test: EngineUnderTest, checks: Sequence[Check], spoken: Sequence[CheckedProtocol]
) -> Iterator[Finding]:
    """Run all checks of a host. If the engine does not answer, skip the rest."""
    gave_up = False
    for check in checks:
        protocol = next((protocol for protocol in check.protocols if protocol in spoken), None)
        if protocol is None:
            continue
        if gave_up:
            yield Finding(check.host, check.name, NOT_TRIED, "after the failure before it")
            continue
        under_test.title = f"{check.host} {check.name}"
        under_test.remarks.clear()
        try:
            _run_check(check, under_test, protocol)
            yield Finding(check.host, check.name, PASSED, "; ".join(under_test.remarks))
        except CheckFailed as fault:
            yield Finding(check.host, check.name, FAILED, str(fault), fault.fix or check.fix)
        except (NotSpoken, NotTried) as reason:
            verdict = NOT_SPOKEN if isinstance(reason, NotSpoken) else NOT_TRIED
            yield Finding(check.host, check.name, verdict, str(reason))
        except (EngineSilent, EngineDied) as error:
            gave_up = True
            fix = check.fix if isinstance(error, EngineSilent) else FIX_ENDED
            yield Finding(check.host, check.name, FAILED, str(error), fix)


def _run_check(check: Check, under_test: EngineUnderTest, protocol: CheckedProtocol) -> None:
    """Run a check; repeat it if the engine was too late. Always ends the engine."""
    try:
        for _ in range(_TRIES - 1):
            with contextlib.suppress(Overrun):
                check.run(under_test, protocol)
                return
        check.run(under_test, protocol)
    finally:
        end_engines()


# The report


def _report(findings: Iterator[Finding]) -> list[Finding]:
    """Print the findings: a table on a terminal, else a line for each as it comes."""
    reported: list[Finding] = []
    if not sys.stdout.isatty():
        for finding in findings:
            print("\n".join(finding.lines()), flush=True)
            reported.append(finding)
        return reported
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table("host", "check", "verdict", "what happened, and how to fix it")
    console = Console()
    with console.status("greeting the engine") as status:
        for finding in findings:
            told = "\n".join(filter(None, (finding.cause, finding.fix and f"fix: {finding.fix}")))
            host = finding.host if not reported or reported[-1].host != finding.host else ""
            table.add_row(host, finding.check, Text(finding.verdict, _STYLES[finding.verdict]), Text(told))
            reported.append(finding)
            status.update(f"{len(reported)} checks made, the last of {finding.host}")
    console.print(table)
    return reported


def _summary(findings: Sequence[Finding]) -> str:
    verdicts = [finding.verdict for finding in findings]
    return ", ".join(
        f"{verdicts.count(verdict)} {verdict}" for verdict in _STYLES if verdict in verdicts or verdict == PASSED
    )
