"""The ages of `--age`: levels of one table, and their figures."""

import pytest

from mallard.shared.age import levels, read_ages
from mallard.shared.errors import UsageError


def test_levels_are_those_of_the_table():
    assert [*levels()] == ["young", "used", "old"]
    assert levels()["young"].is_young
    assert levels()["used"].peak_bytes < levels()["old"].peak_bytes


def test_a_list_has_levels_and_settings():
    young, old = read_ages("young,old,peak=200M,keep=0.25,seed=7")
    assert young == levels()["young"]
    assert old.name == "old,peak=200M,keep=0.25,seed=7"
    assert (old.peak_bytes, old.kept, old.seed) == (200 << 20, 0.25, 7)
    assert (old.rounds, old.replaced) == (levels()["old"].rounds, levels()["old"].replaced)
    assert old.setting == "peak=209715200,rounds=3,replace=1.000000000,keep=0.250000000,sizes=16-2048,seed=7"


def test_settings_alone_change_old():
    (age,) = read_ages("peak=1G,rounds=0")
    assert (age.name, age.peak_bytes, age.rounds) == ("peak=1G,rounds=0", 1 << 30, 0)
    assert age.kept == levels()["old"].kept


def test_an_age_counts_once():
    assert read_ages("old,young,old") == (levels()["old"], levels()["young"])


@pytest.mark.parametrize(
    "text",
    [
        *("", "ancient", "old,", "old,,young", "peak=63K", "peak=65G", "peak=-1", "peak=", "peak=1T"),
        *("sizes=", "sizes=15", "sizes=64-32", "sizes=16-", "sizes=-64", "sizes=16-2M", "sizes=16-32-64"),
        *("keep=1.1", "keep=.", "keep=1e-3", "keep=", "rounds=1001", "rounds=1.5", "depth=1"),
        *("seed=9223372036854775808", "peak=\N{ARABIC-INDIC DIGIT FIVE}G", "replace=0.1.2"),
    ],
)
def test_wrong_ages_are_rejected(text):
    with pytest.raises(UsageError, match=r"^--age .*: '.*' is not (an age|a setting).*; allowed are you"):
        read_ages(text)


def test_ages_are_described():
    assert levels()["old"].describe() == (
        "after 96 MiB of blocks, 3 rounds in which 100 % were replaced, and 40 % that stay"
    )


def test_sizes_are_a_range_or_one_number():
    (range_, one) = read_ages("sizes=64-4K,used,sizes=1M")
    assert (range_.sizes, one.sizes) == ((64, 4096), (1 << 20, 1 << 20))
    assert "sizes=64-4096," in range_.setting
    assert range_.describe().startswith("after 96 MiB of blocks of 64 to 4,096 bytes, 3 rounds")
    assert one.describe().startswith("after 24 MiB of blocks of 1,048,576 bytes, 3 rounds")


def test_describes_the_requests_of_a_recording():
    assert levels()["used"].describe("past.trace") == (
        "after the requests of past.trace, with 24 MiB of its blocks that stay"
    )
    assert levels()["young"].describe("past.trace") == "as the process starts"
