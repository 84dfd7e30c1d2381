"""The entry point of the bundled executable, the same as that of the installed command."""

import sys

from sanqi.__main__ import main

sys.exit(main())
