"""The pages of the advisor: a profile, and advice."""
