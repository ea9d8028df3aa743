"""The model: what a profile's figures are made of, as lists of blocks and activations.

Nothing is summed while events go by. An activation keeps the blocks made in it, a block its whole life.
"""

from model_parts import Activation, Block, Event, Free, Instance, Thread

ALLOCATES = range(1, 9)
FREES = range(16, 20)
REALLOC, REALLOC_OLD, REALLOC_FAILED = 3, 19, 20
SCOPE_BEGIN, SCOPE_END, PROGRESS = 24, 25, 26
INSTANCES = range(27, 31)
CONTROLS = {36: "malloc_trim", 37: "mallinfo", 38: "mallinfo2", 39: "mallopt"}
FUNCTION_ENTER, FUNCTION_EXIT = 45, 46
GAP, RESIDENT = 47, 48
COMPLETE = range(3)


class Program:
    def __init__(self, text: list[str]) -> None:
        self.parents: dict[int, int] = {}
        self.context_address: dict[int, int] = {}
        self.function_of: dict[int, int] = {}
        self.function_names: dict[int, str] = {}
        self.mark_names: dict[int, str] = {}
        self.events: list[Event] = []
        self.head: list[str] = []
        for line in text:
            self.read(line)
        self.first_ticks, self.last_ticks = int(self.head[2]), int(self.head[3])
        self.ticks_per_second = float(self.head[4])
        self.cpu_nanoseconds = int(self.head[8])
        self.stamp_ticks = float(self.head[9])
        self.paths = {number: self.path(number) for number in [*range(6), *self.parents]}
        self.live: dict[int, Block] = {}
        self.blocks: list[Block] = []
        self.frees: list[tuple[int, int, bool]] = []
        self.activations: list[Activation] = []
        self.marked: list[Activation] = []
        self.threads: dict[int, Thread] = {}
        self.foreign_frees = self.double_allocations = self.unmatched = 0
        self.interrupted = 0
        self.timed: list[tuple[Event, int, tuple[Activation, ...], int]] = []
        self.operations: list[tuple[int, int]] = []
        self.steps_back: dict[int, int] = {}
        self.progress: dict[int, list[tuple[int, int]]] = {}
        self.controls: list[tuple[str, int, int]] = []
        self.residents: list[tuple[Block, float]] = []
        self.marked_free_calls: list[tuple[Activation, ...]] = []
        self.snapshots: dict[int, list[tuple[int, int, int, int, int]]] = {}
        self.next_snapshot = 4096
        self.places = 4096
        self.instances: dict[int, dict[str, list[int]]] = {}
        self.open_instances: dict[int, Instance] = {}
        self.instance_blocks: dict[int, tuple[Instance, int]] = {}
        self.run()

    def read(self, line: str) -> None:
        words = line.split()
        if words[0] == "process":
            self.head = words
        elif words[0] == "name":
            self.mark_names[int(words[1])] = line.split(maxsplit=2)[2]
        elif words[0] == "context":
            number, parent, address, function = int(words[1]), int(words[2]), int(words[3], 16), int(words[4])
            self.parents[number], self.context_address[number] = parent, address
            self.function_of[address] = function
            self.function_names[function] = line.split(maxsplit=5)[5]
        else:
            numbers = [int(word, 16 if at == 3 else 10) for at, word in enumerate(words)]
            self.events.append(Event(*numbers))

    def path(self, context: int) -> tuple[int, ...]:
        """Addresses, the outermost first."""
        found = []
        while context >= 6:
            found.append(self.context_address[context])
            context = self.parents[context]
        return tuple(reversed(found))

    def end_of(self, context: int) -> int:
        while context >= 6:
            context = self.parents[context]
        return context

    def is_complete(self, context: int) -> bool:
        return self.end_of(context) in COMPLETE

    # The events, one after another.

    def run(self) -> None:
        self.clock = 0
        self.ticks = 0
        for number, event in enumerate(self.events):
            self.number = number
            self.block_size = 0
            self.ticks = max(self.ticks, event.ticks - self.first_ticks)
            thread = self.threads.setdefault(event.thread, Thread())
            thread.first = self.ticks if thread.first is None else thread.first
            thread.last = self.ticks
            if event.kind in (FUNCTION_ENTER, FUNCTION_EXIT):
                self.mark(event, thread)
            elif event.kind == GAP:
                thread.in_gap = True
            elif event.kind == RESIDENT:
                if event.address in self.live:
                    self.residents.append((self.live[event.address], min(event.size, 65536) / 65536))
            else:
                self.follow(event, thread)
                self.act(event, thread)
            if self.number + 1 >= self.next_snapshot:
                self.take_snapshot()
        for thread in self.threads.values():
            for activation in [*reversed(thread.levels), *reversed(thread.marked)]:
                self.end(activation, len(self.events), thread.last)
                activation.open_at_end = True

    def end(self, activation: Activation, number: int, ticks: int) -> None:
        activation.end, activation.end_ticks = number, ticks

    def follow(self, event: Event, thread: Thread) -> None:
        if not self.is_complete(event.context):
            thread.left_out = True
            return
        path = self.paths[event.context]
        kept = min(event.kept, len(path), len(thread.levels))
        if thread.left_out:
            kept = 0
            same_root = self.end_of(event.context) == self.end_of(thread.context)
            while (
                same_root
                and kept < min(len(path), len(thread.levels))
                and path[kept] == thread.addresses[kept]
            ):
                kept += 1
        thread.left_out = False
        if event.kind in (REALLOC, REALLOC_FAILED) and event.context == thread.context:
            return
        function_of = self.function_of
        in_gap, thread.in_gap = thread.in_gap, False
        same = kept == len(path) == len(thread.levels)
        if same and not in_gap and kept and thread.levels[-1].counts:
            self.step_back(thread.levels[-1])
        goes_on = kept < min(len(path), len(thread.levels)) and (
            function_of[path[kept]] == function_of[thread.addresses[kept]]
        )
        if goes_on and not in_gap and thread.levels[kept].counts and path[kept] <= thread.addresses[kept]:
            self.step_back(thread.levels[kept])
        keep = kept + goes_on
        for activation in reversed(thread.levels[keep:]):
            self.end(activation, self.number, self.ticks)
        thread.levels = thread.levels[:keep]
        for activation in thread.levels if in_gap else []:
            if activation.counts:
                self.step_back(activation)
        for level in range(keep, len(path)):
            function = function_of[path[level]]
            counts = all(function_of[outer] != function for outer in path[:level])
            made = Activation(function, level, counts, self.number, self.ticks, event.thread)
            thread.levels.append(made)
            self.activations.append(made)
        thread.addresses = list(path)
        thread.context = event.context

    def step_back(self, activation: Activation) -> None:
        function = activation.scope
        assert isinstance(function, int)
        self.steps_back[function] = self.steps_back.get(function, 0) + 1

    def act(self, event: Event, thread: Thread) -> None:
        if event.kind in ALLOCATES and event.address:
            self.allocate(event, event.size, thread)
        elif event.kind in FREES:
            thread.reallocated = None
            self.free(event, thread)
        elif event.kind == REALLOC_FAILED:
            if thread.reallocated and thread.reallocated[0] == event.address:
                self.allocate(event, thread.reallocated[1], thread)
        elif event.kind in (SCOPE_BEGIN, SCOPE_END):
            self.mark(event, thread)
        elif event.kind in CONTROLS:
            self.controls.append((CONTROLS[event.kind], event.context, event.inside))
        elif event.kind == PROGRESS:
            self.progress.setdefault(event.address, []).append((self.ticks, len(self.blocks)))
        elif event.kind in INSTANCES:
            self.follow_instance(event, thread)
        if event.kind <= REALLOC_FAILED:
            longest = 250e-6 + self.block_size * 1e-9  # seconds; no allocator takes more
            if event.inside / self.ticks_per_second > longest:
                self.interrupted += 1
            elif event.inside:
                recent = self.operations[-64:]
                others = sum(1 for by, at in recent if by != event.thread and at + event.inside >= self.ticks)
                self.timed.append((event, others, tuple(thread.marked), self.number))
            self.operations.append((event.thread, self.ticks))

    def allocate(self, event: Event, size: int, thread: Thread) -> None:
        if event.address in self.live:
            self.double_allocations += 1
            self.end_block(self.live.pop(event.address), None, event.thread)
        self.block_size = size
        block = Block(event.address, size, self.number, self.ticks, self.clock, event.context, event.thread)
        block.marks = tuple(thread.marked)
        self.live[event.address] = block
        thread.last_block = block
        self.blocks.append(block)
        if self.is_complete(event.context):
            for activation in thread.levels:
                if activation.counts:
                    activation.blocks.append(block)
        for activation in thread.marked:
            if activation.counts:
                activation.blocks.append(block)
        self.clock += size
        while len(self.live) * 4 > self.places * 3:
            self.places *= 2
        self.allocate_in_instance(event, size, thread)

    def free(self, event: Event, thread: Thread) -> None:
        complete = self.is_complete(event.context)
        block = self.live.pop(event.address, None)
        self.block_size = block.size if block else 0
        self.frees.append((event.context, self.number, complete))
        self.marked_free_calls.append(tuple(thread.marked))
        inside = [*(thread.levels if complete else []), *thread.marked]
        for activation in inside:
            activation.free_calls += 1
        if block is None:
            self.foreign_frees += 1
            return
        if event.kind == REALLOC_OLD:
            thread.reallocated = (block.address, block.size)
        self.end_block(block, event.context, event.thread)

    def end_block(self, block: Block, context: int | None, thread: int) -> None:
        temporary = context is not None and self.threads[thread].last_block is block
        block.freed = Free(self.number, self.ticks, self.clock, context, thread, temporary=temporary)
        if self.is_complete(block.context):
            for activation in self.threads[block.thread].levels:
                if activation.counts and activation.begin <= block.number:
                    block.freed.container = activation
        self.free_in_instance(block.address)

    def mark(self, event: Event, thread: Thread) -> None:
        if event.kind in (SCOPE_BEGIN, FUNCTION_ENTER):
            scope = self.binding_mark(event)
            counts = all(activation.scope != scope for activation in thread.marked)
            made = Activation(scope, len(thread.marked), counts, self.number, self.ticks, event.thread)
            thread.marked.append(made)
            self.marked.append(made)
            return
        scope = self.binding_mark(event)
        if all(activation.scope != scope for activation in thread.marked):
            self.unmatched += 1
            return
        while True:
            activation = thread.marked.pop()
            self.end(activation, self.number, self.ticks)
            if activation.scope == scope:
                return

    def binding_mark(self, event: Event) -> tuple[str, str]:
        if event.kind in (FUNCTION_ENTER, FUNCTION_EXIT):
            return "function", self.function_names[self.function_of[event.address + 1]]
        return "marker", self.mark_names.get(event.address, f"(name {event.address})")

    # Scopes that no thread owns.

    def follow_instance(self, event: Event, thread: Thread) -> None:
        instances = self.open_instances
        number, name = event.address, event.address & 0xFFFF
        begin, end, enter, leave = INSTANCES
        if event.kind == begin or (event.kind == enter and number not in instances):
            instances[number] = Instance(name)
            counts = {"all": [0, 0], "contained": [0, 0], "escaped": [0, 0]}
            self.instances.setdefault(name, {"instances": [0], **counts})["instances"][0] += 1
        if number not in instances:
            return
        if event.kind == end:
            instances.pop(number).open = False
        elif event.kind == enter:
            thread.instances.append(instances[number])
        elif event.kind == leave:
            for at in range(len(thread.instances) - 1, -1, -1):
                if thread.instances[at] is instances[number]:
                    del thread.instances[at]
                    break

    def allocate_in_instance(self, event: Event, size: int, thread: Thread) -> None:
        if thread.instances and thread.instances[-1].open:
            self.instance_blocks[event.address] = (thread.instances[-1], size)
            count = self.instances[thread.instances[-1].name]["all"]
            count[0] += 1
            count[1] += size

    def free_in_instance(self, address: int) -> None:
        if address in self.instance_blocks:
            instance, size = self.instance_blocks.pop(address)
            count = self.instances[instance.name]["contained" if instance.open else "escaped"]
            count[0] += 1
            count[1] += size

    # Snapshots of the heap.

    def take_snapshot(self) -> None:
        events = self.number + 1
        self.next_snapshot = events + max(4096, events // 64, 2 * len(self.live))
        order = sorted(self.live.values(), key=lambda block: block.address)
        for thread in self.threads.values():
            for activation in thread.levels:
                if not activation.counts:
                    continue
                own = {id(block) for block in activation.blocks}
                mine = [at for at, block in enumerate(order) if id(block) in own]
                if len(mine) < 2:
                    continue
                foreign = sum(1 for at in mine[:-1] if id(order[at + 1]) not in own)
                pages = {
                    page
                    for at in mine
                    for page in range(
                        order[at].address >> 12, (order[at].address + max(order[at].size, 1) - 1 >> 12) + 1
                    )
                }
                needed = -(-sum(order[at].size for at in mine) // 4096)
                scope = activation.scope
                assert isinstance(scope, int)
                self.snapshots.setdefault(scope, []).append((len(mine) - 1, foreign, len(pages), needed, 1))
