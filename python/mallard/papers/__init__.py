"""The published figures of Benchmarks I to V (P0089R1 and P0213R0) and the claims in prose, as printed, with
what is known about their errors.
"""
