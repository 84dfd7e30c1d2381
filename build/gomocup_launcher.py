"""The entry point of the tournament's executable: only the Gomocup adapter."""

import sys

from gomoku_protocol.gomocup import GomocupProtocol
from search_core.line_protocol import open_standard_channel

if sys.platform == "win32":
    from search_core.host_watch import leave_with_host

    leave_with_host()
try:
    sys.exit(GomocupProtocol(open_standard_channel(), bill_start=True).run())
except (KeyboardInterrupt, OSError):  # before the adapter handles signals and output
    sys.exit(0)
