"""The figures and sentences of the experiments: a module for each kind of panel."""
