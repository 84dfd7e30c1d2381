"""The program `sanqi`: command line and detection of the protocol by the first line. For Python programs, the names of
docs/python-api.md, each imported at its first use: an engine process must not load them before its first answer."""

from search_core.version import __version__ as __version__

_PARTS = {
    "Engine": "search_core.engine",
    "GomokuPosition": "gomoku_protocol.position:Position",
    "Info": "search_core.thinker",
    "Limits": "search_core.thinker",
    "Result": "search_core.thinker",
    "XiangqiBoard": "ucci_engine.xiangqi_board",
    "XiangqiPosition": "ucci_engine.position:Position",
    "mate_in_plies": "search_core.engine",
}
__all__ = ["__version__", *_PARTS]


def __getattr__(name: str) -> object:
    if name not in _PARTS:
        raise AttributeError(f"module 'sanqi' has no attribute {name!r}")
    from search_core.parts import load_part

    module, _, member = _PARTS[name].partition(":")
    part = globals()[name] = load_part(f"{module}:{member or name}")
    return part


def __dir__() -> list[str]:
    return sorted({*globals(), *_PARTS})
