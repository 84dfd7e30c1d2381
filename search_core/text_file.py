"""Text files as other programs write them: with a byte order mark, or in UTF-16."""

from __future__ import annotations

import codecs

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # before UTF-16, whose mark begins the same
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)


def unmarked(data: bytes) -> bytes:
    """The bytes of a text file without its byte order mark; in UTF-8 if the mark is that of UTF-16 or UTF-32.

    What is no character there becomes U+FFFD.
    """
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            rest = data[len(mark) :]
            return rest if encoding == "utf-8" else rest.decode(encoding, "replace").encode("utf-8", "replace")
    return data
