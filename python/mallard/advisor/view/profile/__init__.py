"""A profile as a report: the whole program, or one scope in depth."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence

from mallard.advisor.profile import sentences
from mallard.advisor.profile.document import Between, Profile
from mallard.advisor.profile.names import Names
from mallard.advisor.view.profile.charts import flame_sections, lifetime_sections, timeline_sections
from mallard.advisor.view.profile.scopes import (
    diffusion_sections,
    in_depth_sections,
    marked_sections,
    scope_sections,
)
from mallard.advisor.view.profile.sites import (
    control_sections,
    large_block_sections,
    pair_sections,
    site_sections,
)
from mallard.advisor.view.profile.summary import (
    definition_sections,
    part_answer,
    part_sections,
    profile_answer,
    summary_sections,
)
from mallard.advisor.view.profile.unowned import unowned_sections
from mallard.shared.report.model import Aside, Paragraph, Report, Section


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
