"""Who has a token has its role."""

from __future__ import annotations

import pytest

from web_board.roles import OWNER, role_of


@pytest.mark.parametrize(
    ("words", "role"), [("sanqi-board, token", OWNER), ("token", OWNER), ("", None), ("\udce4, ä", None)]
)
def test_the_role_of_the_words_that_a_browser_sends(words: str, role: object) -> None:
    """A header may have any bytes."""
    assert role_of({"token": OWNER}, words) == role
