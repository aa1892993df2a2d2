"""The one door to Prefect: settings before its first import, our cache key and serializer, and a stage as a task."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

SETTINGS = {
    "DO_NOT_TRACK": "1",
    "PREFECT_SERVER_ANALYTICS_ENABLED": "false",
    "PREFECT_SERVER_EPHEMERAL_STARTUP_TIMEOUT_SECONDS": "120",
    "PREFECT_LOGGING_HANDLERS_CONSOLE_LEVEL": "CRITICAL",
    "PREFECT_CLI_PROMPT": "false",
}
"""Nothing is sent to anyone, and Prefect's log stays in its UI. A user's own settings win."""

for _name, _value in SETTINGS.items():
    os.environ.setdefault(_name, _value)

from prefect import task  # noqa: E402  # the settings above are read at import
from prefect.cache_policies import NO_CACHE, CachePolicy  # noqa: E402
from prefect.serializers import Serializer  # noqa: E402
from prefect.settings import PREFECT_FLOWS_HEARTBEAT_FREQUENCY, get_current_settings, temporary_settings  # noqa: E402
from pydantic import Field  # noqa: E402

from assay.stores.artifacts import Artifacts, MissingArtifact, Ref  # noqa: E402
from tasks._engine import Engine, key_of  # noqa: E402
from tasks._stage import StageCall  # noqa: E402


class StageKey(CachePolicy):
    """The key is the one that the offline engine uses; it is worked out before Prefect sees the call."""

    def compute_key(self, task_ctx: object, inputs: dict[str, Any], flow_parameters: dict[str, Any], **_: object) -> str | None:
        """`<stage>/<digest>`, which is also the entry's path."""
        return str(inputs["key"])


class RefSerializer(Serializer):
    """Entries are Refs. One whose artifact is gone or damaged does not load, which Prefect counts as a miss."""

    type: str = Field(default="assay/ref", frozen=True)
    home: str

    def dumps(self, obj: object) -> bytes:
        """A Ref as JSON; what a failed task raised as its class name only, since messages may quote inputs."""
        return obj.model_dump_json().encode() if isinstance(obj, Ref) else repr(type(obj).__name__).encode()

    def loads(self, blob: bytes) -> Ref:
        """The Ref. Raises when it is not one or its body does not match."""
        ref = Ref.model_validate_json(blob)
        if not Artifacts(Path(self.home)).holds(ref):
            raise MissingArtifact(ref.digest)
        return ref


class PrefectEngine(Engine):
    """The same cache, each stage run as a Prefect task of the current flow."""

    def ahead(self, work: Callable[[Engine], object]) -> None:
        """Nothing: a process with Prefect's threads is not forked."""

    def __call__(self, call: StageCall) -> Ref:
        """The stage's result; Prefect shows it as `Cached` where its own entry answers."""
        start = time.perf_counter()
        computed: list[bool] = []

        def body(key: str) -> Ref:
            ref, found = self.execute(call, key)
            computed.append(not found)
            return ref

        key, serializer = key_of(call), RefSerializer(home=str(self._home))
        self._forget_foreign(key, serializer)
        label = f"{call.stage.name} {call.provider}" if call.provider else call.stage.name
        run = task(
            name=call.stage.name,
            task_run_name=label,
            persist_result=True,
            result_storage=self._home / "prefect",
            result_serializer=serializer,
            cache_policy=StageKey(),
        )(body)
        ref: Ref = run(key)
        self._finished(call.stage.name, call.provider, ref, cached=not any(computed), seconds=time.perf_counter() - start)
        return ref

    def _done_anew(self, stage: str, provider: str | None, work: Callable[[], Ref]) -> Ref:
        """The work as a task that Prefect neither caches nor keeps."""
        label = f"{stage} {provider}" if provider else stage
        ref: Ref = task(name=stage, task_run_name=label, persist_result=False, cache_policy=NO_CACHE)(work)()
        return ref

    def _forget_foreign(self, key: str, serializer: RefSerializer) -> None:
        """Remove Prefect's entry unless this serializer wrote it here: the entry itself names what reads it, even pickle."""
        path = self._home / "prefect" / key
        try:
            written_by = json.loads(path.read_bytes())["metadata"]["serializer"]
        except OSError:
            return
        except (ValueError, KeyError, TypeError):
            written_by = None
        if written_by != serializer.model_dump(mode="json"):
            path.unlink(missing_ok=True)


@contextmanager
def without_heartbeat() -> Iterator[None]:
    """For a flow that takes seconds in this process: no heartbeat, for whose thread a flow waits in steps of a whole second.

    A frequency that the user has set is kept. Prefect 3.9: `flow_engine._send_heartbeats` sleeps 1 s between two looks.
    """
    if "heartbeat_frequency" in get_current_settings().flows.model_fields_set:
        yield
        return
    with temporary_settings({PREFECT_FLOWS_HEARTBEAT_FREQUENCY: None}):
        yield


__all__ = ["PrefectEngine", "without_heartbeat"]
