"""HOST:PORT on the command line."""

from __future__ import annotations

from search_core.whole_number import whole_number


class AddressError(ValueError):
    """A text that is no address; the message is one line, without the text."""


def parse_address(text: str, lowest_port: int = 0) -> tuple[str, int]:
    """Host, without the brackets of IPv6, and port. Raises AddressError."""
    host, _, port = text.rpartition(":")
    try:
        number = whole_number(port)
    except ValueError:
        number = -1
    if not host or not lowest_port <= number < 1 << 16:
        raise AddressError("expected HOST:PORT")
    return host.strip("[]"), number
