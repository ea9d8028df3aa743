"""Benchmark II: a system of |G| links in lists of |S|, which are shuffled between the lists and then
visited."""

from __future__ import annotations

from mallard.experiments.description import AMOUNT, COUNT, COUNTS, FOLLOWS, Axis, Experiment

EXPERIMENT = Experiment(
    name="locality",
    text="walk through lists with shuffled links (Benchmark II)",
    examples=(
        ("--links 2^21 --list-length 2^9..2^12", "lists of 512 to 4096 links"),
        ("-20 18 32 -3 8", "one run, as P0089 writes it"),
    ),
    operation="an access",
    title="Locality",
    heading="Locality: lists whose links are scattered",
    how="A list for each subsystem, |S| links long; a shuffle pops links and pushes them onto other "
    "lists, so that their memory scatters. The access factor says how often a list is walked through "
    "before the next: few times mean little temporal locality. Turn a surface by dragging it or with "
    "the arrow keys: all turn together. Under each stands its table.",
    axes=(
        Axis(
            *("links", COUNTS, "|G|, links in all, such as 2^21,2^25 (2^21 if another of these is given)"),
            said="|G| = {count}",
        ),
        Axis(
            *("list_length", COUNTS, "|S|, links of a list at first, such as 2^0..2^21 or 1,1024"),
            said="|S| = {count}",
        ),
        # A process measures all factors.
        Axis(
            *("access_factors", COUNTS, "access factors: traversals of a list in a visit, such as 2^0..2^8"),
            role=FOLLOWS,
            option="af",
        ),
        Axis(
            *(
                "shuffle_factors",
                COUNTS,
                "shuffle factors: passes of the shuffle, such as 0..9; 0 is before any",
            ),
            role=FOLLOWS,
            option="sf",
        ),
        Axis("accesses", COUNT, "accesses in a time, about; such as 2^20", role=AMOUNT),
        Axis("repeat_factor", role=AMOUNT),
        Axis("access_factor", said="af = {}"),  # of one access
    ),
    places=("links", "list_length", "access_factor"),
    claimed=("links", "list_length"),
    joined=("accesses", "repeat_factor"),
)
