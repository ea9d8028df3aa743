"""The places of the case studies in the source tree, and hashes of files."""

from __future__ import annotations

import gzip
import hashlib
import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

Json = dict[str, Any]

STUDIES = Path(__file__).resolve().parents[1]
ROOT = STUDIES.parents[1]
BUILD = ROOT / "build" / "case_studies"
RESULTS = STUDIES / "results"
ADVICE, FACTS = RESULTS / "advice", RESULTS / "facts"
MISSES = RESULTS / "misses.json"
HISTORY = RESULTS / "history.json"

sys.path.insert(0, str(ROOT / "python"))


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


def document_sha256(document: Any) -> str:
    """Of a part of a JSON document, whatever the order of its keys."""
    return hashlib.sha256(json.dumps(document, sort_keys=True).encode()).hexdigest()


def commit() -> str:
    """Of the source tree; empty if it is none of git's."""
    head = subprocess.run(
        ["git", "rev-parse", "--short=12", "HEAD"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    return head.stdout.strip()
