"""The figures and sentences of the experiments: modules for each kind of panel, and for each of its own."""
