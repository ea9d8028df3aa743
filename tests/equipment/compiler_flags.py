"""Options of the compilers whose programs the tests run."""

import os

WERROR = ("-Werror",) if os.environ.get("MALLARD_WERROR") == "ON" else ()
"""Warnings are errors only where `.ci/run` says so, with the compilers of one Debian release."""
