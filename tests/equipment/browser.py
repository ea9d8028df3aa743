"""Test equipment: a headless Chromium of the system, driven by Playwright."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import Any

from playwright.sync_api import BrowserContext, ConsoleMessage, Request, sync_playwright

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
MILLISECONDS = 600_000.0
FLAGS = ("--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars")


def find() -> str | None:
    """The browser's program; $CHROMIUM names another."""
    stated = os.environ.get("CHROMIUM")
    return stated or next((path for name in NAMES if (path := shutil.which(name))), None)


class Browser:
    def __init__(self, program: str) -> None:
        self._playwright = sync_playwright().start()
        self._program = self._playwright.chromium.launch(executable_path=program, args=FLAGS)

    def __enter__(self) -> Browser:
        return self

    def __exit__(self, *_: object) -> None:
        self._program.close()
        self._playwright.stop()

    def new_context(self, **options: Any) -> BrowserContext:
        return self._program.new_context(**options)

    def close_tabs(self) -> None:
        for context in self._program.contexts:
            context.close()


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
        context = browser.new_context(no_viewport=True, java_script_enabled=script)
        context.set_default_timeout(MILLISECONDS)
        self._tab = context.new_page()
        self._session = context.new_cdp_session(self._tab)
        self._script = script
        self._errors: list[str] = []
        self._requests: list[str] = []
        self._tab.on("console", self._add_message)
        self._tab.on("pageerror", lambda error: self._errors.append(f"{error.name}: {error.message}"))
        self._tab.on("request", self._add_request)
        self.resize(width, height)
        self.media("screen", dark=dark)

    def _add_message(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning", "assert"):
            self._errors.append(message.text)

    def _add_request(self, request: Request) -> None:
        """All but those for the page itself and its inline parts."""
        if request.resource_type != "document" and not request.url.startswith("data:"):
            self._requests.append(request.url)

    def resize(self, width: int, height: int) -> None:
        """A narrow screen is a phone's."""
        metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600}
        self._session.send("Emulation.setDeviceMetricsOverride", metrics)

    def media(self, media: Any, *, dark: bool) -> None:
        self._tab.emulate_media(media=media, color_scheme="dark" if dark else "light")

    def open(self, path: Path, query: str = "") -> Page:
        """Waits until a report has read its data."""
        self._tab.goto(path.resolve().as_uri() + query)
        if self._script:
            # A heading of the site may have this name.
            self.evaluate(
                "typeof mallard === 'undefined' ? null : (mallard.maps ?? mallard.ready)?.then(() => null)"
            )
        return self

    def evaluate(self, expression: str) -> Any:
        return self._tab.evaluate(expression)

    def wait_until_drawn(self) -> None:
        self.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")

    def wait_until(self, condition: str) -> None:
        self._tab.wait_for_function(condition)

    def press(self, key: str) -> None:
        self._tab.keyboard.press(key)

    def point(self, x: float, y: float) -> None:
        self._tab.mouse.move(x, y)

    def point_at(self, selector: str) -> None:
        x, y = self.evaluate(
            f"(() => {{ const e = document.querySelector({json.dumps(selector)}); "
            f"e.scrollIntoView({{block: 'center'}}); const b = e.getBoundingClientRect(); return [b.left "
            "+ b.width / 2, b.top + b.height / 2]; })()"
        )
        # A scroll that is still under way would hide the panel of the pointer.
        self.wait_until_drawn()
        self.point(x, y)

    def write(self, text: str) -> None:
        """Into the element that has the focus."""
        self._tab.keyboard.insert_text(text)

    @property
    def errors(self) -> list[str]:
        """Errors and warnings of the console, and uncaught exceptions."""
        self.evaluate("0")  # all events of the page have been told when this is answered
        return self._errors

    @property
    def requests(self) -> list[str]:
        self.evaluate("0")
        return self._requests
