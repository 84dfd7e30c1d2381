"""The program `sanqi`: command line and detection of the protocol by the first line."""

from search_core.version import __version__ as __version__
