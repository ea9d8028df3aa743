"""The benchmark: plans cells, runs them, stores their rows, compares them, and shows the results."""
