"""Shows the benchmark: heat maps and tables in the terminal, and one page for the browser."""
