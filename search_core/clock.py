"""The clock for all timing: now_s() in seconds, monotonic, the same in all processes."""

# time.monotonic() steps by 15.6 ms on Windows before Python 3.13. https://docs.python.org/3/whatsnew/3.13.html#time
from time import perf_counter as now_s  # noqa: TID251

__all__ = ["now_s"]
