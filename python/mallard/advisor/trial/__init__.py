"""Trials: one scope of an unchanged program, served from the library's allocators while the program runs.

A round runs the program once under each arm, in random order: unchanged, under the null, and under each
strategy. The null finds the scope in the same way but leaves it to the global allocator, so the cost of
finding it cancels. Times are compared within a round.
"""
