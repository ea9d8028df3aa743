"""The figures of scopes, from the model's blocks and activations."""

import math
import statistics
from collections import Counter
from collections.abc import Iterable
from typing import Any

from model_parts import Activation, Block
from model_program import Program

PAGE = 4096


def size_class_end(size: int) -> int:
    if size <= 128:
        return max(8, -(-size // 8) * 8)
    step = 1 << ((size - 1).bit_length() - 4)
    return -(-size // step) * step


def count(blocks: Iterable[Block]) -> dict[str, int]:
    sizes = [block.size for block in blocks]
    return {"allocations": len(sizes), "bytes": sum(sizes)}


def ratio(part: float, whole: float) -> float | None:
    return part / whole if whole else None


class Model:
    def __init__(self, program: Program) -> None:
        self.program = program
        self.ns = 1e9 / program.ticks_per_second
        elapsed = self.ns * sum(thread.last - (thread.first or 0) for thread in program.threads.values())
        worked = program.cpu_nanoseconds
        self.busy = worked / elapsed if 0 < worked < elapsed else 1.0

    def figures(
        self,
        blocks: list[Block],
        frees: int,
        timed: list[tuple[int, int]],
        activations: list[Activation] | None,
        ticks: int,
        contained: list[Block],
        snapshots: list[tuple[int, int, int, int, int]],
        histories: list[list[tuple[int, int, int]]],
        areas: list[tuple[int, int]],
        seen: int,
        opened: int,
    ) -> dict[str, Any]:
        threads = len(self.program.threads)
        freed = [block for block in blocks if block.freed]
        classes = Counter(size_class_end(block.size) for block in blocks)
        figures: dict[str, Any] = {**count(blocks), "frees": frees, "size_classes": len(classes)}
        figures["sizes"] = dict(classes)
        figures["smallest"] = min((block.size for block in blocks), default=None)
        figures["largest"] = max((block.size for block in blocks), default=None)
        alive = [block for block in blocks if not block.freed]
        figures["alive"] = count(alive)
        if activations is not None:
            own = {id(block) for block in contained}
            figures["contained"] = count(contained)
            figures["escaped"] = count(block for block in freed if id(block) not in own)
            figures["containment"] = ratio(len(contained), len(freed))
            figures["containment_bytes"] = ratio(count(contained)["bytes"], count(freed)["bytes"])
        elsewhere = [block for block in freed if block.freed and block.freed.thread != block.thread]
        figures["freed_by_other_thread"] = count(elsewhere) if threads > 1 else None
        figures["temporary"] = count(block for block in freed if block.freed and block.freed.temporary)
        figures.update(self.density(len(blocks) + frees, timed, ticks))
        bits = (
            -sum(n / len(blocks) * math.log2(n / len(blocks)) for n in classes.values()) if blocks else None
        )
        figures["V.raw"] = None if bits is None else max(0.0, bits)
        figures["V.scaled"] = None if bits is None else 1 - 2 ** -max(0.0, bits)
        peaks = [max((live for live, _, _ in history), default=0) for history in histories]
        highest = max(peaks, default=0)
        transitions = max(seen - opened, 1 if seen else 0)
        figures["L.raw"] = ratio(ticks * self.ns, highest * transitions)
        figures["L.footprint_bytes"] = highest
        figures["L.transitions"] = transitions
        in_activations = sum(history[-1][1] for history in histories if history)
        figures["U.raw"] = ratio(sum(peaks), in_activations)
        others = sum(flight for _, flight in timed)
        figures["C.raw"] = ratio(others, len(timed)) if threads > 1 else None
        figures["C.freed_by_other_thread"] = ratio(len(elsewhere), len(freed))
        sums = [sum(each[at] for each in snapshots) for at in range(5)]
        figures["F.raw"] = ratio(sums[1], sums[0])
        figures["F.pages_spanned"], figures["F.pages_needed"], figures["F.samples"] = sums[2:]
        if activations is not None and sum(peaks):
            figures["drag.peak_ratio"] = ratio(in_activations, sum(peaks))
            region, live = (sum(area[at] for area in areas) for at in (0, 1))
            figures["drag.area_ratio"] = ratio(region, live)
        lives = [
            (block.freed.ticks - block.ticks, block.freed.clock - block.clock - block.size)
            for block in freed
            if block.freed
        ]
        figures["mean_lifetime_seconds"] = ratio(sum(life for life, _ in lives) * self.ns * 1e-9, len(lives))
        figures["mean_lifetime_bytes"] = ratio(sum(clock for _, clock in lives), len(lives))
        return figures

    def density(self, operations: int, timed: list[tuple[int, int]], ticks: float) -> dict[str, Any]:
        inside = [each - self.program.stamp_ticks for each, _ in timed]
        found: dict[str, Any] = {"D.samples": len(inside)}
        mean = ratio(sum(inside), len(inside))
        mean = mean and max(0.0, mean)
        known = mean is not None and ticks
        # The program cannot have taken less than its allocator did.
        ticks = max(ticks * self.busy, (mean or 0.0) * operations)
        found["D.ns_per_operation"] = None if mean is None else mean * self.ns
        found["D.operations_per_second"] = ratio(operations * 1e9, ticks * self.ns)
        found["D.raw"] = mean * operations / ticks if known and mean is not None else None
        if known and mean is not None and len(inside) > 1:
            variance = statistics.variance(inside)
            half = 1.96 * math.sqrt(variance / len(inside))
            low, high = max(0.0, (mean - half) * operations / ticks), (mean + half) * operations / ticks
            found["D.interval"] = [low, high]
        else:
            found["D.interval"] = None
        return found

    def area(self, activation: Activation) -> tuple[int, int]:
        region = live = 0
        own = {id(block) for block in activation.contained()}
        for block in activation.blocks:
            region += block.size * (activation.end_ticks - block.ticks)
            end = block.freed.ticks if block.freed and id(block) in own else activation.end_ticks
            live += block.size * (end - block.ticks)
        return region, live

    def scope(
        self,
        activations: list[Activation],
        frees: int,
        timed: list[tuple[int, int]],
        owned: list[Block],
        steps_back: int,
        snapshots: list[tuple[int, int, int, int, int]],
    ) -> dict[str, Any]:
        allocating = [each for each in activations if each.blocks]
        blocks = [block for each in activations for block in each.blocks]
        contained = [block for each in activations for block in each.contained()]
        histories = [each.live_history() for each in allocating]
        ticks = sum(each.end_ticks - each.begin_ticks for each in activations)
        opened = sum(each.open_at_end for each in activations)
        found = {
            f"figures.{key}": value
            for key, value in self.figures(
                blocks,
                frees,
                timed,
                activations,
                ticks,
                contained,
                snapshots,
                histories,
                [self.area(each) for each in allocating],
                len(activations),
                opened,
            ).items()
        }
        found["threads"] = len({each.thread for each in activations})
        found["activations.seen"] = len(activations)
        found["activations.allocating"] = len(allocating)
        found["activations.contained"] = sum(
            1 for each in allocating if not each.open_at_end and len(each.contained()) == len(each.blocks)
        )
        found["activations.open"] = opened
        found["activations.seconds"] = ticks * self.ns * 1e-9
        found["owned"] = count(owned)
        found["separations.at_most"] = len(activations) + steps_back
        bytes_each = [sum(block.size for block in each.blocks) for each in allocating]
        peaks = [max((live for live, _, _ in history), default=0) for history in histories]
        for key, values in (("activation_bytes", bytes_each), ("activation_peak", peaks)):
            ordered = sorted(values)
            for name, part in (("p50", 0.5), ("p90", 0.9), ("p99", 0.99)):
                rank = math.ceil(part * len(ordered))
                found[f"{key}.{name}"] = min(size_class_end(ordered[rank - 1]), ordered[-1])
            found[f"{key}.max"] = ordered[-1]
            found[f"{key}.mean"] = sum(ordered) / len(ordered)
        returns, between = 0, 0
        for history in histories:
            since = 0
            for live, allocated, change in history:
                between = max(between, allocated - since)
                if live == 0 and change < 0:
                    returns += 1
                    since = allocated
        found["rewind.returns"], found["rewind.peak_bytes"] = returns, between
        pages = sum(-(-size // PAGE) for size in bytes_each)
        found["page_faults.fresh"] = pages
        found["page_faults.per_activation"] = pages / len(allocating)
        return found
