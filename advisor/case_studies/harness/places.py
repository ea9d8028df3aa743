"""The places of the case studies in the source tree and on the machine, and hashes of files."""

from __future__ import annotations

import gzip
import hashlib
import json
import re
import shutil
import subprocess
import tempfile
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any

Json = dict[str, Any]

STUDIES = Path(__file__).resolve().parents[1]
ROOT = STUDIES.parents[1]
BUILD = ROOT / "build" / "case_studies"
RESULTS = STUDIES / "results"
ADVICE, FACTS = RESULTS / "advice", RESULTS / "facts"
MISSES = RESULTS / "misses.json"
HISTORY = RESULTS / "history.json"
TRIAL = ROOT / "advisor" / "trial"


def sha256(file: Path | str) -> str:
    """Of a file; of a program by its name, the file that PATH leads to."""
    from mallard.advisor.trial.process import sha256_of_file

    path = Path(file)
    if not path.is_file():
        path = Path(shutil.which(str(file)) or file)
    with path.resolve().open("rb") as data:
        return sha256_of_file(data)


def results_file(folder: Path, case: str) -> Path:
    return folder / f"{case}.json.gz"


def unpack(data: bytes) -> Json:
    """The document of a file of results."""
    document: Json = json.loads(gzip.decompress(data))
    return document


def pack(document: Json) -> bytes:
    """The same bytes for the same document."""
    text = json.dumps(document, indent=1, sort_keys=True) + "\n"
    return gzip.compress(text.encode(), mtime=0)


def without_paths(document: Any, mallocs: Mapping[str, Path] = MappingProxyType({})) -> Any:
    """A JSON document in which placeholders stand for paths of this machine: {ROOT} of the source tree,
    {HOME}, {TMP}, and the name of a malloc for its file, such as {mimalloc3}.
    """
    paths = {"HOME": Path.home(), "TMP": Path(tempfile.gettempdir()), "ROOT": ROOT, **mallocs}
    names = {
        str(file): name
        for name, path in paths.items()
        for file in (path, path.resolve())
        if file.is_absolute() and file.parent != file
    }
    longest_first = "|".join(re.escape(path) for path in sorted(names, key=len, reverse=True))
    # Not the end of another path, but the value of an option such as -I; not the beginning of a longer name.
    pattern = re.compile(rf"(?:(?<![\w.~/-])|(?<=\s-\w)|(?<=^-\w)|(?<=://))({longest_first})(?![\w-]|\.\w)")

    def replace(value: Any) -> Any:
        if isinstance(value, str):
            return pattern.sub(lambda match: f"{{{names[match[1]]}}}", value)
        if isinstance(value, dict):
            return {replace(key): replace(item) for key, item in value.items()}
        return [replace(item) for item in value] if isinstance(value, list | tuple) else value

    return replace(document)


def document_sha256(document: Any) -> str:
    """Of a part of a JSON document, whatever the order of its keys."""
    return hashlib.sha256(json.dumps(document, sort_keys=True).encode()).hexdigest()


@cache
def trial_code() -> str:
    """A hash of the trial's code, which shows if advice is outdated."""
    from mallard.shared.version import hash_code

    return hash_code(ROOT, sorted(TRIAL.rglob("*.[ch]pp")))


def commit() -> str:
    """Of the source tree; empty if it is none of git's."""
    head = subprocess.run(
        ["git", "rev-parse", "--short=12", "HEAD"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    return head.stdout.strip()
