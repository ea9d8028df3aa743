"""The case studies: programs with a build for each allocator, the advice on them, and the facts."""
