"""The text of an SGF file: its encoding is in its own property CA, and a property's brackets can only be told in text.

The second byte of a character in Shift-JIS, GBK and Big5 may be that of a backslash or a bracket, so a file is decoded
before it is split into properties.
"""

from __future__ import annotations

import codecs
import re

from search_core.line_protocol import excerpt
from search_core.text_file import unmarked

_CHARSET = re.compile(rb"(?<![A-Za-z])CA\s*\[([^\]\\]{0,80})\]")
_MAX_CHARSETS = 4
"""How many texts that look like CA are looked at: a comment may hold one."""
_CODECS = {
    codec: names.split()
    for codec, names in {
        "utf-8": "utf8 unicode11utf8",
        "gb18030": "gb2312 gb231280 csgb2312 gbk xgbk cp936 ms936 windows936 euccn xeuccn gb18030 chinese",
        "cp932": "shiftjis sjis xsjis csshiftjis mskanji ms932 cp932 windows932 windows31j shiftjisx0213",
        "cp950": "big5 xbig5 xxbig5 csbig5 cnbig5 bigfive big5eten cp950 ms950 windows950",
        "big5hkscs": "big5hkscs hkscs",
        "cp949": "euckr xeuckr cseuckr ksc56011987 ksc5601 ksc56011989 korean uhc cp949 ms949 windows949",
        "euc_jp": "eucjp xeucjp ujis",
        "cp1252": "latin1 iso88591 l1 ibm819 cp819 ascii usascii ansi cp1252 xcp1252 windows1252 ansix341968 western",
    }.items()
}
"""Python's codecs by the names that mean them, without signs. A codec is the larger set that programs write under the
smaller one's name."""
_ALSO = {"cp950": "big5hkscs", "cp1252": "latin-1"}
_KNOWN = {name: codec for codec, names in _CODECS.items() for name in names}
_OTHER_CODECS = re.compile(r"(?:cp|iso8859|iso2022|koi8|mac|ptcp|utf|tis|kz|hp|johab|hz|viscii|euc)", re.ASCII)
"""Codecs of texts; others of Python's turn bytes into something else."""


def decode(data: bytes) -> tuple[str, tuple[str, ...]]:
    """The text of a file, and what a person should know of it.

    By a byte order mark, else by CA. Without CA, or if it names nothing known: UTF-8 if the bytes are valid, else
    GB18030; bytes that are neither become U+FFFD.
    """
    in_utf_8 = unmarked(data)
    if in_utf_8 is not data:
        return in_utf_8.decode("utf-8", "replace"), ()
    charset = _charset(data)
    found = None if charset is None else codec_of(charset)
    if found is not None and (decoded := _decoded(data, found)) is not None:
        return decoded, ()
    named = f"CA[{excerpt(charset or '')[1:-1]}]"
    if found not in (None, "utf-8"):
        return data.decode(found, "replace"), (f"{named}, but not all bytes are; the others are read as U+FFFD",)
    text, codec = _guessed(data)
    if charset is None:
        return text, () if data.isascii() else (f"no property CA names the charset; read as {codec}",)
    return text, (f"{named}{', but not all bytes are' if found else ' is no known charset'}; read as {codec}",)


def codec_of(charset: str) -> str | None:
    """Python's codec for the name of a charset, in any case and with any signs; None: not known."""
    name = re.sub(r"[^a-z0-9]", "", charset.lower())
    if known := _KNOWN.get(name):
        return known
    for spelling in (charset.strip(), name, name.removeprefix("x"), name.replace("windows", "cp")):
        try:
            codec = codecs.lookup(spelling).name
        except (LookupError, ValueError):  # ValueError: a zero byte
            continue
        if _OTHER_CODECS.match(codec) and codec != "utf-7":
            return _KNOWN.get(re.sub(r"[^a-z0-9]", "", codec), codec)
    return None


def _decoded(data: bytes, codec: str) -> str | None:
    """The text; None if the bytes are not all in the codec, or in the one that programs mean by it too."""
    for each in (codec, _ALSO.get(codec, codec)):
        try:
            return data.decode(each)
        except UnicodeDecodeError:
            pass
    return None


def _charset(data: bytes) -> str | None:
    """The value of CA in the file's first node; None if it has none."""
    for found in list(_CHARSET.finditer(data))[:_MAX_CHARSETS]:
        name = found[1].decode("ascii", "replace").strip()
        # What comes before it, read so, must not hold it in another property's text or in another node.
        codec = codec_of(name) or "latin-1"
        before = data[: found.start()]
        if name and _ends_between_properties(_decoded(before, codec) or before.decode(codec, "replace")):
            return name
    return None


def _ends_between_properties(text: str) -> bool:
    """Whether a text ends in the first node of a game, outside of a property's value."""
    begin = re.search(r"\(\s*;", text)
    outside = re.sub(r"\[(?:[^\]\\]|\\.)*\]", "", text[begin.start() if begin else 0 :], flags=re.DOTALL)
    return "[" not in outside and outside.count(";") <= 1


def _guessed(data: bytes) -> tuple[str, str]:
    """The text without a known charset, and what it was read as."""
    for codec in ("utf-8", "gb18030"):
        if (text := _decoded(data, codec)) is not None:
            return text, codec.upper()
    return data.decode("utf-8", "replace"), "UTF-8, with U+FFFD for other bytes"
