"""Checks of an engine against the habits of real GUIs and hosts, and the replay of logged dialogues."""
