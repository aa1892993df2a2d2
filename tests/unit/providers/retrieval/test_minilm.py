"""The real small model, where its extra is installed; on CI it has to be."""

from __future__ import annotations

import os
import sys
from importlib.util import find_spec

import pytest

from assay.errors import InputError, UsageError
from assay.model.embedding import Vector, is_unit
from assay.providers.retrieval.minilm import IDENTITY, MAX_TOKENS, MODEL, TOKENIZER, MiniLM, PackagedFile
from assay.providers.retrieval.semantic import Semantic
from tests.unit.providers.retrieval.small_corpus import ids, of_texts

NEEDED = ("onnxruntime", "tokenizers", MODEL.package, TOKENIZER.package)
MISSING = [name for name in NEEDED if find_spec(name) is None]
needs_model = pytest.mark.skipif(
    bool(MISSING) and "CI" not in os.environ,
    reason=f"the extra `embed` is not installed (without {', '.join(MISSING)}); it is required where CI is set",
)
REMEDY = "Install it with `pip install 'assay[embed]'`."


@pytest.fixture(scope="module")
def embedder() -> MiniLM:
    return MiniLM(threads=1)


def cosine(a: Vector, b: Vector) -> float:
    return sum(x * y for x, y in zip(a, b, strict=True))


def test_the_identity_is_known_without_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in NEEDED:
        monkeypatch.setitem(sys.modules, name, None)
    identity = MiniLM().identity
    assert identity == IDENTITY
    assert identity.dimension == 384
    assert (identity.model_sha256 or "").startswith("8199be6f")
    assert (identity.tokenizer_sha256 or "").startswith("be50c362")


def test_a_package_that_is_not_there_is_a_usage_error_with_the_command() -> None:
    absent = PackagedFile("assay_has_no_such_package", "model.onnx", "0" * 64)
    with pytest.raises(UsageError) as found:
        absent.read()
    assert str(found.value) == f"embedder MiniLM: assay_has_no_such_package is not installed. {REMEDY}"


def test_a_file_that_is_not_there_is_the_same() -> None:
    with pytest.raises(UsageError, match=r"assay/no/such\.file is not installed"):
        PackagedFile("assay", "no/such.file", "0" * 64).read()


def test_another_file_is_refused_by_its_digest() -> None:
    with pytest.raises(InputError) as found:
        PackagedFile("assay", "py.typed", "0" * 64).read()
    told = "assay/py.typed: is another file, got 'sha256 e3b0c44298fc…'; expected sha256 000000000000…. "
    assert str(found.value) == told + REMEDY


@pytest.mark.parametrize("name", ["onnxruntime", "tokenizers"])
@needs_model
def test_without_a_library_the_remedy_is_told(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(UsageError) as found:
        MiniLM().embed(["text"])
    assert str(found.value) == f"embedder MiniLM: {name} is not installed. {REMEDY}"


@needs_model
def test_another_model_file_is_never_run() -> None:
    wrong = PackagedFile(MODEL.package, MODEL.path, "0" * 64)
    with pytest.raises(InputError, match=r"model\.onnx: is another file"):
        MiniLM(model=wrong).embed(["text"])


@needs_model
def test_vectors_are_of_length_one_and_in_the_order_of_the_texts(embedder: MiniLM) -> None:
    texts = ["The user lives in Lyon.", "", "一二三 🙂", "The user lives in Lyon."]
    vectors = embedder.embed(texts)
    assert [len(vector) for vector in vectors] == [384] * 4
    assert all(map(is_unit, vectors))
    assert vectors[0] == vectors[3] != vectors[1]
    assert embedder.embed([]) == []


@needs_model
def test_a_vector_does_not_depend_on_its_neighbours_or_on_threads(embedder: MiniLM) -> None:
    texts = ["A cat.", "word " * 300, "Another rather longer sentence about bicycles and their chains."]
    together = embedder.embed(texts)
    assert [embedder.embed([text])[0] for text in reversed(texts)] == together[::-1]
    for a, b in zip(MiniLM(threads=2).embed(texts), together, strict=True):
        assert cosine(a, b) > 0.999999


@needs_model
def test_what_is_beyond_the_limit_is_cut(embedder: MiniLM) -> None:
    words = MAX_TOKENS - 2  # [CLS] and [SEP] are tokens too
    at_limit, beyond, below = embedder.embed(["cat " * words, "cat " * words + "dog " * 50, "cat " * (words - 1)])
    assert at_limit == beyond != below


@needs_model
def test_meaning_is_found_without_a_word_in_common(embedder: MiniLM) -> None:
    rows = of_texts(
        "Keeps two dachshunds and walks them by the river.",
        "Works as a nurse on night shifts.",
        "The mortgage is paid on the first of the month.",
    )
    search = Semantic(rows, embedder).search
    assert ids(search("What is my job?"))[0] == "d2"
    assert ids(search("Do I own any pets?"))[0] == "d1"


@needs_model
def test_vectors_are_near_those_that_were_measured(embedder: MiniLM) -> None:
    """Cosines between three pairs, to two decimals: another processor may differ in the last digits of float32."""
    a, b, c = embedder.embed(["The user lives in Lyon.", "Their home is in a French city.", "A recipe for bread."])
    assert [round(cosine(*pair), 2) for pair in ((a, b), (a, c), (b, c))] == [0.49, 0.08, 0.11]
