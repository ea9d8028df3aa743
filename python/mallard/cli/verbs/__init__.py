"""The verbs: one module each, with the verb's name."""
