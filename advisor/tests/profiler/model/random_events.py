"""Random events of a program that never ran: calls, blocks, threads, scopes, instances, pools."""

import random
from collections.abc import Iterator
from dataclasses import dataclass, field

ALLOCATES = list(range(1, 9))
REALLOC = 3
FREES = [16, 17, 18]
REALLOC_OLD, REALLOC_FAILED = 19, 20
SCOPE_BEGIN, SCOPE_END, PROGRESS = 24, 25, 26
INSTANCE_BEGIN, INSTANCE_END, INSTANCE_ENTER, INSTANCE_LEAVE = 27, 28, 29, 30
POOL_ALLOCATED, POOL_FREED, POOL_RELEASED, POOL_ROLLED_BACK = 32, 33, 34, 35
CONTROLS = range(36, 40)
FUNCTION_ENTER, FUNCTION_EXIT = 45, 46
GAP, RESIDENT = 47, 48
INCOMPLETE_END = 3
LONGEST_INSIDE = 500_000  # ticks that an allocator may take for a block without a byte
FUNCTIONS = 14
SITES = 5
NAMES = 4


@dataclass
class Thread:
    stack: list[int] = field(default_factory=list)
    shown: list[int] = field(default_factory=list)
    own: list[int] = field(default_factory=list)
    marked: list[tuple[str, int]] = field(default_factory=list)
    instances: list[int] = field(default_factory=list)


