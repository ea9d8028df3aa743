"""Budgets: limits on the allocations of a program, in a text file, compared with a recorded run."""
