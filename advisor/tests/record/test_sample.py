"""A sample has all events of some activations, the ends of their blocks, and the count of skipped events."""

import itertools
from dataclasses import dataclass

import pytest
from advisor_programs import profile_of, profiled

ROUNDS, ONE_IN = 6000, 8
SMALLEST, BLOCKS, KEPT, LATER = 16, 6, 3, 100
EVENTS_OF_ACT = BLOCKS + 2 + KEPT
MALLOC, FREE, REALLOC_OLD, REALLOC_FAILED, GAP = 1, 16, 19, 20, 47


@dataclass(frozen=True)
class Event:
    kind: int
    address: int
    bytes: int
    function: str

    @property
    def place(self) -> int:
        """The events of the program before this block of `act`."""
        act, block = divmod(self.bytes - SMALLEST, BLOCKS)
        return act * (EVENTS_OF_ACT + 2) + max(act - LATER, 0) * KEPT + block


@pytest.fixture(scope="module")
def events(record_once, toys):
    done = record_once(toys.build("sampled", ["sampled.c"]), ROUNDS, options=["--sample", str(ONE_IN)])
    assert done.status == 0, done.messages
    assert profile_of(done.trace)["process"]["blocks_without_end"] == 0
    return read(profiled("--events", done.trace))


def read(text):
    functions, events = {}, []
    for words in map(str.split, text.splitlines()):
        if words[0] == "context":
            functions[words[1]] = words[5]
        elif words[0].isdigit():
            kind, address, size = int(words[2]), int(words[3], 16), int(words[4])
            events.append(Event(kind, address, size, functions.get(words[7], "")))
    return events


def bursts(events):
    groups = [[]]
    for event in events:
        if event.kind == GAP:
            groups.append([])
        else:
            groups[-1].append(event)
    return groups


def of_act(event):
    return event.function == "act" and event.kind == MALLOC


def test_samples_complete_activations(events):
    complete = 0
    for burst in bursts(events):
        begins = [
            at for at, event in enumerate(burst) if of_act(event) and (event.bytes - SMALLEST) % BLOCKS == 0
        ]
        # An activation that the burst begins with is one that it happened to meet.
        for begin in [at for at in begins if at > 0]:
            kinds = [event.kind for event in burst[begin : begin + EVENTS_OF_ACT] if event.function == "act"]
            assert kinds == [MALLOC] * BLOCKS + [REALLOC_OLD, REALLOC_FAILED] + [FREE] * KEPT
            complete += 1
    assert ROUNDS / ONE_IN / 4 < complete < ROUNDS / ONE_IN * 2


def test_every_recorded_block_ends(events):
    alive = set()
    for event in events:
        if event.kind == MALLOC:
            assert event.address not in alive
            alive.add(event.address)
        elif event.kind in (FREE, REALLOC_OLD):
            alive.discard(event.address)
        elif event.kind == REALLOC_FAILED:
            alive.add(event.address)
    assert not alive


def test_a_reverted_end_follows_its_end(events):
    failed = [at for at, event in enumerate(events) if event.kind == REALLOC_FAILED]
    assert failed
    for at in failed:
        assert (events[at - 1].kind, events[at - 1].address) == (REALLOC_OLD, events[at].address)


def test_gaps_count_the_skipped_events(events):
    places = [at for at, event in enumerate(events) if of_act(event)]
    assert len(places) > ROUNDS / ONE_IN
    for begin, end in itertools.pairwise(places):
        skipped = sum(event.bytes - 1 for event in events[begin:end] if event.kind == GAP)
        assert events[end].place - events[begin].place == end - begin + skipped
