"""Evaluation nets: samples of games, training, net files (`sanqi-train`)."""
