"""Xiangqi (象棋): rules, evaluation, notations, and the adapters that speak UCCI and UCI."""
