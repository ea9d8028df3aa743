"""Shows profiles, trials and advice: in the terminal, and as a page."""
