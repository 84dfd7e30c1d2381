"""The entry point: a host gets its answer before anything heavy is imported."""

from __future__ import annotations

import os
import sys


def main() -> int:
    """Run the command line; returns the exit status."""
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115 - closed; nobody reads our complaints
    arguments = sys.argv[1:]
    if not arguments or arguments in (["ucci"], ["uci"], ["gomocup"]):
        from sanqi.detect import serve

        return serve(arguments[0] if arguments else None)
    from sanqi.cli import run

    return run(arguments)


if __name__ == "__main__":
    sys.exit(main())
