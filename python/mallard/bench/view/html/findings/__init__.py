"""The sections that draw on several experiments: peers, claims and decisions."""
