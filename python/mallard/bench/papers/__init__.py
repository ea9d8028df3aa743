"""The published figures of Benchmarks I to V (P0089R1 and P0213R0), of the Loki test and of Optimized C++,
and the claims in prose, as printed, with their known errors.
"""
