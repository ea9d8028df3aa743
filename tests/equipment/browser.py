"""Test equipment: a real headless Chromium, driven over the pipe of its DevTools protocol. Nothing but
the standard library is needed, and no port is opened."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import select
import shutil
import signal
import tempfile
import time
from pathlib import Path
from types import TracebackType
from typing import Any

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
SECONDS = 600.0
FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-default-apps",
    "--disable-extensions",
    "--mute-audio",
    "--hide-scrollbars",
    "--remote-debugging-pipe",
)


def find() -> str | None:
    """The browser's program; $CHROMIUM names another."""
    stated = os.environ.get("CHROMIUM")
    return stated or next((path for name in NAMES if (path := shutil.which(name))), None)


class BrowserError(Exception):
    pass


class Browser:
    def __init__(self, program: str) -> None:
        self._profile = tempfile.mkdtemp(prefix="mallard-browser-")
        to_read, to_write = _high(os.pipe()), _high(os.pipe())
        self._in, self._out = to_read[1], to_write[0]
        argv = [program, *FLAGS, f"--user-data-dir={self._profile}", "about:blank"]
        quiet = os.open(os.devnull, os.O_RDWR)
        self._process = os.posix_spawn(
            program,
            argv,
            os.environ,
            file_actions=[
                *((os.POSIX_SPAWN_DUP2, quiet, standard) for standard in (0, 1, 2)),
                (os.POSIX_SPAWN_DUP2, to_read[0], 3),
                (os.POSIX_SPAWN_DUP2, to_write[1], 4),
            ],
            setpgroup=0,
        )
        for descriptor in (quiet, to_read[0], to_write[1]):
            os.close(descriptor)
        self._buffer = b""
        self._last = 0
        self.events: list[dict[str, Any]] = []
        self.targets: list[str] = []

    def __enter__(self) -> Browser:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        os.close(self._in)
        os.close(self._out)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process, signal.SIGKILL)
        os.waitpid(self._process, 0)
        shutil.rmtree(self._profile, ignore_errors=True)

    def call(self, method: str, tab: str | None = None, **parameters: Any) -> dict[str, Any]:
        self._last += 1
        message: dict[str, Any] = {"id": self._last, "method": method, "params": parameters}
        if tab:
            message["sessionId"] = tab
        os.write(self._in, json.dumps(message).encode() + b"\0")
        end = time.monotonic() + SECONDS
        while True:
            answer = self._next(end, method)
            if answer.get("id") == self._last:
                if "error" in answer:
                    raise BrowserError(f"{method}: {answer['error']}")
                result: dict[str, Any] = answer["result"]
                return result
            self.events.append(answer)

    def close_tabs(self) -> None:
        for target in self.targets:
            self.call("Target.closeTarget", targetId=target)
        self.targets.clear()
        self.events.clear()

    def wait_for(self, method: str, tab: str) -> None:
        end = time.monotonic() + SECONDS
        while not any(
            event.get("method") == method and event.get("sessionId") == tab for event in self.events
        ):
            self.events.append(self._next(end, method))

    def _next(self, end: float, waiting_for: str) -> dict[str, Any]:
        while b"\0" not in self._buffer:
            ready, _, _ = select.select([self._out], [], [], max(0.0, end - time.monotonic()))
            data = os.read(self._out, 1 << 16) if ready else b""
            if not data:
                raise BrowserError(
                    f"the browser {'ended' if ready else 'was silent'} while {waiting_for} was awaited"
                )
            self._buffer += data
        message, self._buffer = self._buffer.split(b"\0", 1)
        answer: dict[str, Any] = json.loads(message)
        return answer


