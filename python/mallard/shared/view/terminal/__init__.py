"""Lines of a terminal, and a line that counts."""
