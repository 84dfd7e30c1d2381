"""What the bundled executable runs: the same entry as the installed command."""

import sys

from sanqi.__main__ import main

sys.exit(main())
