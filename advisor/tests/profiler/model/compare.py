"""Compares a profile with the model's figures."""

import math
from collections import Counter, defaultdict
from collections.abc import Iterable
from typing import Any

from model_figures import Model, count
from model_parts import Activation
from model_program import Program


class Differences:
    def __init__(self) -> None:
        self.compared = 0
        self.found: list[str] = []

    def check(self, title: str, expected: object, got: object) -> None:
        self.compared += 1
        if isinstance(expected, float) and isinstance(got, int | float):
            if not math.isclose(expected, got, rel_tol=1e-9, abs_tol=1e-12):
                self.found.append(f"{title}: {expected!r} in the model, {got!r} in the profile")
        elif expected != got:
            self.found.append(f"{title}: {expected!r} in the model, {got!r} in the profile")


def lookup(row: dict[str, Any], path: str) -> object:
    value: Any = row
    for part in path.split("."):
        value = None if value is None else value[part]
    return value


def lines_of(addresses: Iterable[int]) -> tuple[int, ...]:
    """The lines of places, which are 32 bits of their addresses."""
    return tuple(address & 0xFFFF_FFFF for address in addresses)


def check_row(differences: Differences, title: str, expected: dict[str, Any], row: dict[str, Any]) -> None:
    for path, value in expected.items():
        got = lookup(row, path)
        if path.endswith("sizes"):
            got = {end: number for end, number, _ in got}  # type: ignore[attr-defined]
        if path.endswith("interval") and value is not None and got is not None:
            for at in (0, 1):
                differences.check(f"{title} {path}", value[at], got[at])  # type: ignore[index]
            continue
        if path.endswith("sizes") and len(value) > 48:
            continue
        differences.check(f"{title} {path}", value, got)


def functions_of(program: Program, context: int) -> set[int]:
    if not program.is_complete(context):
        return set()
    return {program.function_of[address] for address in program.paths[context]}


def check_scopes(program: Program, model: Model, profile: dict[str, Any], differences: Differences) -> None:
    by_function = defaultdict(list)
    for activation in program.activations:
        if activation.counts:
            by_function[activation.scope].append(activation)
    owned = defaultdict(list)
    for block in program.blocks:
        if block.freed and block.freed.container:
            owned[block.freed.container.scope].append(block)
    frees: Counter[int] = Counter()
    for context, _, _ in program.frees:
        frees.update(functions_of(program, context))
    timed = defaultdict(list)
    for event, flight, _, _ in program.timed:
        for function in functions_of(program, event.context):
            timed[function].append((event.inside, flight))
    names = profile["functions"]
    rows = {names[row["function"]]["name"]: row for row in profile["scopes"]}
    expected = {
        function: activations
        for function, activations in by_function.items()
        if any(each.blocks for each in activations)
    }
    differences.check(
        "scopes", len(expected), len(profile["scopes"]) + profile["scopes_not_listed"]["scopes"]
    )
    named = Counter(program.function_names.values())
    for function, activations in expected.items():
        name = program.function_names[function]
        # Of functions with one name, the profile does not say which is which.
        if name not in rows or named[name] > 1:
            continue
        row = rows[name]
        figures = model.scope(
            activations,
            frees[function],
            timed[function],
            owned[function],
            program.steps_back.get(function, 0),
            program.snapshots.get(function, []),
        )
        check_row(differences, f"scope {name}", figures, row)
        escapes = sum(each["allocations"] for each in row["escapes"])
        if len(row["escapes"]) < 12:
            differences.check(f"scope {name} escapes", figures["figures.escaped"]["allocations"], escapes)
        for which, kind in (("escape_sites", "escaped"), ("alive_sites", "alive")):
            sites = sum(each["allocations"] for each in row[which])
            if len(row[which]) < 12:
                differences.check(f"scope {name} {which}", figures[f"figures.{kind}"]["allocations"], sites)
        check_escapes(program, activations, row, names, differences, name)


def check_escapes(
    program: Program,
    activations: list[Activation],
    row: dict[str, Any],
    names: list[dict[str, Any]],
    differences: Differences,
    name: str,
) -> None:
    expected: Counter[tuple[str | None, bool]] = Counter()
    for activation in activations:
        own = {id(block) for block in activation.contained()}
        for block in activation.blocks:
            if block.freed and id(block) not in own:
                container = block.freed.container
                into = program.function_names[container.scope] if container else None  # type: ignore[index]
                expected[into, block.freed.thread != block.thread] += 1
    got: Counter[tuple[str | None, bool]] = Counter()
    for each in row["escapes"]:
        into = None if each["container"] is None else names[each["container"]]["name"]
        got[into, each["thread"] == "other"] += each["allocations"]
    if len(row["escapes"]) < 12:
        differences.check(f"scope {name} escapes into", expected, got)


