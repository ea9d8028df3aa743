"""The files of a release: `./mallard package`."""
