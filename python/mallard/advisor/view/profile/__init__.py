"""A profile as a report: the whole program, or one scope in depth."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence

from mallard.advisor.profile import sentences
from mallard.advisor.profile.dimensions import DIMENSIONS, contained
from mallard.advisor.profile.document import Between, Profile
from mallard.advisor.profile.names import Names
from mallard.advisor.profile.records import Scope
from mallard.advisor.view.profile.charts import flame_sections, lifetime_sections, timeline_sections
from mallard.advisor.view.profile.scopes import (
    diffusion_sections,
    dimension_table,
    in_depth_sections,
    marked_sections,
    scope_sections,
    small_dimensions,
)
from mallard.advisor.view.profile.sites import (
    control_sections,
    large_block_sections,
    pair_sections,
    site_sections,
    unowned_sections,
)
from mallard.shared.prose import capitalised
from mallard.shared.report.figures import cell_text, count, plural, seconds, size
from mallard.shared.report.model import Aside, Fact, Facts, Figure, Mood, Paragraph, Report, Section, Unit


def profile_report(profile: Profile, *, all_rows: bool = False, is_brief: bool = False) -> Report:
    """In front of a scope in depth, only a page has room for the process. So for the last sections of a brief
    report.
    """
    names = Names(profile)
    if profile.between is not None:
        return _part_report(profile, profile.between, names, all_rows=all_rows)
    further = _for_pages if is_brief else list
    sections = [
        *summary_sections(profile),
        *flame_sections(profile, names),
        *marked_sections(profile, names, all_rows=all_rows),
        *scope_sections(profile, names, all_rows=all_rows),
        *further(timeline_sections(profile, names, all_rows=all_rows)),
        *lifetime_sections(profile),
        *unowned_sections(profile, names, all_rows=all_rows),
        *control_sections(profile, names, all_rows=all_rows),
        *large_block_sections(profile, names, all_rows=all_rows),
        *further(diffusion_sections(profile, names, all_rows=all_rows)),
        *further(pair_sections(profile, names, all_rows=all_rows)),
        *further(site_sections(profile, names, all_rows=all_rows)),
    ]
    if profile.scope is not None:
        in_depth = in_depth_sections(profile, profile.scope, names, all_rows=all_rows)
        sections = [*in_depth, *_for_pages(sections)]
    return _report(profile, profile_answer(profile, names), [*sections, *definition_sections()])


def _part_report(profile: Profile, between: Between, names: Names, *, all_rows: bool) -> Report:
    sections = [
        *part_sections(profile, between),
        *flame_sections(profile, names),
        *timeline_sections(profile, names, all_rows=all_rows),
        *control_sections(profile, names, all_rows=all_rows),
        *site_sections(profile, names, all_rows=all_rows),
    ]
    reasons = [profile.completeness.reason] if profile.completeness.reason else []
    return _report(profile, part_answer(profile, between), sections, reasons)


def _report(
    profile: Profile, answer: Paragraph, sections: Sequence[Section], notes: Sequence[str] = ()
) -> Report:
    process, others = profile.process, sentences.other_processes(profile)
    program = os.path.basename((process.command or (process.executable or "",))[0])
    conditions = [sentences.process_facts(profile), os.path.basename(profile.trace.file)]
    if others:
        conditions.insert(1, f"with {others} (--process NAME)")
    return Report(
        title=f"How the memory of {program or 'a program'} lives",
        answer=answer,
        sections=tuple(sections),
        subject=sentences.command(profile),
        conditions=tuple(conditions),
        doubts=tuple(sentences.losses(profile)),
        notes=tuple(filter(None, [*notes, sentences.suppressed(profile)])),
    )


def _for_pages(sections: Iterable[Section]) -> list[Section]:
    return [Section(section.title, (Aside("", section.blocks),), about=section.about) for section in sections]


TERMS = (
    (
        "scope",
        "one activation of a function, with all calls inside; or a part of a program between two markers",
    ),
    ("contained", "share of the freed blocks that are freed before the activation that made them ends"),
    (
        "alive",
        "blocks that are not freed when the recording ends; they count neither as contained nor as escaped",
    ),
    (
        "bytes of an activation",
        "all bytes that one activation allocates; half of the activations need at most p50",
    ),
    (
        "drag",
        "bytes that a region would hold until the activation's end, over the live bytes, both over time",
    ),
    ("told apart", "share of the activations that the stacks allow and that an event separates"),
    (
        "back to zero",
        "times that the last live block of a scope or site is freed, and the next is a new beginning",
    ),
    ("break even", "containment from which a region saves more than its pages cost"),
)


def profile_answer(profile: Profile, names: Names) -> Paragraph:
    """Of the scope in depth; or the time in the allocator, and the scope where most blocks live and die."""
    if profile.scope is not None:
        return Paragraph(f"{names.scope(profile.scope.row)}: {_lives_and_dies(profile.scope.row)}")
    if not profile.completeness.events:
        text = sentences.completeness(profile)
        return Paragraph(capitalised(f"{text}."))
    withheld = sentences.withheld(profile)
    texts = [*([withheld] if withheld else []), f"In the allocator: {sentences.time_inside(profile)}."]
    if profile.scopes:
        scope = profile.scopes[0]
        rounds = _rounds(profile, scope)
        place = f"rounds of a loop in {names.scope(scope)}" if rounds else names.scope(scope)
        texts.append(f"Most blocks live and die in {place}: {rounds or _lives_and_dies(scope)}")
    return Paragraph("\n".join(texts), Mood.BAD if withheld else None)


def _rounds(profile: Profile, scope: Scope) -> str:
    """Of a function that is active until the end, if its loop frees most of its blocks in each round."""
    if scope.activations.open != scope.activations.seen:
        return ""
    row = next((row for row in profile.iterations if row.function == scope.function), None)
    if row is None or 2 * row.allocations < scope.figures.allocations:
        return ""
    return (
        f"{plural(row.allocations, 'allocation')}; the last live block was freed {count(row.returns)} times."
    )


def _lives_and_dies(scope: Scope) -> str:
    allocations = plural(scope.figures.allocations, "allocation")
    kept = cell_text(contained(scope))
    ends = "returns" if scope.name is None else "ends"
    return f"{allocations}; of the freed blocks, {kept} are freed before it {ends}."


def summary_sections(profile: Profile) -> list[Section]:
    if not profile.completeness.events:
        return []
    figures, timeline = profile.figures, profile.timeline
    complete, _, events = sentences.completeness(profile).partition(" of ")
    withheld = Mood.BAD if profile.completeness.withheld else None
    facts = [Fact("stacks complete", complete, f"of {events}", withheld)]
    samples = figures.dimension("D").samples
    facts.append(Fact("operations timed", Figure(samples or 0, Unit.COUNT), "for the interval, at 95 %"))
    frees = "" if figures.frees is None else f", {plural(figures.frees, 'free')}"
    allocations = Figure(figures.allocations, Unit.COUNT)
    facts.append(Fact("allocations", allocations, f"of {size(figures.bytes)} in all{frees}"))
    if timeline and timeline.peak_bytes is not None:
        after = f"after {seconds(timeline.peak_seconds)}" if timeline.peak_seconds is not None else ""
        facts.append(Fact("peak", Figure(timeline.peak_bytes, Unit.BYTES), after))
    if figures.alive:
        alive = Figure(figures.alive.allocations, Unit.COUNT)
        facts.append(Fact("alive at the end", alive, f"of {size(figures.alive.bytes)}"))
    ends, _, classes = sentences.block_sizes(figures).partition(" in ")
    facts.append(Fact("sizes", ends, f"in {classes}" if classes else ""))
    blocks = (
        Facts(tuple(facts), is_large=True),
        Facts((Fact("overall, 0 to 1", small_dimensions(figures)),)),
    )
    dimensions = Aside("D V L U C F of the whole process", (dimension_table(figures),))
    return [Section("Summary", (*blocks, *([dimensions] if figures.allocations else [])))]


def part_answer(profile: Profile, between: Between) -> Paragraph:
    figures = profile.figures
    made = f"{plural(figures.allocations, 'allocation')} of {size(figures.bytes)}"
    begin, end = seconds(between.begin_seconds), seconds(between.end_seconds)
    before, after = between.live_at_begin, between.live_at_end
    return Paragraph(
        f"Between {begin} and {end}: {made}, {plural(figures.frees or 0, 'free')}.\n"
        f"{size(before.bytes)} are live at the beginning, {size(after.bytes)} at the end."
    )


def part_sections(profile: Profile, between: Between) -> list[Section]:
    """The figures of a part of the time."""
    timeline = profile.timeline
    facts = [
        Fact(f"live at {seconds(at)}", Figure(amount.allocations, Unit.COUNT), f"of {size(amount.bytes)}")
        for at, amount in (
            (between.begin_seconds, between.live_at_begin),
            (between.end_seconds, between.live_at_end),
        )
    ]
    if timeline and timeline.peak_bytes is not None:
        after = f"after {seconds(timeline.peak_seconds)}" if timeline.peak_seconds is not None else ""
        facts.insert(1, Fact("peak", Figure(timeline.peak_bytes, Unit.BYTES), after))
    ends, _, classes = sentences.block_sizes(profile.figures).partition(" in ")
    facts.append(Fact("sizes", ends, f"in {classes}" if classes else ""))
    return [Section("Summary", (Facts(tuple(facts), is_large=True),))]


def definition_sections() -> list[Section]:
    rows = [*TERMS, *((f"{dimension.letter}, {dimension.name}", dimension.text) for dimension in DIMENSIONS)]
    facts = Facts(tuple(Fact(term, f"{text}.") for term, text in rows))
    return [Section("Definitions", (Aside("", (facts, Paragraph(sentences.BOUND))),))]
