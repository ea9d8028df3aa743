"""The advisor in the terminal."""
