"""What a seat knows of hidden pieces, and what it believes."""
