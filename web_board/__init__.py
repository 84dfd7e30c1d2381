"""The board in the browser: `sanqi board`."""
