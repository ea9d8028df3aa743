"""The case studies: programs with a build for each allocator, the advice on them, and the facts."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "python"))
