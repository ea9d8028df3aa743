"""What both products and the command line use: errors, statistics, the machine, native files."""
