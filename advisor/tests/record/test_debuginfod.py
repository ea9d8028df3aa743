"""Names of a stripped program come from a server of debug files, if the environment names one."""

import json
import os
import shutil
import socket
import subprocess
import time
import urllib.error
import urllib.request

import pytest

TOOLS = ("debuginfod", "objcopy", "strip", "readelf")
MOST_TRIES = 300
PAUSE = 0.1  # seconds


@pytest.fixture
def stripped(toys, tmp_path):
    """A program without names, and its debug file in the folder `debug`."""
    missing = [tool for tool in TOOLS if shutil.which(tool) is None]
    if missing:
        pytest.skip(f"{missing[0]} is not installed")
    program = tmp_path / "stripped"
    shutil.copy(toys.build("requests", ["requests.cpp"], "-g", "-Wl,--build-id"), program)
    (tmp_path / "debug").mkdir()
    subprocess.run(["objcopy", "--only-keep-debug", program, tmp_path / "debug/requests.debug"], check=True)
    subprocess.run(["strip", program], check=True)
    return program


@pytest.fixture
def server(stripped, tmp_path):
    """The address of a server that has the debug file."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    words = ["debuginfod", "-d", ":memory:", "-F", "-p", str(port), str(tmp_path / "debug")]
    running = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        address = f"http://127.0.0.1:{port}"
        _wait_for(f"{address}/buildid/{_build_id(stripped)}/debuginfo")
        yield address
    finally:
        running.terminate()
        running.wait()


def test_names_come_from_a_server(record, collector, stripped, server, tmp_path):
    done = record(stripped, "50")
    assert done.status == 0, done.messages
    assert "handle" not in _functions(collector, done.trace, tmp_path / "cache without", "")
    assert "handle" in _functions(collector, done.trace, tmp_path / "cache with", server)


def _functions(collector, trace, cache, urls):
    environment = {**os.environ, "DEBUGINFOD_URLS": urls, "DEBUGINFOD_CACHE_PATH": str(cache)}
    command = [collector.with_name("mallard-profile"), trace]
    profile = subprocess.run(command, env=environment, capture_output=True, check=True).stdout
    return {function["short_name"].partition("(")[0] for function in json.loads(profile)["functions"]}


def _build_id(program):
    notes = subprocess.run(["readelf", "-n", program], capture_output=True, text=True, check=True).stdout
    return notes.split("Build ID: ")[1].split()[0]


def _wait_for(url):
    """The server reads its folder after its start."""
    for _ in range(MOST_TRIES):
        try:
            with urllib.request.urlopen(url):
                return
        except (urllib.error.URLError, ConnectionError):
            time.sleep(PAUSE)
    pytest.skip("debuginfod does not serve the file here")
