"""The tables of a run: a module for each kind of panel, and for each panel of its own."""
