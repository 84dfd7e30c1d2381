"""Where, when and with what a match is played: what its report says beside the games."""

from __future__ import annotations

import os
import platform
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

_CPU_INFO = Path("/proc/cpuinfo")


def now() -> str:
    """Date, time and difference to UTC, to the minute."""
    return datetime.now().astimezone().isoformat(" ", "minutes")


def host() -> str:
    """`Linux 6.1.0, x86_64, AMD EPYC 7763, 16 cores`: system, kind of processor, its name where the system tells it,
    and what the operating system counts as processors."""
    parts = [f"{platform.system()} {platform.release()}".strip(), platform.machine(), _processor_name()]
    cores = os.cpu_count() or 0
    parts.append(f"{cores} core{'' if cores == 1 else 's'}" if cores else "")
    return ", ".join(dict.fromkeys(part for part in parts if part))


def _processor_name() -> str:
    try:
        lines = _CPU_INFO.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return platform.processor()
    names = (line.partition(":")[2].strip() for line in lines if line.lower().startswith("model name"))
    return next(names, platform.processor())


@dataclass(frozen=True, slots=True)
class RunInfo:
    """Of one run of a match.

    Attributes
    ----------
    begun : str
        When the match began; of a resumed one by its file, '' if that does not say.
    host : str
        What it runs on: of a resumed one the last.
    place : str
        The cluster that plays the games; '': this machine.
    reported_names : tuple of str
        How each engine calls itself; '': it does not say.
    openings : str
        The file or folder; '': the game has none.
    """

    begun: str = field(default_factory=now)
    host: str = field(default_factory=host)
    place: str = ""
    reported_names: tuple[str, ...] = ()
    openings: str = ""
