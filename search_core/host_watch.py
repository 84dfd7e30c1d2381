"""Windows: leave when the host is gone.

Some hosts let the engine inherit the write end of its own input pipe. The input then never ends, and the engine would
outlive the host. On POSIX no host is known to do that.
"""

from __future__ import annotations

import os
import sys

if sys.platform == "win32":
    import _thread
    import _winapi

    TYPE_CHECKING = False
    if TYPE_CHECKING:
        from types import ModuleType

    # The right to wait for a process, and to ask for its file and its parent.
    _ACCESS = 0x00100000 | 0x1000

    def leave_with_host() -> None:
        """End this process as soon as the host's has ended. Call it at the very start: later, the id of a host that is
        gone may belong to another process."""
        parent = _open(os.getppid())
        if parent:
            _thread.start_new_thread(_leave_with, (parent,))

    def _leave_with(parent: int) -> None:
        watched = [parent]
        # A launcher between the host and us does not end with the host, so we watch its parent too.
        if launchers := _launchers():
            import ctypes

            while _file_of(watched[-1], ctypes) in launchers and len(watched) <= len(launchers):
                grandparent = _open(_parent_of(watched[-1], ctypes))
                if not grandparent:
                    break
                watched.append(grandparent)
        _winapi.WaitForMultipleObjects(watched, False, _winapi.INFINITE)
        os._exit(0)

    def _open(pid: int) -> int:
        """A handle of a process; 0: there is none, or it is another user's."""
        try:
            return _winapi.OpenProcess(_ACCESS, False, pid)
        except OSError:
            return 0

    def _launchers() -> set[str]:
        """The files of programs that do nothing but run us: the command that pip makes, the python.exe of a virtual
        environment, the first process of a bundle in one file."""
        program = _normal(_winapi.GetModuleFileName(0))
        bundle = getattr(sys, "_MEIPASS", None)
        if bundle is not None:
            return set() if _normal(bundle).startswith(os.path.dirname(program)) else {program}
        files = {sys.executable} if sys.argv[0].endswith(".py") else {sys.executable, sys.argv[0] + ".exe", sys.argv[0]}
        return {_normal(file) for file in files} - {program}

    def _file_of(process: int, ctypes: ModuleType) -> str:
        length = ctypes.c_ulong(1024)
        name = ctypes.create_unicode_buffer(length.value)
        query = ctypes.WinDLL("kernel32").QueryFullProcessImageNameW
        query.argtypes = (ctypes.c_void_p, ctypes.c_ulong, ctypes.c_wchar_p, ctypes.POINTER(ctypes.c_ulong))
        query(process, 0, name, ctypes.byref(length))
        return _normal(name.value)

    def _parent_of(process: int, ctypes: ModuleType) -> int:
        information = (ctypes.c_size_t * 6)()  # PROCESS_BASIC_INFORMATION, whose last member is the parent's number
        query = ctypes.WinDLL("ntdll").NtQueryInformationProcess
        query.argtypes = (ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p, ctypes.c_ulong, ctypes.c_void_p)
        query(process, 0, information, ctypes.sizeof(information), None)
        return int(information[5])

    def _normal(path: str) -> str:
        return os.path.normcase(os.path.abspath(path))
