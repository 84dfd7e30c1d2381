"""How much memory the machine has.

Imported before the first answer is given: it must stay light.
"""

from __future__ import annotations

import os


def physical_memory_mb() -> int | None:
    """All of the machine's memory in MiB, used or not; None if the system does not say."""
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") >> 20
    except (AttributeError, ValueError, OSError):
        return None
