"""Coloured tables whose cells hold several figures, with buttons that choose among them."""
