"""The parts of the model: blocks, activations, threads and the events that make them."""

from dataclasses import dataclass, field


@dataclass(eq=False)
class Block:
    address: int
    size: int
    number: int
    ticks: int
    clock: int
    context: int
    thread: int
    freed: "Free | None" = None
    marks: "tuple[Activation, ...]" = ()


@dataclass(eq=False)
class Free:
    number: int
    ticks: int
    clock: int
    context: int | None
    thread: int
    container: "Activation | None" = None
    temporary: bool = False


@dataclass(eq=False)
class Activation:
    scope: object
    level: int
    counts: bool
    begin: int
    begin_ticks: int
    thread: int
    end: int | None = None
    end_ticks: int = 0
    open_at_end: bool = False
    blocks: list[Block] = field(default_factory=list)
    free_calls: int = 0

    def contained(self) -> list[Block]:
        return [
            block
            for block in self.blocks
            if block.freed and self.end is not None and block.freed.number < self.end
        ]

    def live_history(self) -> list[tuple[int, int, int]]:
        """(live bytes, bytes allocated so far, of this change) after each allocation and each free inside."""
        changes = [(block.number, 0, block.size) for block in self.blocks]
        changes += [(block.freed.number, 1, -block.size) for block in self.contained() if block.freed]
        live = allocated = 0
        history = []
        # A block that takes the place of another ends it first.
        for _, _, change in sorted(changes, key=lambda each: (each[0], -each[1])):
            live += change
            allocated += max(change, 0)
            history.append((live, allocated, change))
        return history


@dataclass(eq=False)
class Instance:
    name: int
    open: bool = True


@dataclass
class Thread:
    levels: list[Activation] = field(default_factory=list)
    addresses: list[int] = field(default_factory=list)
    context: int = 0
    left_out: bool = False
    in_gap: bool = False
    marked: list[Activation] = field(default_factory=list)
    instances: list[Instance] = field(default_factory=list)
    first: int | None = None
    last: int = 0
    reallocated: tuple[int, int] | None = None
    last_block: Block | None = None


@dataclass
class Event:
    ticks: int
    thread: int
    kind: int
    address: int
    size: int
    inside: int
    kept: int
    context: int
    pool: int
