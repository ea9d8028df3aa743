"""The contents of the documents' blocks of figures: a module an experiment."""
