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
    how="Each subsystem is a list of |S| links. A shuffle pops links and pushes them onto other lists, so "
    "that their memory scatters. The access factor is the number of traversals of a list before the next "
    "list: a small one means little temporal locality. Dragging a surface or pressing the arrow keys turns "
    "all surfaces. The table of each stands below it.",
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
        Axis("accesses", COUNT, "approximate accesses in a time, such as 2^20", role=AMOUNT),
        Axis("repeat_factor", role=AMOUNT),
        Axis("access_factor", said="af = {}"),  # of one access
    ),
    places=("links", "list_length", "access_factor"),
    claimed=("links", "list_length"),
    joined=("accesses", "repeat_factor"),
)
