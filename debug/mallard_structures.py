"""Reads mallard's allocators in the memory of a stopped program: a line and children for each.

mallard_gdb.py and mallard_lldb.py show what this module reads; each has an Object for its debugger's values.
Nothing is called in the program, which may be a core dump. Blocks that nobody counts are walked.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Protocol

# A walk stops here, so that a step in a debugger takes no minutes and a damaged list ends.
MOST_STEPS = 20_000

# The inline namespaces of core/build_mode.hpp.
MODE = re.compile(r"\b((?:(?:checked_)?n?debug|library)(?:_with(?:out)?_[a-z_]+)?_v\d+|with_names)::")
ALLOCATOR = re.compile(r"mallard::(?:unchecked::)?(\w+)(<.*)?")


class Object(Protocol):
    """An object in the program. Every error of the debugger is a RuntimeError."""

    def __getitem__(self, member: str) -> Object:
        """A member, of a base class too."""

    def has(self, member: str) -> bool: ...

    def target(self) -> Object:
        """What a pointer leads to, as the class of which it is."""

    def at(self, address: int) -> Object:
        """What a pointer would lead to if it had this value."""

    def argument(self, address: int) -> Object:
        """An object at this address of the type that is the first template argument."""

    def elements(self) -> list[Object]:
        """Of a std::array."""

    def number(self) -> int:
        """The value of an integer, an enumerator or a pointer."""

    def type_name(self) -> str:
        """Without typedefs, references and qualifiers."""

    def address(self) -> int: ...

    def size(self) -> int: ...

    def word(self, address: int) -> int:
        """The word of the size of a pointer at any address."""

    def word_bytes(self) -> int: ...

    def symbol(self, address: int) -> str:
        """The demangled name of what lies there."""


@dataclass
class Report:
    figures: list[str] = field(default_factory=list)
    children: dict[str, Object | int] = field(default_factory=dict)
    of: str = ""
    """What the line says behind the name."""
    inner: str = ""
    """The line of the mechanism, at the end of the line."""

    def add(self, **numbers: int) -> None:
        self.children.update(numbers)


def plain(type_name: str) -> str:
    return MODE.sub("", type_name)


def kind(type_name: str) -> str | None:
    """The name of the class, if there is a report about its objects."""
    match = ALLOCATOR.fullmatch(plain(type_name))
    if match is None or match[1] not in READERS or (match[2] and split(match[2])[1]):
        return None
    return match[1]


def split(bracketed: str) -> tuple[list[str], str]:
    """The arguments in `<a, b<c>>::d`, and what follows them."""
    parts, depth = [""], 0
    for index, letter in enumerate(bracketed[1:], 1):
        depth += (letter in "<({") - (letter in ">)}")
        if depth < 0:
            return [part.strip() for part in parts], bracketed[index + 1 :]
        if letter == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    raise RuntimeError(f"not a list of template arguments: {bracketed}")


def arguments(type_name: str) -> list[str]:
    """The template arguments in a type's name, without the library's namespaces."""
    _, bracket, names = plain(type_name).partition("<")
    return split(re.sub(r"mallard::(unchecked::|reuse::|local::)?", "", bracket + names))[0]


def stem(name: str) -> str:
    return name.partition("<")[0]


def count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def walked(number: int, noun: str) -> str:
    """A count that a walk has found, which may have stopped."""
    return count(number, noun) + (" or more" if number >= MOST_STEPS else "")


def read(o: Object) -> Report | None:
    """The report about an allocator, a binding or an upstream; None for other objects."""
    name = kind(o.type_name())
    if name is None:
        return None
    try:
        report = READERS[name](o)
        if o.has("hook_") and o["hook_"].has("registry"):
            registry(o["hook_"]["registry"], report)
    except RuntimeError as error:
        return Report([f"{name} is not readable: {error}"])
    head, figures = f"{name} {report.of}".strip(), ", ".join(report.figures)
    if report.inner:
        report.figures = [f"{head}{f' ({figures})' if figures else ''} of {report.inner}"]
    else:
        report.figures = [f"{head}: {figures}" if figures else head]
    return report


def line(o: Object) -> str:
    """The line about an allocator; the name of another type."""
    report = read(o)
    return report.figures[0] if report else stem(plain(o.type_name()).rpartition("::")[2])


def chain(first: Object, link: str = "next") -> Iterator[Object]:
    for _ in range(MOST_STEPS):
        if first.number() == 0:
            return
        element = first.target()
        yield element
        first = element[link]


def with_upstream(o: Object, report: Report) -> Report:
    handle = o["upstream_"]
    name = stem(arguments(handle.type_name())[0])
    report.of = f"over {name}"
    if handle.has("source_"):
        source = handle["source_"]
        report.children["upstream"] = source if name == "upstream_ref" else source.target()
    return report


def add_chunks(report: Report, chunks: dict[int, int]) -> None:
    """The chunks by their addresses."""
    some = f"{walked(len(chunks), 'chunk')} of {count(sum(chunks.values()), 'byte')}"
    report.figures.append(some if chunks else "no chunk")
    report.children.update({f"[chunk {address:#x}]": size for address, size in chunks.items()})


def add_large(report: Report, blocks: dict[int, int]) -> None:
    if blocks:
        report.figures.append(
            f"{walked(len(blocks), 'large block')} of {count(sum(blocks.values()), 'byte')}"
        )
    report.children.update({f"[large block {address:#x}]": size for address, size in blocks.items()})


def chunk_list(first: Object) -> dict[int, int]:
    return {chunk.address(): chunk["bytes"].number() for chunk in chain(first)}


def held_list(held: Object, report: Report, chunks: dict[int, int]) -> int:
    """Reports chunks, and large blocks, which have the highest bit of their size set
    (impl/chunks/held_list.hpp). Returns the number of the latter."""
    tag = 1 << (8 * held.word_bytes() - 1)
    sizes = {h.address(): h["tagged_bytes"].number() for h in chain(held["first_"])}
    large = {address + 2 * held.word_bytes(): size - tag for address, size in sizes.items() if size >= tag}
    add_chunks(report, chunks | {address: size for address, size in sizes.items() if size < tag})
    add_large(report, large)
    return len(large)


def registry(registry: Object, report: Report) -> None:
    """The blocks of a checked allocator (impl/checking/block_registry.hpp)."""
    live, waiting = registry["live_"], registry["quarantine_"]["count"].number()
    report.figures.insert(0, count(live["count"].number(), "live block"))
    report.figures.append(f"{count(waiting, 'block')} in quarantine")
    report.add(live_blocks=live["count"].number(), blocks_in_quarantine=waiting)
    if live["count"].number() and live["oldest"].target().has(
        "block"
    ):  # the library may have no debug information
        blocks = (
            (r["block"].number(), r["requested_bytes"].number()) for r in chain(live["oldest"], "younger")
        )
        report.children.update({f"[block {address:#x}]": size for address, size in blocks})


# ---- free blocks


def linked(o: Object, block: int, last: int = 0) -> int:
    """The length of a list of blocks; the last one leads to null or to itself."""
    for steps in range(MOST_STEPS):
        if block == 0:
            return steps
        following = o.word(block)
        block = 0 if following == block else following
    return MOST_STEPS


def unrolled(o: Object, first: int, block_bytes: int) -> int:
    """The length of an unrolled queue (reuse/first_freed.hpp)."""
    word, head = o.word_bytes(), first & ~1
    if first & 1 == 0 or (block_bytes < 3 * word and block_bytes != 2 * word):
        length = 0
        while first and length < MOST_STEPS:
            first, length = (o.word(first & ~1) if first & 1 else 0), length + 1
        return length
    at, end, length = o.word(head), o.word(head + word), 2  # the head, and the first page
    for _ in range(MOST_STEPS):
        if at == end:
            return length
        listed = o.word(at)
        length, at = length + 1, listed & ~1 if listed & 1 else at + word
    return MOST_STEPS


def only_list(o: Object, first: int, links: str, block_bytes: int) -> int:
    return unrolled(o, first, block_bytes) if links == "first_freed_links" else linked(o, first)


def class_bytes(classes: str, index: int) -> int | None:
    """The block size of a class (reuse/size_classes.hpp); None if the program has its own classes."""
    if classes == "power_of_two_classes":
        return 8 << index
    if classes not in ("eighth_classes", "shrinking_classes"):
        return None
    index += classes == "shrinking_classes"
    return (index + 1) * 8 if index < 16 else (9 + index % 8) << (4 + (index - 16) // 8)


def free_lists(free: Object, report: Report) -> None:
    """The free blocks of each size class (reuse/free_lists.hpp)."""
    links, form, classes = arguments(free.type_name())[:3]
    word, reach = free["word_"].number(), free["reach_"].number()
    if reach < 0:
        lengths = {
            ~reach: only_list(free, word, links, class_bytes(classes, ~reach) or 3 * free.word_bytes())
        }
    else:
        step = free.word_bytes() * (2 if form == "linked_queue" else 1)
        places = {index: word + index * step for index in range(reach)}
        in_use = {
            index: at
            for index, at in places.items()
            if step == free.word_bytes() or free.word(at + step // 2)
        }
        lengths = {index: linked(free, free.word(at)) for index, at in in_use.items()}
        if classes != "shrinking_classes":
            rooms = sum(linked(free, free.word(word - n * free.word_bytes())) for n in (1, 2) if reach)
            report.children.update({"[free rooms that tidy() left]": rooms} if rooms else {})
    report.figures.append(walked(sum(lengths.values()), "free block"))
    for index, length in lengths.items():
        if length:
            size = class_bytes(classes, index)
            report.children[
                f"[free blocks of {size:,} bytes]" if size else f"[free blocks of class {index}]"
            ] = length


# ---- the allocators


def monotonic(o: Object) -> Report:
    front, kept, report = o["front_"], o["kept_"]["bytes_"].number(), Report()
    left = front["limit_"].number() - front["cursor_"].number()
    buffer_bytes = o["first_bytes_"].number() if o["buffer_"].number() else 0
    calls, used = o["upstream_calls_"].number(), buffer_bytes + o["used_bytes_"].number() - left
    report.figures = [f"{count(used, 'byte')} in use", f"{left:,} left"]
    report.add(bytes_in_use=used, bytes_left=left, upstream_calls=calls)
    if buffer_bytes:
        report.figures += [f"a buffer of {buffer_bytes:,}", count(calls, "spill")]
        report.add(buffer_bytes=buffer_bytes, spills=calls)
    add_chunks(report, chunk_list(o["chunks_"]["first_"]))
    if kept:
        report.figures.append(f"{count(kept, 'byte')} kept")
        report.add(kept_bytes=kept)
    return with_upstream(o, report)


def multipool(o: Object) -> Report:
    front, report = o["front_"], Report()
    left = front["limit_low_"].number() - front["cursor_"].number() & 0xFFFFFFFF
    held_list(o["held_"], report, {})
    free_lists(front["free_"], report)
    report.figures.append(f"{count(left, 'byte')} left")
    report.add(bytes_left=left, upstream_calls=o["upstream_calls_"].number())
    return with_upstream(o, report)


def concurrent_monotonic(o: Object) -> Report:
    """The current chunk begins with the number of bytes that are taken of its room, behind a cache line."""
    report, current = Report(), o.word(o["current_"].address())
    add_chunks(report, chunk_list(o["chunks_"]))
    if current:
        room = o.word(current + 2 * o.word_bytes()) - 64
        left = max(room - o.word(current), 0)
        report.figures.append(f"{count(left, 'byte')} left")
        report.add(bytes_left=left)
    report.add(upstream_calls=o["upstream_calls_"].number())
    return with_upstream(o, report)


def concurrent_multipool(o: Object) -> Report:
    """Free blocks are those of the pool; others wait in the magazines of threads and in the depot."""
    report, waiting, batches = multipool(o["pool_"]), 0, 0
    caches = list(chain(o["caches_"]))
    for magazine in (m for cache in caches for m in cache["magazines"].elements()):
        waiting += (
            magazine["count_"].number() + magazine["full_count_"].number() * magazine["capacity_"].number()
        )
    for stack in o["depot_"].elements():
        batch = stack["first_"].number()
        while batch and batches < MOST_STEPS:
            batch, batches = o.word(batch + o.word_bytes()), batches + 1
    report.figures.append(f"{count(waiting, 'block')} in magazines of {count(len(caches), 'thread')}")
    report.figures.append(f"{count(batches, 'batch').replace('batchs', 'batches')} in the depot")
    report.add(threads=len(caches), blocks_in_magazines=waiting, batches_in_depot=batches)
    return report


def array_room(o: Object, begin: int, size: int, alignment: int) -> int:
    """The bytes of an array that begin at a multiple of the alignment."""
    return max(size - -begin % max(alignment, 2 * o.word_bytes()), 0)


def arena_rooms(arena: Object, alignment: int, report: Report) -> list[int]:
    """The bytes of each room of an arena (local/arenas.hpp)."""
    name, word = kind(arena.type_name()), arena.word_bytes()
    if name == "static_arena":
        size = int(re.sub("[^0-9]", "", arguments(arena.type_name())[0]))
        return [array_room(arena, arena.address(), size, alignment)]
    if name == "growing_arena":
        chunks, header = chunk_list(arena["chunks_"]["first_"]), 2 * word
        add_chunks(report, chunks)
        return [array_room(arena, at + header, size - header, alignment) for at, size in chunks.items()]
    # A std::span, whose members each standard library names otherwise.
    span = arena["array_" if name == "buffer_arena" else "room_"].address()
    begin, size = arena.word(span), arena.word(span + word)
    return [array_room(arena, begin, size, alignment) if name == "buffer_arena" else size]


def fixed_pool(o: Object) -> Report:
    report, free, fixed = Report(), o["free_"], o["alignment_"].type_name()
    alignment = int(arguments(fixed)[0].rstrip("ul")) if "<" in fixed else o["alignment_"].number()
    links, size = arguments(free.type_name())[:2]
    static = stem(size) == "static_size"
    block_bytes = int(arguments(size)[0].rstrip("ul")) if static else free["size_"]["bytes_"].number()
    rooms = arena_rooms(o["arena_"], alignment, report)
    report.of, report.children = f"in a {kind(o['arena_'].type_name())}", {"arena": o["arena_"]}
    if alignment == 0:
        report.figures.insert(0, "no block yet")
        return report
    left = o["limit_"].number() - o["cursor_"].number()
    capacity = sum(room // block_bytes for room in rooms)
    waiting = only_list(o, free["list_"].number(), links, block_bytes)
    report.add(free_blocks=waiting, block_bytes=block_bytes, capacity=capacity)
    blocks = f"{count(capacity, 'block')} of {count(block_bytes, 'byte')}"
    if waiting < MOST_STEPS:
        live = capacity - left // block_bytes - waiting if o["cursor_"].number() else 0
        blocks = f"{live:,} of {blocks} in use"
        report.add(live_blocks=live)
    report.figures[:0] = [blocks, f"{walked(waiting, 'block')} freed"]
    return report


def arena(o: Object) -> Report:
    report = Report()
    rooms = arena_rooms(o, 1, report)
    if not o.has("chunks_"):
        report.figures.append(f"a room of {count(rooms[0], 'byte')}")
    return with_upstream(o, report) if o.has("upstream_") else report


def slots(o: Object, chunks: dict[int, int]) -> int:
    """The slots of a size that are in use (impl/slab). Adds their chunks."""
    layout, live = o["layout_"], -bin(o["cached_"].number()).count("1") - (o["recent_"].number() != 0)
    slab_bytes, first_offset = layout["slab_bytes"].number(), layout["first_offset"].number()
    step, mask = layout["colour_step"].number(), layout["colour_mask"].number()
    shift, divided = layout["alignment_log2"].number(), layout["divided"].number()
    for chunk in chain(o["chunks_"]):
        begin = chunk.address() - chunk.word_bytes()
        chunks[begin] = chunk["bytes"].number()
        for base in range(begin, begin + chunk["opened"].number() * slab_bytes, slab_bytes):
            offset = first_offset + (0 if divided else (base >> shift) * step & mask)
            live += o["current_"].at(base + offset)["used"].number()
    return live


def adaptive_pool(o: Object) -> Report:
    report, node_bytes = Report(), o["node_bytes_"].number()
    chunks: dict[int, int] = {}
    live = slots(o["nodes_"], chunks) if node_bytes else 0
    report.figures.append(
        f"{count(live, 'node')} of {count(node_bytes, 'byte')} in use" if node_bytes else "no node yet"
    )
    report.add(live_blocks=live + held_list(o["held_"], report, chunks), node_bytes=node_bytes)
    return with_upstream(o, report)


def small_object_pool(o: Object) -> Report:
    report, opened = Report(), o["open_"].number()
    chunks: dict[int, int] = {}
    live: dict[int, int] = {}
    for index, of_class in enumerate(o["slots_"]["by_class"].elements() if opened else []):
        if opened >> index & 1:
            live[index + 1 if index < 2 else (index - 1) * 4] = slots(of_class, chunks)
    larger = o["larger_in_use_"].number()
    report.figures = [f"{count(sum(live.values()), 'small block')} and {larger:,} larger in use"]
    report.add(live_blocks=sum(live.values()) + larger)
    report.children.update({f"[blocks of {count(size, 'byte')}]": number for size, number in live.items()})
    add_chunks(report, chunks)
    report.children["larger"] = o["larger_"]
    return with_upstream(o, report)


def add_blocks(
    o: Object, rooms: list[tuple[int, int]], large: dict[int, int], ends: tuple[int, int], report: Report
) -> None:
    """The blocks of a heap: large ones, and those between the first tag of a room and its last one
    (impl/space/heap_block.hpp). `ends` are those of the free block whose tag is not written yet."""
    in_use, quick, flags, word = 1, 8, 15, o.word_bytes()
    used: dict[int, int] = {}
    free, steps = [0], 0
    for at, end in rooms:
        while at < end and steps < MOST_STEPS:
            tag, steps = o.word(at), steps + 1
            size = ends[1] - at if at == ends[0] else tag & ~flags
            if not 4 * word <= size <= end - at:
                raise RuntimeError(f"the tag of the block {at + word:#x} is damaged")
            if tag & in_use and not tag & quick and at != ends[0]:
                used[at + word] = size - word
            else:
                free.append(size - word)
            at += size
    more = " or more" if steps == MOST_STEPS else ""
    live, live_bytes = len(used) + len(large), sum(used.values()) + sum(large.values())
    report.figures.append(f"{count(live, 'live block')} of {count(live_bytes, 'byte')}{more}")
    report.figures.append(f"{count(sum(free), 'byte')} free{more}, {max(free):,} in the largest block")
    report.add(live_blocks=live, bytes_in_use=live_bytes, free_bytes=sum(free), largest_free_bytes=max(free))
    report.children.update({f"[block {address:#x}]": size for address, size in used.items()})
    add_large(report, large)


def remainder(o: Object) -> tuple[Object, Object]:
    return o["space_"]["remainder_begin_"], o["space_"]["remainder_end_"]


def heap(o: Object) -> Report:
    report, rooms, word, large = Report(), o["rooms_"], o.word_bytes(), {}
    chunks = chunk_list(rooms["chunks_"])
    begin = rooms["chunks_"].target().size() - word if chunks else 0
    places = [(at + begin, at + size - word) for at, size in chunks.items()]
    if rooms["reserved_"].has("first_"):
        ranges = chain(rooms["reserved_"]["first_"])
        large = {r.address() + r.size(): r["granted"].number() - r.size() - word for r in ranges}
    begin_of, end_of = remainder(o)
    add_blocks(o, places, large, (begin_of.number(), end_of.number()), report)
    add_chunks(report, chunks)
    return with_upstream(rooms, report)


def region_heap(o: Object) -> Report:
    """Its links are distances from their own places."""
    report, word, region_bytes = Report(), o.word_bytes(), o["rooms_"]["region_bytes_"].number()
    first = o.address() + o.size() + word + -(o.size() + word) % (2 * word) - word
    begin, end = (place.address() + place.number() & (1 << 8 * word) - 1 for place in remainder(o))
    add_blocks(o, [(first, o.address() + region_bytes - word)], {}, (begin, end), report)
    report.figures.append(f"a region of {count(region_bytes, 'byte')}")
    report.add(region_bytes=region_bytes)
    return report


# ---- upstreams


def buffer(o: Object) -> Report:
    begin, cursor, limit = (o[name].number() for name in ("begin_", "cursor_", "limit_"))
    blocks = o["blocks_"].number()
    report = Report(
        [f"{count(blocks, 'block')} in use", f"{limit - cursor:,} of {count(limit - begin, 'byte')} left"]
    )
    report.add(live_blocks=blocks, bytes_left=limit - cursor, bytes=limit - begin)
    return report


def upstream_ref(o: Object) -> Report:
    """The type of the upstream is in the name of the table of its calls."""
    calls = o["calls_"].number()
    if calls == 0:
        return Report(of="to none")
    _, _, names = o.symbol(calls).partition("calls_for")
    name = arguments(names)[0] if names else "an upstream"
    return Report(of=f"to {name} at {o['source_'].number():#x}")


def pages(o: Object) -> Report:
    report = Report()
    report.children["options"] = o["options_"]
    return report


def stateless(_: Object) -> Report:
    return Report()


# ---- adaptors and bindings


def around(mechanism: Object, **numbers: int) -> Report:
    figures = [f"{name.replace('_', ' ')} {number:,}" for name, number in numbers.items()]
    return Report(figures, {"mechanism": mechanism, **numbers}, inner=line(mechanism))


def adaptor(*numbers: str) -> Callable[[Object], Report]:
    """Of an adaptor with these numbers in its hook."""

    def number(hook: Object, path: str) -> int:
        for member in path.split("."):
            hook = hook[member]
        return hook.word(hook.address())  # of a number, or of a tally with an atomic one

    return lambda o: around(
        o["mechanism_"], **{path.rpartition(".")[2].rstrip("_"): number(o["hook_"], path) for path in numbers}
    )


def named(o: Object) -> Report:
    """An adaptor with an entry in the list of names; in a program without names the mechanism as a base."""
    if o.has("entry_"):
        return adaptor("bytes_in_use_")(o)
    name = stem(arguments(o.type_name())[0])
    report = READERS[name](o)
    report.of = f"{name} {report.of}".strip()
    return report


def two_mechanisms(o: Object) -> Report:
    first, second = o["first_"], o["second_"]
    return Report([], {"first": first, "second": second}, inner=f"{line(first)}; and of {line(second)}")


def allocator(o: Object) -> Report:
    mechanism = o["mechanism_"]
    if mechanism.number() == 0:
        return Report(of="of none")
    return around(mechanism.target())


def inline_resource(o: Object) -> Report:
    """A base whose class the debugger does not know: the mechanism's front is known."""
    front = o["front_"].number()
    if front & 1:
        left = o.word(front - 1 + o.word_bytes()) - o.word(front - 1)
        return Report([f"{count(left, 'byte')} left"], of="of a monotonic")
    return Report(of="of a multipool, or by virtual calls")


