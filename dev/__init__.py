"""For developers of mallard: the stages of its tests, mutation testing, lints, and the reference."""