def check_whole(program: Program, model: Model, profile: dict[str, Any], differences: Differences) -> None:
    last = program.ticks
    whole = Activation(None, 0, True, -1, 0, 0, len(program.events), last, True, program.blocks)
    timed = [(event.inside, flight) for event, flight, _, _ in program.timed]
    ticks = sum(thread.last - (thread.first or 0) for thread in program.threads.values())
    figures = model.figures(
        program.blocks,
        len(program.frees),
        timed,
        [whole],
        ticks,
        whole.contained(),
        [],
        [whole.live_history()],
        [model.area(whole)],
        1,
        1,
    )
    check_row(differences, "process", {f"figures.{key}": value for key, value in figures.items()}, profile)
    differences.check("foreign frees", program.foreign_frees, profile["foreign"]["frees"])
    differences.check(
        "double allocations", program.double_allocations, profile["foreign"]["double_allocations"]
    )
    with_stack = [event for event in program.events if event.kind < 40]
    differences.check("timed events", len(program.timed), profile["process"]["timed_events"])
    differences.check("interrupted", program.interrupted, profile["process"]["interrupted_events"])
    differences.check("events", len(with_stack), profile["completeness"]["events"])
    complete = sum(program.is_complete(event.context) for event in with_stack)
    differences.check("complete events", complete, profile["completeness"]["complete"])
    for name, key in (("by_bytes", "clock"), ("by_time", "ticks")):
        expected: Counter[int] = Counter()
        for block in program.blocks:
            if block.freed:
                life = block.freed.clock - block.clock - block.size
                if key == "ticks":
                    life = int((block.freed.ticks - block.ticks) * model.ns)
                expected[life.bit_length() - 1] += 1
        differences.check(
            f"lifetimes {name}", expected, Counter({row[0]: row[1] for row in profile["lifetimes"][name]})
        )


