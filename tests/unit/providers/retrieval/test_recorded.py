"""Recorded vectors stand in for the model; a text without one is said, and no vector is made up."""

from __future__ import annotations

import subprocess
import sys

import pytest

from assay.errors import InputError
from assay.model.embedding import EmbedderIdentity
from assay.providers.retrieval.recorded import MissingVector, RecordedEmbedder
from assay.providers.retrieval.semantic import Semantic
from assay.stores.vectors import read_vectors, text_sha256, vectors_bytes
from tests.unit.providers.retrieval.small_corpus import Table, of_texts

IDENTITY = EmbedderIdentity(model="table", dimension=2)
VECTORS = {"east": (1.0, 0.0), "north": (0.0, 1.0), "query": (0.6000000238418579, 0.800000011920929)}
RECORDED = RecordedEmbedder({text_sha256(text): vector for text, vector in VECTORS.items()}, IDENTITY, "vectors/v1/p.arrow")


def test_a_search_over_recorded_vectors_is_that_over_the_embedder() -> None:
    rows = of_texts("east", "north")
    data = vectors_bytes({text_sha256(text): vector for text, vector in VECTORS.items()}, IDENTITY)
    replayed = Semantic(rows, RecordedEmbedder(read_vectors(data, "p"), IDENTITY, "p")).search("query")
    assert replayed == Semantic(rows, Table(VECTORS)).search("query") == (("d2", 0.8), ("d1", 0.6))


def test_a_text_without_a_vector_is_named_with_the_remedy() -> None:
    long = "A text that was changed after the recording had been made, so it has no vector."
    with pytest.raises(MissingVector) as found:
        RECORDED.embed(["east", long, "other", long])
    assert str(found.value).splitlines() == [
        "vectors/v1/p.arrow: no vector for a text, got 'A text that was changed after the recording had been made, s…'. "
        "Record it with `assay record`.",
        "vectors/v1/p.arrow: no vector for a text, got 'other'. Record it with `assay record`.",
    ]
    assert isinstance(found.value, InputError)


def test_a_text_is_recorded_to_the_letter() -> None:
    for near in ("East", "east ", "e\u0061\u0301st"):
        with pytest.raises(MissingVector):
            RECORDED.embed([near])


def test_texts_come_in_the_order_that_is_asked_for() -> None:
    assert RECORDED.embed(["north", "east", "north"]) == [VECTORS["north"], VECTORS["east"], VECTORS["north"]]
    assert RECORDED.embed([]) == []


def test_a_replay_loads_no_model() -> None:
    """In a process of its own, in which the packages of the extra cannot be imported."""
    code = (
        "import sys; sys.modules.update(dict.fromkeys(['onnxruntime', 'tokenizers', 'openai'])); "
        "import assay.providers.retrieval.recorded, assay.providers.retrieval.semantic, assay.providers.retrieval.minilm, "
        "assay.providers.retrieval.openai_embeddings, assay.stores.vectors; print('imported')"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=60)
    assert (done.stdout, done.stderr) == ("imported\n", "")
