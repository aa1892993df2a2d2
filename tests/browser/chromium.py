"""A headless Chromium for tests: start it, open a page, press keys, look at what is there. Speaks the DevTools protocol."""

from __future__ import annotations

import base64
import json
import os
import re
import shutil
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from websockets.sync.client import ClientConnection, connect

NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--hide-scrollbars",
    "--remote-debugging-port=0",
)
PATIENCE_S = 20
KEYS = {"Tab": 9, "Enter": 13, "ArrowDown": 40}
_LISTENING = re.compile(r"DevTools listening on (ws://\S+)")
_WATCH = """
window.violations = [];
document.addEventListener("securitypolicyviolation", (event) => window.violations.push(event.violatedDirective));
"""


def installed() -> str | None:
    """The path of a Chromium; None where there is none."""
    return next((path for name in NAMES if (path := shutil.which(name))), None)


class Tab:
    """One page."""

    def __init__(self, connection: ClientConnection, session: str) -> None:
        self._connection = connection
        self._session = session
        self._last = 0
        self._loaded: set[str] = set()
        self.requests: list[str] = []
        """Every address that was asked for."""
        self.dialogs: list[str] = []
        self.messages: list[str] = []
        """What the console said, and every uncaught error."""
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.command(f"{domain}.enable")
        self.command("Page.setLifecycleEventsEnabled", enabled=True)
        self.command("Page.addScriptToEvaluateOnNewDocument", source=_WATCH)

    def command(self, method: str, **params: Any) -> dict[str, Any]:
        """A command's result. Raises RuntimeError with what the browser answered instead."""
        self._last += 1
        sent = {"id": self._last, "sessionId": self._session, "method": method, "params": params}
        self._connection.send(json.dumps(sent))
        while True:
            answer = self._next()
            if answer.get("id") == self._last:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                result: dict[str, Any] = answer["result"]
                return result

    def open(self, page: Path, fragment: str = "") -> None:
        """Go to a file, and wait until it is loaded."""
        self.command("Page.navigate", url="about:blank")
        self.requests.clear()
        loader = self.command("Page.navigate", url=page.as_uri() + fragment)["loaderId"]
        while loader not in self._loaded:
            self._next()

    def evaluate(self, expression: str) -> Any:
        """The value of an expression as JSON. Raises RuntimeError with the exception that it threw."""
        result = self.command("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in result:
            raise RuntimeError(json.dumps(result["exceptionDetails"]))
        return result["result"].get("value")

    def press(self, key: str) -> None:
        """Press and release a key of KEYS."""
        code = {"key": key, "code": key, "windowsVirtualKeyCode": KEYS[key]}
        text = {"text": "\r"} if key == "Enter" else {}
        self.command("Input.dispatchKeyEvent", type="keyDown", **code, **text)
        self.command("Input.dispatchKeyEvent", type="keyUp", **code)

    def write(self, text: str) -> None:
        """Write into what has the focus."""
        self.command("Input.insertText", text=text)

    def viewport(self, width: int, height: int) -> None:
        """How large the window is, in CSS pixels."""
        self.command("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 600)

    def media(self, kind: str = "", **features: str) -> None:
        """Another medium, or other preferences, such as `prefers_color_scheme="dark"`."""
        given = [{"name": name.replace("_", "-"), "value": value} for name, value in features.items()]
        self.command("Emulation.setEmulatedMedia", media=kind, features=given)

    def scripts(self, *, are_on: bool) -> None:
        """Whether pages that are opened from here on may run scripts."""
        self.command("Emulation.setScriptExecutionDisabled", value=not are_on)

    def screenshot(self, path: Path, *, whole: bool = True) -> None:
        """Draw the page, or what can be seen of it, into a PNG file."""
        drawn = self.command("Page.captureScreenshot", format="png", captureBeyondViewport=whole)
        path.write_bytes(base64.b64decode(drawn["data"]))

    def close_browser(self) -> None:
        """End the whole browser in good order."""
        self._connection.send(json.dumps({"id": self._last + 1, "method": "Browser.close"}))

    def _next(self) -> dict[str, Any]:
        answer: dict[str, Any] = json.loads(self._connection.recv(timeout=PATIENCE_S))
        params = answer.get("params", {})
        match answer.get("method"):
            case "Page.lifecycleEvent" if params["name"] == "load":
                self._loaded.add(params["loaderId"])
            case "Network.requestWillBeSent":
                self.requests.append(params["request"]["url"])
            case "Page.javascriptDialogOpening":
                self.dialogs.append(params["message"])
            case "Runtime.exceptionThrown":
                self.messages.append(json.dumps(params["exceptionDetails"]))
            case "Runtime.consoleAPICalled":
                self.messages.append(json.dumps(params["args"]))
            case "Log.entryAdded":
                self.messages.append(params["entry"]["text"])
        return answer


@contextmanager
def browser(binary: str, profile: Path) -> Iterator[Tab]:
    """One page of a browser of its own, which ends with the block."""
    command = [binary, *FLAGS, f"--user-data-dir={profile}", "about:blank"]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, start_new_session=True)
    try:
        with connect(_address(process), max_size=None) as connection:
            tab = Tab(connection, _session(connection))
            yield tab
            tab.close_browser()
        process.communicate(timeout=PATIENCE_S)
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()


def _address(process: subprocess.Popen[str]) -> str:
    """Where the browser listens. Raises RuntimeError with what it said where it does not."""
    said: list[str] = []
    for line in process.stderr or ():
        said.append(line)
        if found := _LISTENING.search(line):
            return found[1]
    raise RuntimeError(f"the browser ended: {''.join(said)}")


def _session(connection: ClientConnection) -> str:
    """The name of a conversation with a fresh page."""
    made = _answer(connection, 1, "Target.createTarget", url="about:blank")
    session: str = _answer(connection, 2, "Target.attachToTarget", targetId=made["targetId"], flatten=True)["sessionId"]
    return session


def _answer(connection: ClientConnection, number: int, method: str, **params: Any) -> dict[str, Any]:
    connection.send(json.dumps({"id": number, "method": method, "params": params}))
    while True:
        answer: dict[str, Any] = json.loads(connection.recv(timeout=PATIENCE_S))
        if answer.get("id") == number:
            result: dict[str, Any] = answer["result"]
            return result
