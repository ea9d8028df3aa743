"""Estimates what an allocator can save: the time in malloc and free, and in page faults.

The estimate is not a bound, because it leaves out locality: adjacent blocks also make the program's own code
faster.

The time of an operation comes from the recording, which times one in 64 and subtracts its own overhead. The
program's time comes from runs without the recorder, because the recorder slows the program down.
"""

from __future__ import annotations

import contextlib
import math
import mmap
import time
from dataclasses import dataclass, replace

from mallard.advisor.profile.document import Profile

PAGE = 4096
PAGES_TOUCHED = 8192  # 32 MiB
TIMES_MEASURED = 7
TOUCH = b"x" * PAGES_TOUCHED
FEW_SAMPLES = 30  # an interval of fewer samples is not trusted
CLOCK_NS = 4  # that the mean of an operation may be off, because it overlaps with the program's own code
WORTH_DOING = 0.02  # of the program's time
FEW_OPERATIONS = 1000  # whose time is below any interval of a trial, unless they fault


@dataclass(frozen=True)
class Ceiling:
    """Seconds of the unchanged program: CPU time, or wall time, which no saving of CPU time can exceed."""

    seconds: float
    low: float
    high: float
    cpu_seconds: float  # of the whole program
    operations: int
    ns_per_operation: float | None
    faults: int  # that blocks can have caused
    fault_ns: float
    wall_seconds: float
    wall: bool = False

    @property
    def program_seconds(self) -> float:
        return self.wall_seconds if self.wall else self.cpu_seconds

    def in_wall_time(self) -> Ceiling:
        """The estimate in wall time: all of the saving may be on the critical path."""
        low, middle, high = (
            min(seconds, self.wall_seconds) for seconds in (self.low, self.seconds, self.high)
        )
        return replace(self, low=low, seconds=middle, high=high, wall=True)

    @property
    def share(self) -> float:
        return self._of_program(self.seconds)

    @property
    def share_high(self) -> float:
        return self._of_program(self.high)

    @property
    def known(self) -> bool:
        """False if the interval reaches to the whole run: then the estimate says nothing."""
        return self.high < self.program_seconds

    @property
    def worth_a_trial(self) -> bool:
        """Compares with the shorter time, because the clock of the trial is not known yet. The sample of few
        operations may be of any size.
        """
        shorter = min(self.cpu_seconds, self.wall_seconds)
        most = self.fault_seconds if self.operations < FEW_OPERATIONS else self.high
        return shorter > 0 and most / shorter >= WORTH_DOING

    @property
    def fault_seconds(self) -> float:
        return self.faults * self.fault_ns * 1e-9

    def _of_program(self, seconds: float) -> float:
        return min(1.0, seconds / self.program_seconds) if self.program_seconds > 0 else 0.0


def estimate_ceiling(
    profile: Profile, cpu_seconds: float, wall_seconds: float, faults: int, fault_ns: float
) -> Ceiling:
    density = profile.figures.dimension("D")
    operations = profile.process.events
    ns_per_operation = density.ns_per_operation
    # Without a timed operation the allocator may take all of the time.
    inside = (
        operations * ns_per_operation * 1e-9
        if ns_per_operation is not None
        else cpu_seconds
        if operations
        else 0.0
    )
    low, high = 0.0, inside * 2
    if density.interval and density.raw and (density.samples or 0) >= FEW_SAMPLES:
        by_clock = operations * CLOCK_NS * 1e-9
        low = max(0.0, inside * density.interval[0] / density.raw - by_clock)
        high = inside * density.interval[1] / density.raw + by_clock
    by_blocks = faults_of_blocks(profile, faults)
    in_faults = by_blocks * fault_ns * 1e-9
    return Ceiling(
        seconds=min(inside + in_faults, cpu_seconds),
        low=min(low, cpu_seconds),
        high=min(high + in_faults, cpu_seconds),
        cpu_seconds=cpu_seconds,
        operations=operations,
        ns_per_operation=ns_per_operation,
        faults=by_blocks,
        fault_ns=fault_ns,
        wall_seconds=wall_seconds,
    )


def faults_of_blocks(profile: Profile, faults: int) -> int:
    """The faults that blocks can have caused. Loading a program also causes faults."""
    figures = profile.figures
    return min(faults, math.ceil(figures.bytes / PAGE) + figures.allocations)


def fault_nanoseconds() -> float:
    """The price of the first touch of a page of 4 KiB: the time to touch fresh pages less the time to touch
    them again. The minimum of several measurements, because disturbances only add.
    """
    return min(_one_measurement() for _ in range(TIMES_MEASURED))


def _one_measurement() -> float:
    with mmap.mmap(-1, PAGES_TOUCHED * PAGE) as memory:
        if hasattr(mmap, "MADV_NOHUGEPAGE"):
            with contextlib.suppress(OSError):  # a kernel without huge pages
                memory.madvise(mmap.MADV_NOHUGEPAGE)
        fresh = _touch(memory)
        touched = _touch(memory)
    return max(0.0, fresh - touched) / PAGES_TOUCHED * 1e9


def _touch(memory: mmap.mmap) -> float:
    begin = time.thread_time()  # other processes of a busy machine take none of it
    memory[::PAGE] = TOUCH
    return time.thread_time() - begin


def width(profile: Profile) -> float:
    """The width of the interval of an operation's time, relative to that time; infinite if unknown. A
    recording that another process disturbed has a wide interval.
    """
    density = profile.figures.dimension("D")
    if not density.interval or not density.raw:
        return math.inf
    return (density.interval[1] - density.interval[0]) / density.raw
