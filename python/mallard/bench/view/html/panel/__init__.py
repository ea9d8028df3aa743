"""The sections of the experiments: a module for each kind of panel, a folder for each specific panel."""
