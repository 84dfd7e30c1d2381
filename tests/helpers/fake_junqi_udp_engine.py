"""A program on the UDP protocol of the GUI of pfysw/JunQi, which fails as told.

    python fake_junqi_udp_engine.py even|odd PORT leaves|cheats|sleeps|surrenders

It sends READY from any port, takes its lineups and waits for the start. Then it exits with status 3, answers each
packet with an impossible move of both its seats, says nothing at all, or surrenders whenever it may.
"""

from __future__ import annotations

import socket
import sys

MAGIC = b"\x57\x04\x00\x00"
OK, MOVE, EVENT, START, READY, INIT = 0, 3, 4, 5, 6, 8
SURRENDER = 1


def main() -> int:
    team, port, behaviour = ("even", "odd").index(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
    gui = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    gui.connect(("127.0.0.1", port))

    def send(seat: int, function: int, data: bytes = b"") -> None:
        gui.send(MAGIC + bytes((seat, function, 0, 0)) + data)

    send(team, READY)
    while True:
        packet = gui.recv(1000)
        if packet[5] == INIT:
            send(team, OK)
        elif packet[5] not in (START, MOVE, EVENT):
            continue
        elif behaviour == "leaves":
            print("cannot play on", file=sys.stderr)
            return 3
        else:
            for seat in (team, team + 2):
                if behaviour == "cheats":
                    send(seat, MOVE, bytes((16, 16, 16, 16)).ljust(10, b"\0"))
                elif behaviour == "surrenders":
                    send(seat, EVENT, bytes((SURRENDER,)))


if __name__ == "__main__":
    sys.exit(main())
