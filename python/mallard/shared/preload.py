"""LD_PRELOAD: libraries with separators in their paths are preloaded through links without them."""

from __future__ import annotations

import atexit
import os
import re
import shutil
import tempfile
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from mallard.shared.errors import UsageError

VARIABLE = "LD_PRELOAD"
SEPARATORS = re.compile(r"[\s:;$]")  # `$` begins tokens such as $ORIGIN


def preload_list(libraries: Iterable[Path], users: str = "") -> str:
    """The value of LD_PRELOAD. The user's libraries follow ours, unchanged."""
    return ":".join(filter(None, [*map(_loadable, libraries), users]))


@cache
def _loadable(library: Path) -> str:
    path = str(library.absolute())
    if not SEPARATORS.search(path):
        return path
    folder = tempfile.gettempdir()
    try:
        if SEPARATORS.search(folder):
            folder = "/tmp"
        links = Path(tempfile.mkdtemp(prefix=f"mallard-preload-{os.getpid()}-", dir=folder))
        atexit.register(shutil.rmtree, links, ignore_errors=True)
        link = links / SEPARATORS.sub("_", library.name)
        link.symlink_to(path)
    except OSError as error:
        raise UsageError(
            f"'{path}' has a space or a colon in its path, and a link to it cannot be made in {folder}: "
            f"{error.strerror}; move it to another place"
        ) from None
    return str(link)
