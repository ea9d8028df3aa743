"""The words that verbs share: parser, options, needs, exit statuses, and the course of a measurement."""
