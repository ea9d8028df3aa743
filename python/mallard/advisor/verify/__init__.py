"""Verifies a change with three programs: before it, after it, and the changed code on the global allocator.

The third program is the null of the rewrite: its gain over the first is not the allocator's. A round runs
each program once, in random order. Times are compared within a round.
"""
