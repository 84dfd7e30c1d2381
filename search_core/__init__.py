"""The shared search: alpha-beta over any game that subclasses ``search_core.game.Game``.

Knows no particular game and no protocol. `search_core.engine` is the way in for adapters.
"""
