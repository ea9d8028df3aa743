"""Recordings: which programs can be recorded, and what the collector reports."""
