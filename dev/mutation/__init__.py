"""Mutation testing: what the library's tests notice."""