class Page:
    """One tab. It keeps the messages of the console and the requests."""

    def __init__(
        self,
        browser: Browser,
        width: int = 1280,
        height: int = 900,
        *,
        dark: bool = False,
        script: bool = True,
    ) -> None:
        self._browser = browser
        target = browser.call("Target.createTarget", url="about:blank")["targetId"]
        browser.targets.append(target)
        self._tab = browser.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.call(f"{domain}.enable")
        self.resize(width, height)
        self.media("screen", dark=dark)
        self._script = script
        if not script:
            self.call("Emulation.setScriptExecutionDisabled", value=True)

    def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        return self._browser.call(method, self._tab, **parameters)

    def resize(self, width: int, height: int) -> None:
        """A narrow screen is a phone's."""
        self.call(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=width < 600,
        )

    def media(self, media: str, *, dark: bool) -> None:
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.call("Emulation.setEmulatedMedia", media=media, features=[scheme])

    def open(self, path: Path, query: str = "") -> Page:
        """Waits until a report has read its data."""
        self.call("Page.navigate", url=path.resolve().as_uri() + query)
        self._browser.wait_for("Page.loadEventFired", self._tab)
        if self._script:
            self.evaluate(
                # A heading of the site may have this name.
                "typeof mallard === 'undefined' ? null : (mallard.maps ?? mallard.ready)?.then(() => null)"
            )
        return self

    def evaluate(self, expression: str) -> Any:
        result = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in result:
            raise BrowserError(f"{expression}: {result['exceptionDetails']}")
        return result["result"].get("value")

    def wait_until_drawn(self) -> None:
        self.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")

    def wait_until(self, condition: str) -> None:
        self.evaluate(
            f"new Promise(done => {{ const look = () => ({condition}) ? done(null) : setTimeout(look, 10);"
            " look(); })"
        )

    def press(self, key: str) -> None:
        """A key as the keyboard sends it; the DevTools protocol wants its old number too."""
        code = {
            "Tab": 9,
            "Enter": 13,
            "Escape": 27,
            " ": 32,
            "Home": 36,
            "ArrowLeft": 37,
            "ArrowUp": 38,
            "ArrowRight": 39,
            "ArrowDown": 40,
        }[key]
        for kind in ("keyDown", "keyUp"):
            self.call(
                "Input.dispatchKeyEvent",
                type=kind,
                key=key,
                code="Space" if key == " " else key,
                windowsVirtualKeyCode=code,
            )

    def point_at(self, selector: str) -> None:
        x, y = self.evaluate(
            f"(() => {{ const e = document.querySelector({json.dumps(selector)}); "
            f"e.scrollIntoView({{block: 'center'}}); const b = e.getBoundingClientRect(); return [b.left "
            "+ b.width / 2, b.top + b.height / 2]; })()"
        )
        # A scroll that is still under way would hide the panel of the pointer.
        self.wait_until_drawn()
        self.call("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)

    def write(self, text: str) -> None:
        """Into the element that has the focus."""
        self.call("Input.insertText", text=text)

    @property
    def errors(self) -> list[str]:
        """Errors and warnings of the console, and uncaught exceptions."""
        errors = []
        for event in self._own("Runtime.consoleAPICalled"):
            if event["type"] in ("error", "warning", "assert"):
                errors.append(str(event["args"]))
        errors += [str(event["exceptionDetails"]) for event in self._own("Runtime.exceptionThrown")]
        errors += [
            e["entry"]["text"]
            for e in self._own("Log.entryAdded")
            if e["entry"]["level"] in ("error", "warning")
        ]
        return errors

    @property
    def requests(self) -> list[str]:
        """All requests but those for the page itself and its inline parts."""
        urls = [
            event["request"]["url"]
            for event in self._own("Network.requestWillBeSent")
            if event["type"] != "Document"
        ]
        return [url for url in urls if not url.startswith("data:")]

    def _own(self, method: str) -> list[dict[str, Any]]:
        self.evaluate("0")  # all events of the page have been told when this is answered
        return [
            e["params"]
            for e in self._browser.events
            if e.get("method") == method and e.get("sessionId") == self._tab
        ]


def _high(pipe: tuple[int, int]) -> tuple[int, int]:
    """Away from 3 and 4, which the browser wants for itself."""
    high = tuple(fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, 10) for end in pipe)
    for end in pipe:
        os.close(end)
    return high[0], high[1]
