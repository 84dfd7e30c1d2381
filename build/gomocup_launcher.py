"""What the tournament's executable runs: the Gomocup adapter and nothing else."""

import sys

from gomoku_protocol.gomocup import GomocupProtocol
from search_core.line_protocol import open_standard_channel

if sys.platform == "win32":
    from search_core.host_watch import leave_with_host

    leave_with_host()
try:
    sys.exit(GomocupProtocol(open_standard_channel(), bill_start=True).run())
except (KeyboardInterrupt, OSError):  # before the adapter has taken over signals and output
    sys.exit(0)
