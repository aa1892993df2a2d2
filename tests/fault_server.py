"""A chat endpoint on loopback that answers or fails as its script says, in a thread of its own, and counts what it did."""

from __future__ import annotations

import asyncio
import json
import random
import socket
import struct
import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Self

PARTS = 10
"""In how many pieces a body drips."""
MODEL = "fault-1"


def as_it_is(body: bytes) -> bytes:
    return body


@dataclass(frozen=True)
class Action:
    """What one request gets."""

    name: str
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    edit: Callable[[bytes], bytes] = as_it_is
    """Makes the body from the right one."""
    sent: int | None = None
    """Hang up after so many bytes of the announced body."""
    drip_s: float = 0.0
    """The pause before each part of the body."""
    stalls: bool = False
    """After the headers nothing more comes."""
    resets: bool = False

    @property
    def is_answer(self) -> bool:
        """Whether a client that waits long enough has the reply."""
        return (self.status, self.edit, self.sent) == (200, as_it_is, None) and not (self.stalls or self.resets)


Script = Callable[[str, int], Action]
"""(prompt, how often it was asked before) -> what happens."""


def refusal(status: int, retry_after: str | None = None) -> Action:
    headers = {} if retry_after is None else {"Retry-After": retry_after}
    return Action(f"HTTP {status}", status, headers, lambda _: b'{"error": {"message": "no"}}')


def saying(body: bytes | object, **changes: Any) -> Action:
    """Status 200 with this body; anything but bytes is sent as JSON."""
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    return Action("another body", **{"edit": lambda _: data, **changes})


ANSWER = Action("answer")
RESET = Action("reset", resets=True)
STALL = Action("stall", stalls=True)
SLOW = Action("slow", drip_s=0.02)
SHORT = Action("short body", sent=40)
TRUNCATED = Action("truncated JSON", edit=lambda body: body[: len(body) // 2])
BROKEN = Action("broken JSON", edit=lambda body: body.replace(b":", b"=", 1))
NO_CHOICES = Action("empty choices", edit=lambda _: json.dumps({"id": "x", "model": MODEL, "choices": []}).encode())
NO_CONTENT = Action("null content", edit=lambda _: json.dumps(completion(None)).encode())
WRONG_TYPE = Action("wrong content type", headers={"Content-Type": "text/html"}, edit=lambda _: b"<h1>Bad gateway</h1>")
PASSING = (
    *(refusal(429, "0"), refusal(500), refusal(503)),
    *(RESET, STALL, SHORT, TRUNCATED, BROKEN, NO_CHOICES, NO_CONTENT, WRONG_TYPE),
)
"""Faults after which it helps to ask again."""


def completion(text: str | None, **changes: Any) -> dict[str, Any]:
    """A chat completion as an endpoint sends it."""
    choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
    usage = {"prompt_tokens": 12, "completion_tokens": 3, "total_tokens": 15}
    whole = {"id": "chatcmpl-1", "object": "chat.completion", "created": 0, "model": MODEL, "choices": [choice], "usage": usage}
    return {**whole, **changes}


def always(action: Action) -> Script:
    return lambda prompt, nth: action


def in_turn(*actions: Action) -> Script:
    """For every prompt one after another; the last goes on for ever."""
    return lambda prompt, nth: actions[min(nth, len(actions) - 1)]


def seeded(seed: int, share: float, faults: Sequence[Action]) -> Script:
    """A fault with probability `share`, the same for the n-th asking of a prompt whatever else is asked and when."""

    def script(prompt: str, nth: int) -> Action:
        chance = random.Random(f"{seed} {nth} {prompt}")  # noqa: S311  # test data, not a secret
        return chance.choice(faults) if chance.random() < share else ANSWER

    return script


@dataclass(frozen=True)
class Seen:
    """One request as it came."""

    path: str
    headers: Mapping[str, str]
    body: Mapping[str, Any]
    prompt: str
    """The last message."""
    action: str
    at: float
    """When it had come, in seconds since the epoch."""


class FaultServer:
    """Serves between `with` and its end. `reply` makes the right text for a prompt."""

    def __init__(self, script: Script, reply: Callable[[str], str] = lambda prompt: '{"memories": []}') -> None:
        self._script, self._reply = script, reply
        self.seen: list[Seen] = []
        self.asked, self.answered = Counter[str](), Counter[str]()
        self.asked_after_success = 0
        self._started = threading.Event()
        self._thread = threading.Thread(target=lambda: asyncio.run(self._main()), daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        assert self._started.wait(30)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join(30)

    async def _main(self) -> None:
        self._loop, self._stop = asyncio.get_running_loop(), asyncio.Event()
        listener = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        self.url = f"http://127.0.0.1:{listener.sockets[0].getsockname()[1]}/v1"
        self._started.set()
        await self._stop.wait()
        listener.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            seen, action = await self._received(reader)
            await self._act(seen.prompt, action, reader, writer)
        except (ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass  # the client left, or the server stops
        finally:
            writer.close()

    async def _received(self, reader: asyncio.StreamReader) -> tuple[Seen, Action]:
        lines = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines[1:] if line)}
        body = json.loads(await reader.readexactly(int(headers.get("content-length", "0"))))
        prompt = body["messages"][-1]["content"]
        method, path, _ = lines[0].split(" ")
        right = (method, path) == ("POST", "/v1/chat/completions")
        action = self._script(prompt, self.asked[prompt]) if right else refusal(404)
        self.asked[prompt] += 1
        self.asked_after_success += self.answered[prompt] > 0
        seen = Seen(path, headers, body, prompt, action.name, time.time())
        self.seen.append(seen)
        return seen, action

    async def _act(self, prompt: str, action: Action, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if action.resets:
            peer: socket.socket = writer.get_extra_info("socket")
            peer.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            writer.transport.abort()
            return
        body = action.edit(json.dumps(completion(self._reply(prompt)), ensure_ascii=False).encode())
        usual = {"Content-Type": "application/json", "Content-Length": str(len(body)), "Connection": "close"}
        head = [f"HTTP/1.1 {action.status} X", *(f"{name}: {value}" for name, value in {**usual, **action.headers}.items())]
        writer.write("\r\n".join([*head, "", ""]).encode("latin-1"))
        await writer.drain()
        if action.stalls:
            await reader.read()
            return
        size = -(-len(body) // PARTS) if action.drip_s else max(1, len(body))
        for start in range(0, len(body[: action.sent]), size):
            await asyncio.sleep(action.drip_s)
            self.answered[prompt] += action.is_answer and start + size >= len(body)
            writer.write(body[: action.sent][start : start + size])
            await writer.drain()
