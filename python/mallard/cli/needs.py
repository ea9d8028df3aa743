"""The needs of a command, which the front door sets up before the command runs. The shell reads a line each:

answered                             the program has printed what was asked for; nothing is needed
environment GROUP                    Python packages: `run`, `parquet` with pyarrow, or `test`, which has all
runner PRESET                        what this preset builds: the native runner, or the advisor
with LIBRARIES                       MALLARD_WITH of the runner: libraries by prefix, as in `bde=/opt/bde`
survey                               the runner is the smaller one of the survey
preloaded PACKAGE LIBRARY TEXT...    a library for the loader; without it TEXT is skipped
linked PACKAGE TEXT...               Boost's containers, for the compiler; without them TEXT is skipped
tool NAME                            a tool of a stage of the tests
program NAME                         a program without which the command cannot run; its package has its name
"""

from __future__ import annotations

from dataclasses import dataclass

from mallard.bench.contenders import LIBRARIES
from mallard.shared.mallocs import MALLOCS

ANSWERED = "answered"


@dataclass(frozen=True)
class Needs:
    environment: str | None = "run"
    presets: tuple[str, ...] = ()
    mallocs: tuple[str, ...] = ()
    growing_vectors: bool = False
    tools: tuple[str, ...] = ()
    programs: tuple[str, ...] = ()
    survey: bool = False
    prefixes: str = ""

    def lines(self) -> list[str]:
        boost = LIBRARIES["Boost.Container"].package
        return [
            *([f"environment {self.environment}"] if self.environment else []),
            *(f"runner {preset}" for preset in self.presets),
            *([f"with {self.prefixes}"] if self.prefixes else []),
            *(["survey"] if self.survey else []),
            *(_malloc(name) for name in self.mallocs if name in MALLOCS),
            *([f"linked {boost} the vectors that grow in place"] if self.growing_vectors else []),
            *(f"tool {name}" for name in self.tools),
            *(f"program {name}" for name in self.programs),
        ]


NOTHING = Needs(environment=None)  # the standard library alone, and no build


def _malloc(name: str) -> str:
    wanted = MALLOCS[name]
    return f"preloaded {wanted.package} {wanted.library.removesuffix('.so')} --malloc {name}"
