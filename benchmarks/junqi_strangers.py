"""A referee's TCP port under load: thousands of connections without the secret, held open, incomplete or noisy, before
and during a game. Meanwhile a client connects with its secret and plays.

    python benchmarks/junqi_strangers.py [--connections N] [--descriptors N]

Prints how long the client took from its start to its end. Exits with status 1 if the game did not end normally or the
referee printed anything on stderr.
"""

from __future__ import annotations

import argparse
import contextlib
import itertools
import socket
import subprocess
import sys
import sysconfig
import threading
import time
from pathlib import Path

from search_core.clock import now_s

NOISES = (b"", b"secret ", b"secret 00000000000000000000000000000000\n", b"x" * 100_000, b"\n" * 5000, b"\xff\xfe\n")
PLIES = 60


def bother(address: tuple[str, int], connections: int, over: threading.Event, made: list[int]) -> None:
    """Connect at least `connections` times and until `over` is set. Keep the last 400 connections open."""
    held: list[socket.socket] = []
    for number in itertools.count():
        if over.is_set() and number >= connections:
            break
        with contextlib.suppress(OSError):
            client = socket.create_connection(address, 5)
            client.setblocking(False)
            held.append(client)
            client.send(NOISES[number % len(NOISES)])
        made[0] += 1
        if len(held) > 400:
            held.pop(0).close()
    for client in held:
        client.close()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--connections", type=int, default=5000, help="at least this many before the client starts")
    parser.add_argument("--descriptors", type=int, default=64, help="the referee's limit of open files")
    args = parser.parse_args()
    sanqi = str(Path(sysconfig.get_path("scripts")) / "sanqi")
    command = (
        f"ulimit -n {args.descriptors}; exec {sanqi} referee --variant duel --seats 0 tcp --seats 1 '{sanqi} junqi'"
        f" --max-plies {PLIES} --clock 60000"
    )
    referee = subprocess.Popen(["bash", "-c", command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert referee.stdout is not None and referee.stderr is not None
    host, _, port = referee.stdout.readline().split()[-1].rpartition(":")
    secret = referee.stdout.readline().split()[-1]
    over = threading.Event()
    made = [0]
    stranger = threading.Thread(target=bother, args=((host, int(port)), args.connections, over, made))
    began = now_s()
    stranger.start()
    while made[0] < args.connections:
        time.sleep(0.01)
    print(f"{made[0]} connections without the secret in {now_s() - began:.1f} s")
    came = now_s()
    environment = {"SECRET": secret}
    client = subprocess.run(
        [sanqi, "junqi", "--connect", f"{host}:{port}", "--secret-env", "SECRET"], env=environment, timeout=300
    )
    admitted = now_s() - came
    if not (line := referee.stdout.readline()).startswith("game 1: "):
        print(f"the client was not admitted: {line!r}")
        referee.kill()
    over.set()
    stranger.join()
    errors = referee.communicate()[1]
    print(f"the client came, played and left in {admitted:.2f} s; {made[0]} connections in all")
    print(f"the referee: status {referee.returncode}, {len(errors)} characters on stderr, {line.strip()}")
    print(errors[:2000], end="")
    return 1 if client.returncode or referee.returncode or errors else 0


sys.exit(main())
