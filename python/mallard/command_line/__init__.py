"""Code that verbs share: parser, options, needs, exit statuses, and measurements."""
