"""The records of a profile, as in docs/advisor/profile_format.md: figures, scopes, sites, pairs, pools.

A function, a place and a stack are numbers in tables of the document. None means unknown.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

Interval = tuple[float, float]


@dataclass(frozen=True)
class Amount:
    allocations: int
    bytes: int


NOTHING = Amount(0, 0)


def add_up(amounts: Sequence[Amount]) -> Amount:
    return Amount(sum(each.allocations for each in amounts), sum(each.bytes for each in amounts))


@dataclass(frozen=True)
class Dimension:
    """One of D V L U C F. The letter determines which of the further figures exist."""

    raw: float | None = None
    scaled: float | None = None
    interval: Interval | None = None
    samples: int | None = None
    ns_per_operation: float | None = None
    recorder_ns_per_operation: float | None = None
    footprint_bytes: int | None = None
    transitions: int | None = None
    freed_by_other_thread: float | None = None
    pages_spanned: int | None = None
    pages_needed: int | None = None

    @property
    def unknown_because(self) -> str:
        """The reason why a density says nothing, although operations were timed; else empty."""
        if self.raw is None:
            return ""
        # The profiler subtracts the elapsed time of the recorder, and counts at most the whole.
        if self.raw * (self.recorder_ns_per_operation or 0.0) > (self.ns_per_operation or 0.0):
            return "the recorder took most of the time"
        if self.raw >= 1:
            return "the machine was busy"
        reaches_whole = self.interval is not None and self.interval[1] >= 1
        return "a few of the timed operations were disturbed" if reaches_whole else ""


@dataclass(frozen=True)
class Drag:
    peak_ratio: float | None = None
    area_ratio: float | None = None


@dataclass(frozen=True)
class Figures(Amount):
    frees: int | None
    sizes: tuple[tuple[int, int, int], ...]  # most bytes, allocations, bytes
    size_classes: int | None
    smallest: int | None
    largest: int | None
    contained: Amount | None
    escaped: Amount | None
    alive: Amount | None
    containment: float | None
    freed_by_other_thread: Amount | None = None
    temporary: Amount | None = None
    D: Dimension | None = None
    V: Dimension | None = None
    L: Dimension | None = None
    U: Dimension | None = None
    C: Dimension | None = None
    F: Dimension | None = None
    drag: Drag | None = None
    mean_lifetime_seconds: float | None = None
    mean_lifetime_bytes: float | None = None

    def dimension(self, letter: str) -> Dimension:
        dimension: Dimension = getattr(self, letter) or Dimension()
        return replace(dimension, scaled=None) if letter == "D" and dimension.unknown_because else dimension


@dataclass(frozen=True)
class Percentiles:
    p50: float | None = None
    p90: float | None = None
    p99: float | None = None
    max: float | None = None
    mean: float | None = None

    def below(self, value: float | None) -> float | None:
        """A percentile is the upper end of a size class, which may lie above the maximum."""
        return value if value is None or self.max is None else min(value, self.max)


@dataclass(frozen=True)
class Activations:
    seen: int
    allocating: int
    contained: int | None = None
    open: int | None = None
    seconds: float | None = None


@dataclass(frozen=True)
class Separations:
    seen: int
    at_most: int | None


@dataclass(frozen=True)
class Rewind:
    returns: int | None
    peak_bytes: int | None


@dataclass(frozen=True)
class PageFaults:
    fresh: float | None
    per_activation: float | None


@dataclass(frozen=True)
class Escape(Amount):
    """Blocks that outlive the activation that made them, by the function that frees them."""

    freed_by: int | None
    container: int | None
    thread: str | None
    stack: int | None


@dataclass(frozen=True, kw_only=True)
class CallSite:
    """The call of a place that allocates."""

    file: str | None = None  # '' for the program itself; None if the code is in no file
    instruction: int | None = None  # the offset of the call in the file

    @property
    def code(self) -> str:
        """FILE:BEGIN-END, as in advisor/trial/setting.hpp; '' if trials cannot find it."""
        # A semicolon ends the name of a file in the variables of a trial.
        if self.file is None or self.instruction is None or ";" in self.file:
            return ""
        return f"{self.file}:{self.instruction:x}-{self.instruction + 1:x}"


@dataclass(frozen=True)
class EscapeSite(Amount, CallSite):
    site: int


@dataclass(frozen=True)
class PageFigures:
    """The live blocks of a scope at one moment."""

    seconds: float
    live_bytes: int
    pages: int  # that hold the blocks
    pages_needed: int  # by their bytes
    pages_shared: int  # that hold blocks of others, too

    @property
    def times(self) -> float:
        """Pages over those that are needed."""
        return self.pages / max(self.pages_needed, 1)

    @property
    def shared_share(self) -> float:
        return self.pages_shared / max(self.pages, 1)


@dataclass(frozen=True)
class Diffusion:
    peak: PageFigures  # when the live bytes were highest
    over_time: tuple[PageFigures, ...] = ()


@dataclass(frozen=True)
class Scope:
    """A function as a scope, or a marked one, which has a name instead of a function."""

    figures: Figures
    activations: Activations
    activation_bytes: Percentiles | None
    activation_peak: Percentiles | None
    owned: Amount | None = None
    id: int | None = None
    function: int | None = None
    name: str | None = None
    kind: str = "function"
    separations: Separations | None = None
    rewind: Rewind | None = None
    page_faults: PageFaults | None = None
    escapes: tuple[Escape, ...] = ()
    escape_sites: tuple[EscapeSite, ...] = ()
    alive_sites: tuple[EscapeSite, ...] = ()  # of blocks that are alive at the end
    threads: int | None = None
    diffusion: Diffusion | None = None  # None for marked scopes, and in a sample


@dataclass(frozen=True)
class StackAmount(Amount):
    stack: int


@dataclass(frozen=True)
class FunctionAmount(Amount):
    function: int | None
    activations: int | None = None


@dataclass(frozen=True)
class PlaceAmount(Amount):
    place: int
    returns: int | None = None


@dataclass(frozen=True)
class Growth:
    """New blocks of realloc that are larger than the old ones."""

    allocations: int
    from_bytes: int
    to_bytes: int
    # Of the blocks that no realloc has replaced by larger ones:
    final_allocations: int | None = None
    final_p99_bytes: int | None = None


@dataclass(frozen=True)
class Site(CallSite):
    place: int
    figures: Figures
    stacks: tuple[StackAmount, ...] = ()
    contexts: int | None = None
    owners: tuple[FunctionAmount, ...] = ()
    peak_bytes: int | None = None
    returns: int | None = None
    growth: Growth | None = None


@dataclass(frozen=True)
class SiteBlocks(Amount):
    """Some of the blocks of a site, with the stack that made most of them."""

    place: int
    stack: int


@dataclass(frozen=True)
class Suppression(Amount):
    """A pattern of leaks that are not listed, with their blocks."""

    pattern: str


@dataclass(frozen=True)
class Pair(Amount):
    allocated: int | None
    freed: int | None  # None for blocks alive at the end
    container: int | None = None
    thread: str | None = None
    mean_lifetime_seconds: float | None = None
    mean_lifetime_bytes: float | None = None


@dataclass(frozen=True)
class Iteration(Amount):
    function: int
    returns: int
    activations: int | None = None
    most_bytes_between: int | None = None
    sites: tuple[PlaceAmount, ...] = ()


@dataclass(frozen=True)
class Owner(Amount):
    function: int
    class_: str | None
    calls: int
    blocks_a_call: float | None = None
    stacks: int | None = None
    sites: tuple[PlaceAmount, ...] = ()


@dataclass(frozen=True)
class BreakEven:
    share: float | None
    saved_ns_per_block: float | None = None


@dataclass(frozen=True)
class AlmostContained:
    scope: int
    containment: float | None
    escapes_from: tuple[PlaceAmount, ...] = ()
    break_even: BreakEven | None = None


@dataclass(frozen=True)
class Pooled:
    place: int
    blocks: int
    bytes: int
    smallest: int | None = None
    largest: int | None = None
    growing: bool | None = None
    most_alive: int | None = None
    frees: int | None = None
    named: bool | None = None


@dataclass(frozen=True)
class ControlCalls:
    """The calls of malloc_trim, mallinfo, mallinfo2 or mallopt from one site."""

    name: str
    place: int
    calls: int
    seconds: float  # elapsed, of all threads
    stack: int


@dataclass(frozen=True)
class LargeBlocks(Amount):
    """The large blocks of a site whose resident pages were counted."""

    place: int
    resident_bytes: int
    stack: int

    @property
    def other_bytes(self) -> int:
        """In pages that were never written."""
        return max(0, self.bytes - self.resident_bytes)


@dataclass(frozen=True)
class InDepth:
    """The document's `scope`: one scope, with longer lists."""

    kind: str
    row: Scope
    sites: tuple[Site, ...] = ()
    pairs: tuple[Pair, ...] = ()
    callers: tuple[FunctionAmount, ...] = ()
    activation_bytes_classes: tuple[tuple[int, int], ...] = ()  # most bytes, activations
    activation_peak_classes: tuple[tuple[int, int], ...] = ()
