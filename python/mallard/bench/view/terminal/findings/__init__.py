"""Answers from measurements: peers, claims, decisions, comparisons and advice."""
