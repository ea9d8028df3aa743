"""Bare Debians in folders, made anew by debootstrap in its smallest variant, as in a new container. Archives
of packages are kept between runs, nothing else."""

from __future__ import annotations

import codecs
import os
import pty
import shutil
import signal
import subprocess
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path

import pytest
from source_tree import ROOT

ARCHIVES = ROOT / "build/archives"
PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
QUESTION = "[Y/n] "
CERTIFICATES = "etc/certificates-of-the-host.pem"
NAMESPACE = ("unshare", "--mount", "--pid", "--fork", "--kill-child")
# Its words are the root, the folders of apt's and pip's archives, the user and a line of bash. The mounts end
# with it.
INSIDE = """root=$1 apt=$2 pip=$3 user=$4 line=$5
mount -t proc proc "$root/proc"
mount --bind /dev/pts "$root/dev/pts"
mount --bind "$apt" "$root/var/cache/apt/archives"
mount --bind "$pip" "$root/var/cache/pip"
exec /usr/sbin/chroot --userspec="$user" "$root" bash -o pipefail -ec "$line"
"""


class BareDebian:
    """`packages` are installed from the start. Where it cannot be made, the test is skipped."""

    def __init__(self, root: Path, release: str, packages: Iterable[str] = ()) -> None:
        self.root, self.release = root, release
        if shutil.which("debootstrap") is None:
            pytest.skip("debootstrap makes bare Debians: apt-get install debootstrap")
        if subprocess.run([*NAMESPACE, "true"], capture_output=True, check=False).returncode != 0:
            pytest.skip("a bare Debian needs root's right to mount folders")
        self.apt = ARCHIVES / release
        (self.apt / "partial").mkdir(parents=True, exist_ok=True)
        # What a crash would leave does not matter.
        (root / "etc/dpkg/dpkg.cfg.d").mkdir(parents=True)
        (root / "etc/dpkg/dpkg.cfg.d/unsafe-io").write_text("force-unsafe-io\n")
        included = [f"--include={','.join(packages)}"] if packages else []
        command = ["debootstrap", "--variant=minbase", f"--cache-dir={self.apt}", *included, release, root]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            self.remove()
            last = (done.stderr or done.stdout).strip().rpartition("\n")[2]
            pytest.skip(f"debootstrap cannot make a Debian {release}: {last}")
        (root / "var/cache/pip").mkdir()
        if certificate := os.environ.get("PIP_CERT"):  # of a proxy
            shutil.copy(certificate, root / CERTIFICATES)

    def remove(self) -> None:
        shutil.rmtree(self.root, ignore_errors=True)

    def command(self, line: str, user: str = "root") -> list[str]:
        """The words of a call that runs a line of bash inside."""
        pip = ARCHIVES / f"pip-{user.partition(':')[0]}"
        pip.mkdir(exist_ok=True)
        words = [self.root, self.apt, pip, user, line]
        return [*NAMESPACE, "sh", "-ec", INSIDE, "-", *map(str, words)]

    def environment(self, **variables: str) -> dict[str, str]:
        """None of this machine's but those of its network: files that they name are not there."""
        network = {
            name: value
            for name, value in os.environ.items()
            if name.startswith("PIP_") or name.lower().endswith("_proxy")
        }
        network = {name: value for name, value in network.items() if not os.path.exists(value)}
        if (self.root / CERTIFICATES).exists():
            network["PIP_CERT"] = f"/{CERTIFICATES}"
        return {"PATH": PATH, "HOME": "/root", "PIP_CACHE_DIR": "/var/cache/pip", **network, **variables}

    def run(self, line: str, user: str = "root", **variables: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            self.command(line, user),
            env=self.environment(**variables),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )

    def type(
        self, line: str, reply: str, show: Callable[[str], object], user: str = "root", **variables: str
    ) -> tuple[int, str]:
        """Runs the line in a terminal, and answers each question, which ends with QUESTION. Returns the exit
        status and the output, of which `show` gets each line at once."""
        command, environment = self.command(line, user), self.environment(**variables)
        process, terminal = pty.fork()
        if process == 0:
            for number in (signal.SIGPIPE, signal.SIGXFSZ):  # Python ignores them, a terminal does not
                signal.signal(number, signal.SIG_DFL)
            os.execvpe(command[0], command, environment)
        decode = codecs.getincrementaldecoder("utf-8")("replace").decode
        output = rest = ""
        # Linux reports an error when the last program has closed the terminal.
        with suppress(OSError), open(terminal, "rb", buffering=0) as pieces:
            while piece := pieces.read(1 << 16):
                text = decode(piece)
                output += text
                if output.endswith(QUESTION):  # typed ahead, sudo would take it
                    os.write(terminal, f"{reply}\n".encode())
                *lines, rest = (rest + text).split("\n")
                for complete in lines:
                    show(complete.strip())
        status = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
        return status, output.replace("\r\n", "\n")
