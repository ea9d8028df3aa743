"""The published figures of Benchmark I (P0089R1 and P0213R0), as printed, with what is known about their
errors.
"""
