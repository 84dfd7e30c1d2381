"""The clock for all timing: now_s() in seconds, monotonic, the same in all processes. And durations in words."""

# time.monotonic() steps by 15.6 ms on Windows before Python 3.13. https://docs.python.org/3/whatsnew/3.13.html#time
from time import perf_counter as now_s  # noqa: TID251

__all__ = ["duration_text", "now_s"]

_MINUTE, _HOUR, _DAY = 60, 3600, 86400


def duration_text(seconds: float) -> str:
    """`2 h 05 min`."""
    minutes = round(seconds / _MINUTE)
    if seconds < _MINUTE:
        return f"{seconds:.0f} s"
    if seconds < _HOUR:
        return f"{minutes} min"
    if seconds < _DAY:
        return f"{minutes // 60} h {minutes % 60:02} min"
    return f"{seconds / _DAY:.1f} days"
