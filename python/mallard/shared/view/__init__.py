"""What the pages and the terminal views of both products are made of."""
