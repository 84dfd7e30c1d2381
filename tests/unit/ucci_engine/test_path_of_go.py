"""One UCCI `go` reads downwards: an object seldom calls back and forth between the classes that it inherits from."""

from __future__ import annotations

import queue
import signal
import sys
import threading
from collections import Counter
from types import CodeType, FrameType

import pytest

from search_core.line_protocol import LineChannel
from ucci_engine.ucci import UcciProtocol

MAX_CHANGES = 1
"""From ThinkingThread to Engine."""


class Changes:
    """A profile function that counts the calls between two classes of the inheritance chain of one object."""

    def __init__(self) -> None:
        self.found: Counter[str] = Counter()
        self._classes: dict[type, dict[CodeType, type]] = {}

    def __call__(self, frame: FrameType, event: str, argument: object) -> None:
        caller = frame.f_back
        if event != "call" or caller is None or "self" not in frame.f_locals or "self" not in caller.f_locals:
            return
        callee_self = frame.f_locals["self"]
        if callee_self is not caller.f_locals["self"]:
            return
        kind = type(callee_self)
        if kind.__module__.partition(".")[0] in sys.stdlib_module_names:
            return
        if kind not in self._classes:
            self._classes[kind] = classes_of_code(kind)
        classes = self._classes[kind]
        there, here = classes.get(caller.f_code), classes.get(frame.f_code)
        if there is not None and here is not None and there is not here:
            names = f"{there.__name__}.{caller.f_code.co_name} -> {here.__name__}.{frame.f_code.co_name}"
            self.found[names] += 1


def classes_of_code(kind: type) -> dict[CodeType, type]:
    """By code object, functions within functions included, the class of the inheritance chain that it stands in."""
    found: dict[CodeType, type] = {}

    def add(code: CodeType, base: type) -> None:
        found[code] = base
        for constant in code.co_consts:
            if isinstance(constant, CodeType):
                add(constant, base)

    for base in kind.__mro__:
        for member in vars(base).values():
            parts = (member.fget, member.fset) if isinstance(member, property) else (member,)
            for part in parts:
                code = getattr(getattr(part, "__func__", part), "__code__", None)
                if isinstance(code, CodeType):
                    add(code, base)
    return found


class TracedHost:
    """Both streams of a host that profiles the answer to one `go` on the thread that obeys it."""

    def __init__(self, changes: Changes) -> None:
        self.answers: list[str] = []
        self._changes = changes
        self._chunks: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        self._chunks.put(b"ucci\nsetoption usebook off\nisready\n")

    def read(self, size: int) -> bytes:
        return self._chunks.get()

    def write(self, data: memoryview) -> int:
        line = bytes(data).decode("ascii")
        self.answers.append(line)
        if line == "readyok\n":
            sys.setprofile(self._changes)
            self._chunks.put(b"position startpos moves h2e2\ngo depth 2\n")
        elif line.startswith("bestmove"):
            sys.setprofile(None)
            self._chunks.put(b"quit\n")
        return len(data)

    def flush(self) -> None:
        pass


def test_a_go_does_not_climb_in_its_inheritance(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(signal, "signal", lambda number, handler: None)
    monkeypatch.setattr(threading, "excepthook", threading.excepthook)
    changes = Changes()
    host = TracedHost(changes)
    try:
        UcciProtocol(LineChannel(host, host)).run()  # type: ignore[arg-type]
    finally:
        sys.setprofile(None)
    assert host.answers[-2].startswith("bestmove")
    assert sum(changes.found.values()) <= MAX_CHANGES, "\n".join(
        f"{count} {names}" for names, count in changes.found.most_common()
    )


class _Base:
    def template(self) -> int:
        return self.step() + self.value

    def step(self) -> int:
        return 0

    @property
    def value(self) -> int:
        return 1


class _Derived(_Base):
    def step(self) -> int:
        return super().step() + self.value


def test_the_count_counts() -> None:
    changes = Changes()
    sys.setprofile(changes)
    try:
        _Derived().template()
    finally:
        sys.setprofile(None)
    assert changes.found == {
        "_Base.template -> _Derived.step": 1,
        "_Derived.step -> _Base.step": 1,
        "_Derived.step -> _Base.value": 1,
    }
