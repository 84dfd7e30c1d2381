"""The entry point. The first answer to a host comes before any heavy import."""

from __future__ import annotations

import os
import sys


def main() -> int:
    """Run the command line; returns the exit status."""
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115 - stderr is closed
    arguments = sys.argv[1:]
    if len(arguments) < 2:
        from sanqi.detect import find_protocol, serve

        protocol = find_protocol(arguments[0]) if arguments else None
        if protocol is not None or not arguments:
            return serve(protocol)
    from sanqi.cli import run

    return run(arguments)


if __name__ == "__main__":
    sys.exit(main())