def check_timeline(program: Program, profile: dict[str, Any], differences: Differences) -> None:
    step = (program.last_ticks - program.first_ticks) // 400 + 1
    steps = len(profile["timeline"]["seconds"]) - 1
    names = profile["functions"]
    series = [("all", None, profile["timeline"]["live_bytes"])]
    for row in profile["timeline"]["scopes"]:
        scope = profile["scopes"][row["id"]]
        series.append((names[scope["function"]]["name"], names[scope["function"]]["name"], row["live_bytes"]))
    for title, function, got in series:
        change = [0] * (steps + 1)
        for block in program.blocks:
            functions = {program.function_names[each] for each in functions_of(program, block.context)}
            if function is not None and function not in functions:
                continue
            change[min(block.ticks // step, steps - 1) + 1] += block.size
            if block.freed:
                change[min(block.freed.ticks // step, steps - 1) + 1] -= block.size
        live = 0
        expected = []
        for each in change:
            live += each
            expected.append(live)
        differences.check(f"timeline of {title}", expected, got)


def check_pairs(program: Program, model: Model, profile: dict[str, Any], differences: Differences) -> None:
    lines = [place["line"] for place in profile["places"]]
    names = profile["functions"]

    def stack(row: int | None) -> tuple[int, ...] | None:
        if row is None or None in profile["stacks"][row]:
            return None
        return tuple(lines[place] for place in reversed(profile["stacks"][row]))

    expected = defaultdict(list)
    for block in program.blocks:
        freed = block.freed
        container = program.function_names[freed.container.scope] if freed and freed.container else None  # type: ignore[index]
        context = lines_of(program.paths[freed.context]) if freed and freed.context is not None else None
        thread = None if not freed else "same" if freed.thread == block.thread else "other"
        ends = (
            program.end_of(block.context),
            program.end_of(freed.context) if freed and freed.context else None,
        )
        expected[lines_of(program.paths[block.context]), context, container, thread, ends].append(block)
    by_key = defaultdict(list)
    for key, blocks in expected.items():
        by_key[key[:4]].append(blocks)
    rows = profile["pairs"]
    differences.check("pairs", len(expected), len(rows) + profile["pairs_not_listed"]["pairs"])
    for row in rows:
        container = None if row["container"] is None else names[row["container"]]["name"]
        if None in profile["stacks"][row["allocated"]] or None in profile["stacks"][row["freed"] or 0]:
            continue
        key = stack(row["allocated"]), stack(row["freed"]), container, row["thread"]
        possible = [(len(blocks), sum(block.size for block in blocks)) for blocks in by_key[key]]
        differences.check(f"pair {key}", True, (row["allocations"], row["bytes"]) in possible)
        if len(by_key[key]) == 1 and row["thread"]:
            lives = [block.freed.ticks - block.ticks for block in by_key[key][0] if block.freed]
            differences.check(
                f"pair {key} lifetime",
                sum(lives) / len(lives) * model.ns * 1e-9,
                row["mean_lifetime_seconds"],
            )


def site_line(program: Program, context: int) -> int:
    path = program.paths[context]
    own = [each for each in path if not program.function_names[program.function_of[each]].startswith("lib")]
    return lines_of(own or path)[-1]


def check_sites(program: Program, profile: dict[str, Any], differences: Differences) -> None:
    expected = defaultdict(list)
    for block in program.blocks:
        expected[site_line(program, block.context)].append(block)
    differences.check("sites", len(expected), len(profile["sites"]) + profile["sites_not_listed"]["sites"])
    for row in profile["sites"]:
        line = profile["places"][row["place"]]["line"]
        blocks = expected[line]
        differences.check(
            f"site {line}", count(blocks), {key: row["figures"][key] for key in ("allocations", "bytes")}
        )
        differences.check(f"site {line} contexts", len({block.context for block in blocks}), row["contexts"])
        owners = Counter(
            block.freed.container.scope for block in blocks if block.freed and block.freed.container
        )
        got = [each["allocations"] for each in row["owners"]]
        differences.check(f"site {line} owners", sorted(owners.values(), reverse=True)[:5], got)


def check_control_calls(
    program: Program, model: Model, profile: dict[str, Any], differences: Differences
) -> None:
    expected: dict[tuple[str, int], list[int]] = defaultdict(list)
    for name, context, ticks in program.controls:
        expected[name, site_line(program, context)].append(ticks)
    rows = profile["control_calls"]
    differences.check("control calls", min(len(expected), 60), len(rows))
    seconds = [row["seconds"] for row in rows]
    differences.check("longest control calls first", sorted(seconds, reverse=True), seconds)
    for row in rows:
        key = row["name"], profile["places"][row["place"]]["line"]
        differences.check(f"{key} calls", len(expected[key]), row["calls"])
        ticks = sum(expected[key]) - len(expected[key]) * program.stamp_ticks
        seconds = max(0.0, ticks) * model.ns * 1e-9
        differences.check(f"{key} seconds", seconds, row["seconds"])


def check_large_blocks(program: Program, profile: dict[str, Any], differences: Differences) -> None:
    expected = defaultdict(list)
    for block, share in program.residents:
        expected[site_line(program, block.context)].append((block, share))
    rows = profile["large_blocks"]
    differences.check("large blocks", min(len(expected), 60), len(rows))
    for row in rows:
        line = profile["places"][row["place"]]["line"]
        blocks = expected[line]
        amount = {key: row[key] for key in ("allocations", "bytes")}
        differences.check(f"large blocks of {line}", count(block for block, _ in blocks), amount)
        resident = int(sum(block.size * share for block, share in blocks))
        differences.check(f"resident bytes of {line}", True, abs(resident - row["resident_bytes"]) <= 1)


def peak_number(program: Program) -> int:
    """The number of the first event after which the most bytes are live."""
    changes = [(block.number, 1, block.size) for block in program.blocks]
    changes += [(block.freed.number, 0, -block.size) for block in program.blocks if block.freed]
    live = most = 0
    peak = -1
    for number, _, bytes_ in sorted(changes):  # a block that takes the place of another ends it first
        live += bytes_
        if live > most:
            most, peak = live, number
    return peak


def check_rankings(program: Program, profile: dict[str, Any], differences: Differences) -> None:
    peak = peak_number(program)
    for name, belongs in (
        ("leaks", lambda block: not block.freed),
        ("temporary", lambda block: block.freed is not None and block.freed.temporary),
        (
            "peak",
            lambda block: block.number <= peak and not (block.freed and block.freed.number <= peak),
        ),
    ):
        expected = defaultdict(list)
        for block in filter(belongs, program.blocks):
            expected[site_line(program, block.context)].append(block)
        rows, unlisted = profile[name], profile[f"{name}_not_listed"]
        differences.check(f"{name} sites", len(expected), len(rows) + unlisted["sites"])
        for row in rows:
            line = profile["places"][row["place"]]["line"]
            amount = {key: row[key] for key in ("allocations", "bytes")}
            differences.check(f"{name} of site {line}", count(expected[line]), amount)
        for key, total in count(block for blocks in expected.values() for block in blocks).items():
            differences.check(f"{name} {key}", total, sum(row[key] for row in rows) + unlisted[key])


def check_flame(program: Program, profile: dict[str, Any], differences: Differences) -> None:
    nodes = profile["flame"]["nodes"]
    paths: list[tuple[str, ...]] = []
    for node in nodes:
        if node["parent"] is None:
            paths.append(())
        else:
            paths.append((*paths[node["parent"]], profile["functions"][node["function"]]["name"]))
    allocations: Counter[tuple[str, ...]] = Counter()
    contained: Counter[tuple[str, ...]] = Counter()
    operations: Counter[tuple[str, ...]] = Counter()

    def names(context: int) -> tuple[str, ...]:
        return tuple(program.function_names[program.function_of[each]] for each in program.paths[context])

    def add(to: Counter[tuple[str, ...]], path: tuple[str, ...]) -> None:
        for length in range(len(path) + 1):
            to[path[:length]] += 1

    for block in program.blocks:
        path = names(block.context)
        add(allocations, path)
        add(operations, path)
        if block.freed and block.freed.container:
            add(contained, path[: block.freed.container.level + 1])
    for context, _, _ in program.frees:
        add(operations, names(context))
    merged = defaultdict(lambda: [0, 0, 0])
    for path, node in zip(paths, nodes, strict=True):
        for at, key in enumerate(("allocations", "contained_allocations", "operations")):
            merged[path][at] += node[key]
    for path, got in merged.items():
        if profile["flame"]["pruned"] == 0:
            differences.check(f"flame {path}", [allocations[path], contained[path], operations[path]], got)


def check_marks(program: Program, model: Model, profile: dict[str, Any], differences: Differences) -> None:
    by_scope = defaultdict(list)
    for activation in program.marked:
        by_scope[activation.scope].append(activation)
    rows = {(row["kind"], row["name"]): row for row in profile["markers"]["scopes"]}
    differences.check("marked scopes", set(by_scope), set(rows))
    for scope, activations in by_scope.items():
        counted = [each for each in activations if each.counts]
        if not any(each.blocks for each in counted):
            continue
        owned = []
        for block in program.blocks:
            around = [each for each in block.marks if each.counts]
            if block.freed:
                inside = [each for each in around if each.end is not None and block.freed.number < each.end]
                if inside and inside[-1].scope == scope:
                    owned.append(block)
        frees = sum(any(each.scope == scope for each in marks) for marks in program.marked_free_calls)
        timed = [
            (event.inside, flight)
            for event, flight, marks, _ in program.timed
            if any(each.scope == scope for each in marks)
        ]
        figures = model.scope(counted, frees, timed, owned, 0, [])
        check_row(differences, f"mark {scope}", figures, rows[scope])  # type: ignore[index]
    differences.check("unmatched ends", program.unmatched, profile["markers"]["unmatched_ends"])
    for row in profile["markers"]["instances"]:
        number = int(row["name"].split()[-1]) if row["name"] != "(no name)" else 0
        counts = program.instances[number]
        got = [
            [row["allocations"], row["bytes"]],
            *(list(row[key].values()) for key in ("contained", "escaped")),
        ]
        differences.check(
            f"instances {number}", [counts[key] for key in ("all", "contained", "escaped")], got
        )
        differences.check(f"instances {number}", counts["instances"][0], row["instances"])
    for row in profile["markers"]["progress"]:
        marks = program.progress[int(row["name"].split()[-1])]
        differences.check(f"progress {row['name']}", len(marks), row["count"])
        if len(marks) > 1:
            between = (marks[-1][1] - marks[0][1]) / (len(marks) - 1)
            differences.check(f"progress {row['name']}", between, row["allocations_between"])


def compare(program: Program, profile: dict[str, Any]) -> int:
    """Returns the number of figures that agree; raises AssertionError with those that do not."""
    model = Model(program)
    differences = Differences()
    check_whole(program, model, profile, differences)
    if profile["completeness"]["scopes"] == "shown":
        check_scopes(program, model, profile, differences)
    check_timeline(program, profile, differences)
    check_pairs(program, model, profile, differences)
    check_sites(program, profile, differences)
    check_rankings(program, profile, differences)
    check_control_calls(program, model, profile, differences)
    check_large_blocks(program, profile, differences)
    check_flame(program, profile, differences)
    check_marks(program, model, profile, differences)
    if differences.found:
        raise AssertionError(
            f"{len(differences.found)} differences:\n"
            + "\n".join(each[:400] for each in differences.found[:20])
        )
    return differences.compared
