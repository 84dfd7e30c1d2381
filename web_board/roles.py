"""What a page may do: that of the owner all, that of a guest who has the link of a seat play it, any other watch. Each
role has a token, and who has it has the role."""

from __future__ import annotations

import base64
import hashlib
import hmac
from collections.abc import Callable, Mapping
from typing import NamedTuple

from game_core.display import InputError


class Role(NamedTuple):
    """`name` is `owner`, `seat` or `watcher`; `seat` is the number of the seat."""

    name: str
    seat: int | None = None


OWNER, WATCHER = Role("owner"), Role("watcher")
GUEST_ACTIONS = ("move", "pass", "resign", "draw")
_TOKEN_BYTES = 16


def check_action(role: Role, action: str) -> None:
    """Raises InputError if pages of a role cannot do this."""
    if role != OWNER and action not in ("join", *(GUEST_ACTIONS if role.seat is not None else ())):
        raise InputError("only the owner of the board can do that" if role.seat is not None else "you only watch")


def tokens_of_guests(owner: str, seats: int) -> dict[str, Role]:
    """The roles of guests by their tokens. These are made of the owner's, so they stay as long as it does; a guest
    cannot find another token from its own."""
    roles = [WATCHER, *(Role("seat", seat) for seat in range(seats))]
    return {_token(owner, role): role for role in roles}


def role_of(offered: Mapping[str, Role], words: str) -> Role | None:
    """The role of the token among words with commas between them; None: there is none."""
    given = [word.strip().encode("utf-8", "surrogateescape") for word in words.split(",")]
    found = [
        role for token, role in offered.items() if any(hmac.compare_digest(token.encode(), word) for word in given)
    ]
    return found[0] if found else None


def _token(owner: str, role: Role) -> str:
    digest = hmac.new(owner.encode(), f"{role.name} {role.seat}".encode(), hashlib.sha256).digest()
    return base64.urlsafe_b64encode(digest[:_TOKEN_BYTES]).decode().rstrip("=")


ForRole = Callable[[Role], "dict[str, object]"]
"""Makes the message that pages of a role get."""
