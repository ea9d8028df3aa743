"""The pages of scopes in a recording of a real program."""

from __future__ import annotations

import json

from advisor_programs import front


def test_shows_a_scattered_scope(record, toys, tmp_path):
    """Each node lies on a page of its own, which a larger block fills; the larger blocks fill their pages."""
    trace = record(toys.build("scattered", ["scattered.cpp"], "-g"), 3000).trace
    tables = json.loads(front("profile", "--json", trace, folder=tmp_path).stdout)
    names = [function["short_name"].rpartition("::")[2] for function in tables["functions"]]
    scopes = {scope["id"]: names[scope["function"]] for scope in tables["scopes"]}
    peaks = {scopes[row["scope"]]: row for row in tables["diffusion"] if row["is_peak"]}
    scattered, large = peaks["append"], peaks["fill"]
    assert scattered["live_bytes"] == 3000 * 64
    assert scattered["pages_needed"] == 47
    assert 2900 < scattered["pages"] < 3100
    assert scattered["pages_shared"] > 2900
    assert large["pages"] < 1.1 * large["pages_needed"]
    shown = front("profile", "--all", trace, folder=tmp_path).stdout
    section = shown[shown.index("\nDiffusion  ") :].partition("\n\n")[0]
    assert "append" in section
    assert "fill" not in section


def test_a_sample_has_no_pages(record, toys, tmp_path):
    trace = record(toys.build("scattered", ["scattered.cpp"], "-g"), 3000, options=["--sample", "8"]).trace
    tables = json.loads(front("profile", "--json", trace, folder=tmp_path).stdout)
    assert tables["scopes"]
    assert tables["diffusion"] == []
