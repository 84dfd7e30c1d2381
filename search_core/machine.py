"""Date and time, and the machine that the program runs on, as reports name them."""

from __future__ import annotations

import os
import platform
from datetime import date, datetime
from pathlib import Path

_CPU_INFO = Path("/proc/cpuinfo")


def now() -> str:
    """Date, time and UTC offset, to the minute."""
    return datetime.now().astimezone().isoformat(" ", "minutes")


def today() -> str:
    """The date, as `2026-07-25`."""
    return date.today().isoformat()


def host() -> str:
    """`Linux 6.1.0, x86_64, AMD EPYC 7763, 16 cores`: system, machine type, the processor's name if the system has it,
    and the number of logical processors."""
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
