"""Windows: a program and all that it starts, as one job. It ends with its last handle, at the latest with us."""

from __future__ import annotations

import ctypes
import sys

if sys.platform == "win32":
    from ctypes import wintypes

    CREATE_SUSPENDED = 0x4
    # Terminate; set quotas; suspend and resume: what the calls below need.
    _ACCESS = 0x0001 | 0x0100 | 0x0800
    _EXTENDED_LIMITS = 9
    _KILL_ON_JOB_CLOSE = 0x2000

    class _Limits(ctypes.Structure):
        """JOBOBJECT_EXTENDED_LIMIT_INFORMATION."""

        _fields_ = (
            ("process_time", ctypes.c_int64),
            ("job_time", ctypes.c_int64),
            ("flags", wintypes.DWORD),
            ("working_set", ctypes.c_size_t * 2),
            ("processes", wintypes.DWORD),
            ("affinity", ctypes.c_size_t),
            ("classes", wintypes.DWORD * 2),
            ("counters", ctypes.c_uint64 * 6),
            ("memory", ctypes.c_size_t * 4),
        )

    _kernel = ctypes.WinDLL("kernel32", use_last_error=True)
    _native = ctypes.WinDLL("ntdll")
    _kernel.CreateJobObjectW.restype = _kernel.OpenProcess.restype = wintypes.HANDLE
    _kernel.CreateJobObjectW.argtypes = (wintypes.LPVOID, wintypes.LPCWSTR)
    _kernel.SetInformationJobObject.argtypes = (wintypes.HANDLE, ctypes.c_int, wintypes.LPVOID, wintypes.DWORD)
    _kernel.OpenProcess.argtypes = (wintypes.DWORD, wintypes.BOOL, wintypes.DWORD)
    _kernel.AssignProcessToJobObject.argtypes = (wintypes.HANDLE, wintypes.HANDLE)
    _kernel.TerminateJobObject.argtypes = (wintypes.HANDLE, wintypes.UINT)
    _kernel.CloseHandle.argtypes = _native.NtResumeProcess.argtypes = (wintypes.HANDLE,)

    class WindowsJob:
        """A job for a program that was started with CREATE_SUSPENDED. The program runs from now on."""

        def __init__(self, pid: int) -> None:
            self._handle = _kernel.CreateJobObjectW(None, None)
            limits = _Limits(flags=_KILL_ON_JOB_CLOSE)
            _kernel.SetInformationJobObject(self._handle, _EXTENDED_LIMITS, ctypes.byref(limits), ctypes.sizeof(limits))
            program = _kernel.OpenProcess(_ACCESS, False, pid)
            # Windows 7 has no job within a job: if we are in one, only the program itself can be ended, by its owner.
            _kernel.AssignProcessToJobObject(self._handle, program)
            _native.NtResumeProcess(program)
            _kernel.CloseHandle(program)

        def kill(self) -> None:
            """End all of them at once."""
            _kernel.TerminateJobObject(self._handle, 1)

        def __del__(self) -> None:
            _kernel.CloseHandle(self._handle)
