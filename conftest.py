"""Test equipment that several folders of tests share is found by its plain module name."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "tests/equipment"))
