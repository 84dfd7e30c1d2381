"""Boards as SVG and on HTML pages."""
