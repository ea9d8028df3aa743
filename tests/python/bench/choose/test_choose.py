"""The decision walk on synthetic rows with a known answer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from synthetic_experiments import contention_rows, fragmentation_rows, locality_rows, utilization_rows
from synthetic_rows import native_row
from synthetic_run import INLINE, STRATEGIES, density_rows, failed, formula

from mallard.bench.choose import Case, Decision, Evidence, decide, make_case
from mallard.bench.choose.graph import QUESTIONS
from mallard.bench.choose.programs import compare_in_programs
from mallard.bench.result import Row
from mallard.bench.strategy_names import of_papers

Native = dict[str, Any]
EVERY = (*of_papers(),)


def evidence(*runs: list[Native]) -> Evidence:
    """Each argument is a finished run, the newest last."""
    return Evidence(Row.from_native(number, row) for number, rows in enumerate(runs, 1) for row in rows)


def density(**options: Any) -> list[Native]:
    return density_rows(**{"names": ("DS1", "DS4"), "sizes": (6, 10, 14), **options})


def ratios(by_strategy: dict[str, float]) -> Callable[[str, int, str], float]:
    """The ratio to new-delete by strategy; other strategies have the defaults of the synthetic run."""

    def times(structure: str, size: int, strategy: str) -> float:
        return 30.0 * by_strategy[strategy] if strategy in by_strategy else formula("DS1", 10, strategy)

    return times


def answer(case: Case, *runs: list[Native]) -> Decision:
    return decide(case, evidence(*runs))


def used(decision: Decision) -> str:
    return decision.recommended.strategy


def figure(decision: Decision, question: str) -> str:
    (step,) = [step for step in decision.steps if step.question.name == question]
    return step.finding.figure


def programs_command(strategy: str, size: str = "") -> str:
    return (
        f"mallard bench programs{size} --strategy new-delete,{strategy} --malloc jemalloc,mimalloc,tcmalloc"
    )


# ---- recommendations ------------------------------------------------------------------------------------


def test_scoped_structure_takes_the_fastest_row() -> None:
    decision = answer(make_case("unordered_set<string>"), density())
    assert used(decision) == "monotonic"
    assert decision.recommended.ratio.median == pytest.approx(0.3)
    assert decision.runner_up.strategy == "monotonic/base"
    assert decision.recommended.cells[-1].strategy == "monotonic"
    assert dict(decision.recommended.cells[-1].parameters)["size_log2"] == 10


@pytest.mark.parametrize(
    ("binding", "wink_out", "best"),
    [
        ("type", "no", "monotonic"),
        ("base", "no", "monotonic/base"),
        ("any", "yes", "monotonic/wink"),
        ("base", "yes", "monotonic/base/wink"),
    ],
)
def test_binding_and_winking_out_narrow_the_choice(binding: str, wink_out: str, best: str) -> None:
    case = replace(make_case("DS4"), binding=binding, wink_out=wink_out)
    assert used(answer(case, density())) == best


def test_reused_memory_excludes_monotonic_strategies() -> None:
    decision = answer(make_case("DS4", lifetime="program", utilization=0.1), density(), utilization_rows())
    assert used(decision) == "multipool+monotonic"
    assert "only grows" in decision.excluded["monotonic"]
    assert "monotonic held" in figure(decision, "utilization")
    assert "40 % (40 to 40)" in figure(decision, "utilization")


def reuse_rows(sizes: str, multipool_ns: float) -> list[Native]:
    parameters = {"block_bytes": 64, "live": 4096, "pattern": "random", "sizes": sizes}
    return [
        native_row("reuse", parameters, strategy, repetition, ns + 0.1 * repetition, 1000)
        for strategy, ns in (("new-delete", 20.0), ("multipool", multipool_ns))
        for repetition in range(3)
    ]


def test_reused_blocks_are_compared_by_random_frees() -> None:
    case = make_case("DS4", lifetime="program", utilization=0.1)
    decision = answer(case, density(), utilization_rows(), reuse_rows("mixed", 10.0), reuse_rows("same", 5.0))
    assert "of 4096 blocks freed at random, 50 %" in figure(decision, "utilization")
    assert "mallard bench reuse" not in decision.missing
    slow = answer(case, density(), utilization_rows(), reuse_rows("mixed", 40.0))
    assert "blocks freed at random" in slow.excluded["multipool"]
    assert "mallard bench reuse" in answer(case, density(), utilization_rows()).missing


def test_little_waste_does_not_exclude_monotonic_strategies() -> None:
    decision = answer(make_case("DS4", utilization=0.9), density())
    assert used(decision) == "monotonic"
    assert "1.1 times the memory" in figure(decision, "utilization")


def test_scattered_memory_is_decided_by_shuffled_access() -> None:
    case = replace(make_case("DS4"), locality=0.0, elements_log2=9.0)
    decision = answer(case, density(), locality_rows())
    assert used(decision) == "multipool"
    assert decision.recommended.cells[0].experiment == "locality"
    assert decision.recommended.ratio.median < 0.5
    assert "new-delete" in figure(decision, "locality")


def test_reuse_orders_compete_except_the_worst() -> None:
    case = replace(make_case("DS4"), locality=0.0)
    assert (
        used(answer(case, locality_rows(("new-delete", "multipool", "multipool-lowest", "multipool-random"))))
        == "multipool-lowest"
    )
    assert used(answer(case, locality_rows(("new-delete", "multipool", "multipool-random")))) == "multipool"
    assert (
        used(answer(case, locality_rows(("new-delete", "multipool-random", "multipool/base"))))
        == "multipool/base"
    )


def test_cross_thread_frees_need_a_shared_allocator() -> None:
    rows = contention_rows(
        ("new-delete", "new-delete/base", "synchronized-multipool", "concurrent-multipool"), freed_by="other"
    )
    decision = answer(replace(make_case("DS4"), threads=4, freed_by="other"), density(), rows)
    assert used(decision) == "concurrent-multipool"
    assert decision.recommended.ratio.median == pytest.approx(0.2)


def test_private_allocators_are_weighed_against_contention() -> None:
    times = {"monotonic": 40.0, "monotonic/base": 41.0}

    def slow(row: Native) -> Native:
        wall = round(times.get(row["strategy"], 0) * row["operations"]) or row["wall_ns"]
        return row | {"wall_ns": wall, "cpu_ns": wall}

    case = replace(make_case("DS4"), threads=2)
    decision = answer(case, density(), contention_rows())
    assert used(decision) == "monotonic"
    assert "each thread has an allocator of its own" in decision.notes
    assert "synchronized-multipool" in figure(decision, "freed_by")
    decision = answer(case, density(), [slow(row) for row in contention_rows()])
    assert used(decision) == "multipool+monotonic"
    assert "with several threads" in decision.excluded["monotonic"]


def test_perturbed_heap_is_decided_by_fragmentation_rows() -> None:
    rows = fragmentation_rows(names=("DS4",))
    decision = answer(replace(make_case("DS4"), fragmented="yes"), density(), rows)
    assert used(decision) == "monotonic"
    assert decision.recommended.cells[0].experiment == "fragmentation"
    assert decision.recommended.ratio.median == pytest.approx(0.3 / 1.25)
    assert "new-delete takes 125 % (125 to 125)" in figure(decision, "fragmentation")


def test_inline_base_is_a_third_binding() -> None:
    rows = density(strategies=(*STRATEGIES, *INLINE))
    decision = answer(replace(make_case("DS4"), binding="inline"), rows)
    assert used(decision) == "monotonic/inline"
    assert decision.runner_up.strategy == "multipool+monotonic/inline"
    walked = figure(answer(make_case("DS4"), rows), "binding")
    assert walked == (
        "the abstract base takes 110 % (110 to 110) of the type parameter's time "
        "(monotonic/base/wink / monotonic/wink); the inline base 105 % (105 to 105) of it "
        "(monotonic/inline/wink / monotonic/wink)"
    )
    winked = answer(replace(make_case("DS4"), binding="inline", wink_out="yes"), rows)
    assert used(winked) == "monotonic/inline/wink"


def test_fresh_heap_replaces_missing_perturbed_rows() -> None:
    decision = answer(replace(make_case("DS4"), fragmented="yes"), density(strategies=(*STRATEGIES, *INLINE)))
    assert decision.recommended.cells[0].experiment == "density"
    assert decision.missing == (
        "mallard bench fragmentation --ds 4 --size 10",
        programs_command("monotonic", " --size large --age old"),
    )


def test_unservable_perturbed_rows_use_the_fresh_heap() -> None:
    rows = fragmentation_rows(names=("DS4",), strategies=("new-delete", "monotonic", "multipool"))
    decision = answer(replace(make_case("DS4"), fragmented="yes", binding="base"), density(), rows)
    assert used(decision) == "monotonic/base"
    assert decision.recommended.cells[0].experiment == "density"
    behind_the_base = "new-delete,monotonic/base,multipool/base,multipool+monotonic/base"
    command = f"mallard bench fragmentation --ds 4 --size 10 --strategy {behind_the_base}"
    assert decision.missing == (command, programs_command("monotonic/base", " --size large --age old"))


# ---- the global allocator -------------------------------------------------------------------------------


def test_one_block_keeps_the_global_allocator() -> None:
    decision = answer(make_case("vector<int>"), density())
    assert used(decision) == "new-delete"
    assert "allocation takes little of its time" in decision.reason
    assert decision.runner_up.strategy == "monotonic"


def test_one_block_cannot_be_scattered() -> None:
    decision = answer(replace(make_case("vector<int>"), locality=0.0), density(), locality_rows())
    assert used(decision) == "new-delete"
    assert figure(decision, "locality") == "one block cannot be scattered"


def test_interval_with_one_keeps_the_global_allocator() -> None:
    rows = density(times=lambda structure, size, strategy: 10.0)
    for row in rows:
        if row["strategy"] == "monotonic":
            row["cpu_ns"] = int(row["cpu_ns"] * (0.85, 0.95, 1.06)[row["repetition"]])
    decision = answer(make_case("DS4"), rows)
    assert used(decision) == "new-delete"
    assert decision.runner_up.strategy == "monotonic"
    assert "no strategy is faster beyond its interval; monotonic comes closest: 95 %" in decision.reason


def test_one_repetition_decides_nothing() -> None:
    decision = answer(make_case("DS4"), density(repetitions=1))
    assert used(decision) == "new-delete"
    assert "one repetition: no interval" in decision.reason


def test_base_class_binding_keeps_new_delete_base() -> None:
    slow = dict.fromkeys(("monotonic/base", "multipool/base", "multipool+monotonic/base"), 2.0)
    decision = answer(
        replace(make_case("DS4"), binding="base"), density(times=ratios(slow | {"new-delete": 1.0}))
    )
    assert used(decision) == "new-delete/base"


def test_names_strategies_without_a_difference() -> None:
    rows = density(times=ratios({"new-delete": 1.0, "monotonic": 0.30, "multipool": 0.30}))
    for row in rows:
        if row["strategy"] == "multipool":
            row["cpu_ns"] = int(row["cpu_ns"] * (1.04, 0.98, 1.01)[row["repetition"]])
    assert answer(make_case("DS4"), rows).equals == ("multipool",)


# ---- the deciding rows ----------------------------------------------------------------------------------


def test_names_commands_without_rows() -> None:
    decision = answer(make_case("DS4", utilization=0.1))
    assert decision.recommended is None
    assert decision.missing == ("mallard bench density --ds 4 --size 10", "mallard bench utilization")
    assert "not measured" in decision.reason


@pytest.mark.parametrize(
    ("answers", "command"),
    [
        ({"locality": 0.0}, "mallard bench locality"),
        ({"threads": 4, "freed_by": "other"}, "mallard bench contention --threads 4 --freed-by other"),
    ],
)
def test_rows_of_another_question_do_not_answer(answers: Native, command: str) -> None:
    decision = answer(replace(make_case("DS4"), **answers), density())
    assert decision.recommended is None
    assert command in decision.missing


def test_takes_the_newest_run_with_the_structure() -> None:
    newer = density(names=("DS4",), times=ratios({"new-delete": 1.0, "multipool": 0.1}))
    newest = density(names=("DS1",))
    decision = answer(make_case("DS4"), density(), newer, newest)
    assert used(decision) == "multipool"
    assert decision.recommended.cells[0].run == 2


def test_run_of_few_strategies_hides_no_other() -> None:
    decision = answer(
        make_case("DS4"), density(), density(names=("DS4",), strategies=("new-delete", "multipool"))
    )
    assert used(decision) == "monotonic"
    assert decision.recommended.cells[0].run == 1


def test_takes_and_notes_the_nearest_size() -> None:
    decision = answer(replace(make_case("DS4"), elements_log2=13.0), density())
    assert dict(decision.recommended.cells[0].parameters)["size_log2"] == 14
    assert "2^14 elements is the nearest size" in decision.notes[0]


def test_selects_the_requested_buffer() -> None:
    cold = [row | {"parameters": row["parameters"] | {"buffer": "none"}} for row in density()]
    case = replace(make_case("DS4"), buffer="none")
    assert answer(case, density()).missing == ("mallard bench density --ds 4 --size 10 --buffer none",)
    assert answer(case, cold, density()).recommended.cells[0].run == 1


def test_failed_strategies_do_not_compete() -> None:
    rows = density(names=("DS4",), strategies=("new-delete", "multipool"))
    rows += [failed("DS4", size, "monotonic", 0, "out_of_memory", "") for size in (6, 10, 14)]
    assert used(answer(make_case("DS4"), rows)) == "multipool"


@pytest.mark.parametrize("binding", ["base", "inline"])
def test_rows_without_eligible_strategies_do_not_answer(binding: str) -> None:
    rows = density(strategies=("new-delete", "monotonic", "multipool"))
    decision = answer(replace(make_case("DS4"), binding=binding), rows)
    assert decision.recommended is None
    bound = ",".join(f"{name}/{binding}" for name in ("monotonic", "multipool", "multipool+monotonic"))
    assert decision.missing == (f"mallard bench density --ds 4 --size 10 --strategy new-delete,{bound}",)


def test_command_has_the_missing_strategies() -> None:
    case = replace(make_case("DS4"), locality=0.0, binding="base", wink_out="yes")
    decision = answer(case, locality_rows(("new-delete", "multipool")))
    assert decision.recommended is None
    assert decision.missing == (
        "mallard bench locality --strategy new-delete,multipool/base,multipool+monotonic/base",
    )


def test_partial_answer_names_the_full_command() -> None:
    decision = answer(replace(make_case("DS4"), locality=0.0), locality_rows(("new-delete", "multipool")))
    assert used(decision) == "multipool"
    assert decision.missing == (
        (
            "mallard bench locality --strategy "
            "new-delete,multipool,multipool/base,multipool/inline,"
            "multipool+monotonic,multipool+monotonic/base,multipool+monotonic/inline"
        ),
        programs_command("multipool"),
    )


def test_run_without_eligible_strategies_is_skipped() -> None:
    case = replace(make_case("DS4"), locality=0.0, binding="type")
    decision = answer(
        case, locality_rows(("new-delete", "multipool")), locality_rows(("new-delete", "multipool/base"))
    )
    assert used(decision) == "multipool"
    assert decision.recommended.cells[0].run == 1


def test_takes_rows_of_the_first_compiler() -> None:
    rows = []
    for compiler, strategy in (("clang++", "multipool"), ("g++", "multipool/base")):
        for row in density(names=("DS4",), strategies=("new-delete", strategy)):
            rows.append(row | {"parameters": row["parameters"] | {"compiler": compiler}})
    assert used(answer(make_case("DS4"), rows)) == "multipool/base"


def test_recommendation_includes_the_initial_buffer() -> None:
    assert any(
        "monotonic had an initial buffer (warm)" in note for note in answer(make_case("DS4"), density()).notes
    )
    decision = answer(make_case("DS4"), density(strategies=("new-delete", "multipool")))
    assert decision.notes == ()


def test_malloc_is_a_note_and_not_a_strategy() -> None:
    rows = locality_rows(("new-delete", "new-delete@jemalloc", "multipool"))
    decision = answer(replace(make_case("DS4"), locality=0.0), rows)
    assert any("new-delete@jemalloc takes" in note for note in decision.notes)
    behind = answer(replace(make_case("DS4"), locality=0.0, binding="base"), rows)
    assert not any("@jemalloc" in note for note in behind.notes)


# ---- whole programs -------------------------------------------------------------------------------------

JSON = {"new-delete": 100.0, "new-delete@mi": 50.0, "new-delete@tc": 60.0, "monotonic": 40.0}
CACHE = {"new-delete": 100.0, "new-delete@mi": 80.0, "new-delete@tc": 75.0, "monotonic": 90.0}


def program(name: str, times: dict[str, float], size: str = "small", age: str = "young") -> list[Native]:
    """Three repetitions, each a percent longer than the one before."""
    parameters = {"program": name, "size": size, "age": age, "operations": 1000, "pages": "small"}
    return [
        native_row("programs", parameters, strategy, repetition, ns * (1 + 0.01 * repetition), 1000)
        for strategy, ns in times.items()
        for repetition in range(3)
    ]


def test_recommendation_is_with_programs() -> None:
    """80 % of mi in json, 120 % of tc in cache; large, the only malloc is 125 % of it."""
    small = program("json", JSON) + program("cache", CACHE)
    large = program("json", {"new-delete": 100.0, "new-delete@mi": 90.0, "monotonic": 112.5}, "large")
    decision = answer(make_case("DS4"), density(), small + large)
    assert used(decision) == "monotonic"
    assert decision.programs == (
        "in 2 small programs monotonic takes 98 % (98 to 98) of the fastest malloc's time, and a malloc is "
        "faster in 1; in 1 large program monotonic takes 125 % (125 to 125) of the fastest malloc's time, "
        "and a malloc is faster in 1: a preloaded mi is faster in whole programs (geometric means of run 2)"
    )
    assert not any("bench programs" in command for command in decision.missing)


@pytest.mark.parametrize(
    ("monotonic", "mallocs", "conclusion"),
    [
        (40.0, {"mi": 50.0}, "a malloc is faster in 0 ("),
        (50.0, {"mi": 50.0}, "a malloc is faster in 0: a preloaded mi is as fast in whole programs ("),
        (60.0, {"mi": 50.0}, "a malloc is faster in 3: a preloaded mi is faster in whole programs ("),
        (
            60.0,
            {"mi": 50.0, "tc": 55.0},
            "3: a preloaded malloc, most often mi, is faster in whole programs (",
        ),
        (120.0, {"mi": 200.0}, "3: glibc's malloc is faster in whole programs ("),
    ],
)
def test_equal_malloc_is_named(monotonic: float, mallocs: dict[str, float], conclusion: str) -> None:
    times = {"new-delete": 100.0, "monotonic": monotonic}
    times |= {f"new-delete@{name}": ns for name, ns in mallocs.items()}
    tc_wins = {"new-delete@tc": 45.0} if "tc" in mallocs else {}
    rows = [*program("json", times), *program("cache", times), *program("graph", times | tc_wins)]
    assert conclusion in answer(make_case("DS4"), density(), rows).programs


def test_global_recommendation_names_the_best_malloc() -> None:
    rows = program("json", JSON) + program("cache", CACHE | {"new-delete@fast": 1.0})
    decision = answer(make_case("vector<int>"), density(), rows)
    assert used(decision) == "new-delete"
    assert decision.programs == (
        "in 2 small programs a preloaded mi takes 63 % (63 to 63) of glibc's time (geometric means of run 2)"
    )
    assert decision.missing == (programs_command("multipool", " --size large"),)


def test_missing_programs_have_their_command() -> None:
    assert answer(make_case("DS4"), density()).missing[-1] == programs_command("monotonic")
    alone = program("json", {"new-delete": 100.0, "monotonic": 40.0})
    decision = answer(make_case("DS4"), density(), alone)
    assert "takes 40 % (40 to 40) of glibc's time, and no other malloc was measured" in decision.programs
    assert decision.missing[-1] == programs_command("monotonic")


def test_counterpart_stands_for_an_unmeasured_strategy() -> None:
    case = replace(make_case("DS4"), wink_out="yes")
    decision = answer(case, density(), program("json", JSON))
    assert used(decision) == "monotonic/wink"
    assert "program monotonic takes 80 % (80 to 80)" in decision.programs
    measured = answer(case, density(), program("json", JSON | {"monotonic/wink": 30.0}))
    assert "program monotonic/wink takes 60 % (60 to 60)" in measured.programs
    alone = program("json", {"new-delete": 100.0, "monotonic/wink": 30.0})
    assert answer(case, density(), program("json", JSON), alone).programs == decision.programs


def test_newest_of_the_fullest_programs_counts() -> None:
    full = [*program("json", JSON), *program("cache", CACHE)]
    newer = [*program("json", JSON | {"monotonic": 50.0}), *program("cache", CACHE | {"monotonic": 75.0})]
    decision = answer(make_case("DS4"), density(), full, newer, program("json", JSON))
    assert "in 2 small programs monotonic takes 100 % (100 to 100)" in decision.programs
    assert decision.programs.endswith("(geometric means of run 3)")


def test_a_fragmented_heap_is_with_old_processes() -> None:
    rows = [*program("json", JSON, "large"), *program("json", JSON | {"monotonic": 20.0}, "large", "old")]
    case = replace(make_case("DS4"), fragmented="yes")
    decision = answer(case, density(), rows)
    assert decision.programs == (
        "in 1 large program in an old heap monotonic takes 40 % (40 to 40) of the fastest malloc's time, and "
        "a malloc is faster in 0 (geometric means of run 2)"
    )
    young = answer(case, density(), program("json", JSON, "large"))
    assert young.programs == ""
    assert young.missing[-1] == programs_command("monotonic", " --size large --age old")


def test_a_pool_is_with_one_for_all_parts() -> None:
    """In the time and memory of a pool for each part."""
    times = {"new-delete": 100.0, "new-delete@mi": 80.0, "multipool": 50.0, "static-multipool": 40.0}
    rows = program("json", times, "large")
    for row in rows:
        row["figures"] = {"peak_held_bytes": 300.0 if row["strategy"] == "static-multipool" else 400.0}
    note = compare_in_programs("multipool", evidence(rows)).note
    assert note.startswith("in 1 large program multipool takes 63 % ")
    shared = (
        "one for all parts, by static_allocator, takes 80 % (80 to 80) of its time and 75 % of its memory"
    )
    assert shared in note
    without = [row for row in rows if row["strategy"] != "static-multipool"]
    assert "one for all parts" not in compare_in_programs("multipool", evidence(without)).note


def test_shared_allocator_has_no_counterpart_in_programs() -> None:
    shared = ("new-delete", "new-delete/base", "synchronized-multipool", "concurrent-multipool")
    rows = contention_rows(shared, freed_by="other")
    decision = answer(replace(make_case("DS4"), threads=4, freed_by="other"), density(), rows)
    assert decision.programs == "the programs have one thread, and no counterpart of concurrent-multipool"
    assert not any("bench programs" in command for command in decision.missing)


@pytest.mark.parametrize(
    ("dimension", "limit", "below", "above"),
    [
        ("density", 0.05, "little", "much"),
        ("variation", 0.5, "hardly", "much"),
        ("locality", 0.5, "scattered", "together"),
        ("utilization", 0.5, "used again", "it can"),
    ],
)
def test_dimensions_are_numbers_with_a_limit(dimension: str, limit: float, below: str, above: str) -> None:
    question = QUESTIONS[dimension]
    for value, expected in ((0.0, below), (limit - 0.01, below), (limit, above), (1.0, above)):
        case = replace(make_case("list<int>"), **{dimension: value})  # type: ignore[arg-type]
        assert question.answer(case) == expected, value
        assumed = question.assume(case, expected)
        assert question.answer(assumed) == expected


def test_density_bounds_the_saving() -> None:
    decision = answer(replace(make_case("DS4"), density=0.2), density())
    figures = {step.question.name: step.finding.figure for step in decision.steps}
    assert figures["density"].startswith("allocation takes 20 % of the time; ")
    seldom = answer(replace(make_case("DS4"), density=0.04), density())
    assert seldom.recommended.is_global