def static_allocator(o: Object) -> Report:
    return Report(of=f"of the pool of {arguments(o.type_name())[-1]}")


def checkpoint(o: Object) -> Report:
    report = around(o["allocator_"])
    report.figures = ["committed"] if o["kept_"].number() else []
    return report


def object_arena(o: Object) -> Report:
    """A std::unique_ptr, whose members each standard library names otherwise, leads to the state."""
    pointer = o["state_"]
    address = pointer.word(pointer.address())
    if address == 0:
        return Report(of="that was moved from")
    state = pointer.argument(address)
    return around(state["mechanism"], objects_to_destroy=sum(1 for _ in chain(state["newest"], "older")))


COUNTS = ("allocations", "deallocations", "peak_bytes", "failures")
READERS: dict[str, Callable[[Object], Report]] = {
    "monotonic": monotonic,
    "multipool": multipool,
    "concurrent_monotonic": concurrent_monotonic,
    "concurrent_multipool": concurrent_multipool,
    "fixed_pool": fixed_pool,
    "small_object_pool": small_object_pool,
    "adaptive_pool": adaptive_pool,
    "heap": heap,
    "region_heap": region_heap,
    **dict.fromkeys(("static_arena", "buffer_arena", "single_arena", "growing_arena"), arena),
    "buffer": buffer,
    "upstream_ref": upstream_ref,
    "pages": pages,
    "chunk_cache": stateless,
    "new_delete": stateless,
    "counted": adaptor("bytes_in_use_", *(f"counts_.{name}" for name in COUNTS)),
    "limited": adaptor("bytes_in_use_", "limit_bytes_"),
    "failing": adaptor("plan_.at", "requests_"),
    "sealed": adaptor("sealed_", "calls_"),
    "named": named,
    "recorded": adaptor(),
    "retrying": adaptor(),
    "synchronized": adaptor(),
    "checked": adaptor(),
    "segregate": two_mechanisms,
    "fallback": two_mechanisms,
    "allocator": allocator,
    "expandable_allocator": allocator,
    "resource": lambda o: around(o["mechanism_"]),
    "inline_resource": inline_resource,
    "static_allocator": static_allocator,
    "fixed_block_allocator": static_allocator,
    "checkpoint": checkpoint,
    "object_arena": object_arena,
}