class Program:
    """Writes the lines that profile_events reads."""

    def __init__(self, seed: int, threads: int, marked: bool) -> None:
        self.random = random.Random(seed)
        self.threads = [Thread([self.address(0, 0)]) for _ in range(threads)]
        self.marked = marked
        self.ticks = 1_000_000
        self.contexts: dict[tuple[int, int], int] = {}
        self.live: dict[int, int] = {}
        self.shared: list[int] = []
        self.free_addresses: list[int] = []
        self.next_address = 0x10000
        self.next_instance = 1
        self.open_instances: list[int] = []
        self.pool_blocks: dict[int, list[int]] = {65537 * n + 1: [] for n in range(1, 3)}
        self.events: list[str] = []
        self.context_lines: list[str] = []

    @staticmethod
    def address(function: int, site: int) -> int:
        return 0x400000 + function * 0x100 + site * 8 + 1

    def context(self, stack: list[int], end: int) -> int:
        node = end
        for address in stack:
            key = (node, address)
            if key not in self.contexts:
                number = 6 + len(self.contexts)
                self.contexts[key] = number
                function = (address - 0x400000) // 0x100
                name = f"lib{function}" if function >= FUNCTIONS - 2 else f"f{function}"
                if function % 5 == 4:
                    name = f"class{function}::~class{function}"
                self.context_lines.append(f"context {number} {node} {address:x} {function} {name}")
            node = self.contexts[key]
        return node

    def emit(self, thread: int, kind: int, address: int, size: int = 0, pool: int = 0) -> None:
        of = self.threads[thread]
        self.ticks += self.random.choice([0, 1, 20, 70, 500])
        inside = self.random.randrange(1, 300) if self.random.random() < 0.1 and kind < SCOPE_BEGIN else 0
        inside = self.random.randrange(1, 10**7) if kind in CONTROLS else inside
        if inside and self.random.random() < 0.05:  # the thread lost its processor: by a tick, or for long
            inside = LONGEST_INSIDE + 2 * size + 1 if kind in ALLOCATES else 10**9
        if kind in (FUNCTION_ENTER, FUNCTION_EXIT, RESIDENT):
            self.events.append(f"{self.ticks} {thread} {kind} {address:x} {size} 0 0 0 {pool}")
            return
        stack = of.stack
        end = 0
        if self.random.random() < 0.01:
            stack, end = stack[self.random.randrange(len(stack)) :], INCOMPLETE_END
        kept = 0
        if end == 0 or of.shown[:1] == stack[:1]:
            while kept < min(len(stack), len(of.shown)) and stack[kept] == of.shown[kept]:
                kept += 1
        if self.random.random() < 0.1:
            kept = self.random.randint(0, kept)
        if end != 0:
            kept = 0
        context = self.context(stack, end)
        self.events.append(
            f"{self.ticks} {thread} {kind} {address:x} {size} {inside} {kept} {context} {pool}"
        )
        of.shown = list(stack) if end == 0 else []

    def take_address(self, size: int) -> int:
        if self.free_addresses and self.random.random() < 0.7:
            at = self.random.randrange(len(self.free_addresses))
            return self.free_addresses.pop(at)
        self.next_address += 16384
        return self.next_address - 16384 + 16 * self.random.randrange(40)

    def close_block(self) -> int:
        """Small blocks that lie close to each other."""
        self.next_address += 64
        return self.next_address - 64

    def size(self) -> int:
        return self.random.choice(
            [0, 1, 8, 24, 24, 24, 48, 100, 128, 129, 500, 4000, self.random.randrange(1, 9000)]
        )

    def allocate(self, thread: int, kind: int, size: int) -> int:
        address = self.close_block() if size <= 48 and self.random.random() < 0.7 else self.take_address(size)
        self.live[address] = size
        self.emit(thread, kind, address, size)
        return address

    def forget(self, address: int) -> None:
        del self.live[address]
        if address % 64:
            self.free_addresses.append(address)

    def step(self) -> None:
        rng = self.random
        thread = rng.randrange(len(self.threads))
        of = self.threads[thread]
        self.walk(of)
        if rng.random() < 0.02:
            self.leave_out(thread)
        choice = rng.random()
        if choice < 0.42:
            kind = rng.choice([kind for kind in ALLOCATES if kind != REALLOC])
            block = self.allocate(thread, kind, self.size())
            (self.shared if rng.random() < 0.15 else of.own).append(block)
        elif choice < 0.8:
            blocks = self.shared if rng.random() < 0.15 else of.own
            if blocks:
                recent = rng.random() < 0.7
                block = blocks.pop(-1 if recent else rng.randrange(len(blocks)))
                self.emit(thread, rng.choice(FREES), block)
                self.forget(block)
        elif choice < 0.84 and of.own:
            self.reallocate(thread)
        elif choice < 0.85:
            self.emit(thread, rng.choice(FREES), 0x7F0000 + 16 * rng.randrange(100))
        elif choice < 0.853 and of.own:
            self.emit(thread, 1, of.own[-1], self.live[of.own[-1]])
        elif self.marked:
            self.mark(thread)

    def leave_out(self, thread: int) -> None:
        self.events.append(f"{self.ticks} {thread} {GAP} 0 {self.random.randrange(1, 900)} 0 0 0 0")

    def walk(self, of: Thread) -> None:
        rng = self.random
        for _ in range(rng.randrange(4)):
            if len(of.stack) > 1 and rng.random() < 0.5:
                of.stack.pop()
            elif len(of.stack) < 12:
                of.stack.append(self.address(rng.randrange(FUNCTIONS), rng.randrange(SITES)))
        function = (of.stack[-1] - 0x400000) // 0x100
        of.stack[-1] = self.address(function, rng.randrange(SITES))

    def reallocate(self, thread: int) -> None:
        of = self.threads[thread]
        block = of.own.pop()
        self.emit(thread, REALLOC_OLD, block)
        if self.random.random() < 0.2:
            self.emit(thread, REALLOC_FAILED, block)
            of.own.append(block)
            return
        self.forget(block)
        of.own.append(self.allocate(thread, REALLOC, self.size()))

    def mark(self, thread: int) -> None:
        rng = self.random
        of = self.threads[thread]
        choice = rng.random()
        if choice < 0.25:
            scope = rng.randrange(1, NAMES)
            of.marked.append(("scope", scope))
            self.emit(thread, SCOPE_BEGIN, scope)
        elif choice < 0.3:
            function = self.address(rng.randrange(3), 0) - 1
            self.context([function + 1], 0)
            of.marked.append(("function", function))
            self.emit(thread, FUNCTION_ENTER, function, 77)
        elif choice < 0.55 and of.marked:
            at = len(of.marked) - 1 if rng.random() < 0.9 else rng.randrange(len(of.marked))
            kind, number = of.marked[at]
            del of.marked[at:]
            self.emit(thread, SCOPE_END if kind == "scope" else FUNCTION_EXIT, number)
        elif choice < 0.56:
            self.emit(thread, SCOPE_END, NAMES + 1)
        elif choice < 0.66:
            self.emit(thread, PROGRESS, rng.randrange(1, NAMES))
        elif choice < 0.8:
            self.instance(thread)
        elif rng.random() < 0.9:
            self.pool(thread)
        elif rng.random() < 0.5 or not self.live:
            self.emit(thread, rng.choice(CONTROLS), 0)
        else:
            address = rng.choice([*self.live, 0, 16])
            self.emit(thread, RESIDENT, address, rng.choice([0, 1, 32768, 65536, 10**6]))

    def instance(self, thread: int) -> None:
        rng = self.random
        of = self.threads[thread]
        choice = rng.random()
        if choice < 0.3 or not self.open_instances:
            number = self.next_instance << 16 | rng.randrange(NAMES)
            self.next_instance += 1
            self.open_instances.append(number)
            self.emit(thread, INSTANCE_BEGIN, number)
        elif choice < 0.6:
            number = rng.choice(self.open_instances)
            of.instances.append(number)
            self.emit(thread, INSTANCE_ENTER, number)
        elif choice < 0.8 and of.instances:
            self.emit(thread, INSTANCE_LEAVE, of.instances.pop())
        else:
            number = self.open_instances.pop(rng.randrange(len(self.open_instances)))
            self.emit(thread, INSTANCE_END, number)

    def pool(self, thread: int) -> None:
        rng = self.random
        pool = rng.choice(list(self.pool_blocks))
        blocks = self.pool_blocks[pool]
        choice = rng.random()
        if choice < 0.6:
            address = 0x900000 + 16 * rng.randrange(200)
            blocks.append(address)
            self.emit(thread, POOL_ALLOCATED, address, rng.randrange(1, 200), pool)
        elif choice < 0.85 and blocks:
            self.emit(thread, POOL_FREED, blocks.pop(rng.randrange(len(blocks))), 0, pool)
        elif choice < 0.93:
            self.emit(thread, POOL_ROLLED_BACK, 0, rng.randrange(4), pool)
        else:
            blocks.clear()
            self.emit(thread, POOL_RELEASED, 0, 0, pool)


def _cpu_nanoseconds(seed: int, last: int) -> int:
    """Unknown, less than the process lasted, or more than its threads did."""
    return (0, (last - 1_000_000) // 2 // 5, 10**12)[seed % 3]


def lines(seed: int, events: int, threads: int = 3, marked: bool = True) -> Iterator[str]:
    program = Program(seed, threads, marked)
    while len(program.events) < events:
        program.step()
    last = program.ticks + 1000
    stamp_ticks = (0, 1, 24.6, 400)[seed % 4]
    yield f"process 7 1000000 {last} 2000000000 {threads} 10 2 {_cpu_nanoseconds(seed, last)} {stamp_ticks}"
    for number in range(1, NAMES):
        yield f"name {number} mark {number}"
    yield from program.context_lines
    yield from program.events
