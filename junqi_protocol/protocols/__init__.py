"""Adapters: the line protocol, the university contest, UDP."""
