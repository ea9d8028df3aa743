"""What stands in the documents' blocks of figures: a module an experiment."""
