"""Verification of a change: the program before it, after it, and the changed code over the global allocator.

The third program is the null of the rewrite: its gain over the program before is not the allocator's. A round
runs each program once, in random order. Times are compared within a round.
"""
