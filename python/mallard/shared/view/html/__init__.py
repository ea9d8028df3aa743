"""Parts of a page: escaped markup, the text of figures, plots, and the static files."""
