"""What a command answers, once for all media: a model, the text of figures, and a writer for each."""
