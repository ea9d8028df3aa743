"""What people see: heat maps and tables in the terminal, and one page for the browser."""
