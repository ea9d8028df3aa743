"""Tables of coloured figures that fit the width of the terminal."""
