"""Budgets: the most that a program may allocate, in a text file, compared with a recording of a run."""
