"""Programs that cannot be recorded are refused before they start, in one line, with exit status 2."""

import os
import shutil
import struct
import subprocess

import pytest


def refused(done):
    assert done.status == 2, done.messages
    assert done.messages.count("\n") == 1
    assert done.messages.startswith("mallard: error: ")
    assert not done.trace.exists()
    assert not done.has_parts
    return done.messages


def test_refuses_a_missing_program(record, tmp_path):
    assert "'no-such-program' is not a program in PATH" in refused(record("no-such-program"))
    assert "does not exist" in refused(record("./no-such-program"))
    (tmp_path / "here").write_text("")
    assert "for the file in this folder give './here'" in refused(record("here"))
    assert "is not executable; if it is a program: chmod +x ./here" in refused(record("./here"))
    assert "is a folder" in refused(record(tmp_path))


def test_refuses_a_script_without_interpreter(record, tmp_path):
    script = tmp_path / "script"
    script.write_text("#!/no/interpreter -x\n")
    script.chmod(0o755)
    assert "is a script for '/no/interpreter', which is missing" in refused(record(script))
    script.write_text("#!/usr/bin/env -i A=b sh\n")
    assert "starts its interpreter by 'env -i A=b sh'" in refused(record(script))
    script.write_text(f"#!{script}\n")
    assert "is a script whose interpreters are scripts" in refused(record(script))
    script.write_text("echo without a first line\n")
    assert "is neither a program (ELF) nor a script" in refused(record(script))


@pytest.mark.parametrize(
    ("bits", "reason"), [("u+s", "its owner's rights (setuid)"), ("g+s", "its group's rights (setgid)")]
)
def test_refuses_setuid_and_setgid_programs(record, toys, tmp_path, bits, reason):
    """The rights of the caller change nothing, so the file belongs to another user."""
    copy = tmp_path / "copy"
    shutil.copy(toys.calls, copy)
    subprocess.run(["chmod", bits, copy], check=True)
    own = record(copy, 1, "calls")
    assert own.status == 0, own.messages
    own.trace.unlink()
    if os.geteuid() != 0:
        pytest.skip("only root can make a program of another user's")
    shutil.chown(copy, 65534, 65534)
    subprocess.run(["chmod", bits, copy], check=True)
    assert reason in refused(record(copy, 1, "calls"))


def test_capabilities(record, toys, tmp_path):
    setcap = shutil.which("setcap", path=f"{os.environ['PATH']}:/usr/sbin:/sbin")
    if setcap is None:
        pytest.skip("setcap is not installed")
    copy = tmp_path / "copy"
    shutil.copy(toys.calls, copy)
    result = subprocess.run([setcap, "cap_net_raw+ep", copy], capture_output=True, text=True, check=False)
    if result.returncode != 0:
        pytest.skip(f"setcap does not work here: {result.stderr.strip()}")
    assert "has capabilities (getcap shows them)" in refused(record(copy, 1, "calls"))


def test_a_static_program(record, toys):
    static = toys.build("static", ["calls.c"], "-static")
    assert "is statically linked" in refused(record(static, 1, "calls"))


def test_refuses_the_loader(record, toys):
    (loader,) = (text for line in ldd(toys.calls) for text in line.split() if "/ld-linux" in text)
    assert "only loads another program, which is to be given itself" in refused(record(loader, toys.calls))


def ldd(program):
    return subprocess.run(["ldd", program], capture_output=True, text=True, check=True).stdout.splitlines()


def test_refuses_foreign_architectures(record, toys, tmp_path):
    image = bytearray(toys.calls.read_bytes())
    struct.pack_into("<H", image, 18, 183)  # e_machine
    foreign = tmp_path / "other"
    foreign.write_bytes(image)
    foreign.chmod(0o755)
    assert "is a 64-bit program for aarch64" in refused(record(foreign))
    head = b"\x7fELF\x01\x01\x01".ljust(16, b"\0") + struct.pack(
        "<HHIIIIIHHHHHH", 2, 3, 1, 0, 0, 0, 0, 52, 0, 0, 0, 0, 0
    )
    foreign.write_bytes(head)
    assert "is a 32-bit program for i386" in refused(record(foreign))


@pytest.mark.parametrize("length", [4, 16, 63, 64, 200])
def test_a_program_that_was_cut_off(record, toys, tmp_path, length):
    part = tmp_path / "part"
    part.write_bytes(toys.calls.read_bytes()[:length])
    part.chmod(0o755)
    refused(record(part, 1, "calls"))


@pytest.mark.parametrize("compiler", ["g++", "clang++-16"])
@pytest.mark.parametrize("sanitizer", ["address", "thread"])
def test_sanitizers(record, toys, compiler, sanitizer):
    try:
        program = toys.build(
            f"{sanitizer}-{compiler}", ["news.cpp"], f"-fsanitize={sanitizer}", compiler=compiler
        )
    except (subprocess.CalledProcessError, FileNotFoundError):
        pytest.skip(f"{compiler} has no -fsanitize={sanitizer} here")
    assert "was built with a sanitizer" in refused(record(program, 1))
