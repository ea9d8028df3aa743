"""Test equipment that several folders of tests share is found by its plain module name."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent / "tests/equipment"))


def pytest_exception_interact(node: pytest.Item | pytest.Collector, call: pytest.CallInfo[object]) -> None:
    """Ends the run after a failed build. pytest.exit() would end a process of xdist, whose internal error
    hides the reason."""
    if call.excinfo is not None and call.excinfo.typename == "BuildError":
        node.session.shouldfail = str(call.excinfo.value).partition(":")[0]
