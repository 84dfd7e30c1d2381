"""The version of the whole distribution, readable without importing package metadata (which is slow)."""

__version__ = "0.1.0"
