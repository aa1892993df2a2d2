"""The negative control: vectors that carry no meaning, through the same search as the subject."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from math import sqrt

from assay.digest import sha256_hex
from assay.model.embedding import EmbedderIdentity, Vector

DIMENSION = 64
_HEX_DIGITS = 8
_MIDDLE = 2**31


class HashEmbedder:
    """A text's vector is drawn by its SHA-256: the same text, the same vector; any other text, an unrelated one."""

    @property
    def identity(self) -> EmbedderIdentity:
        """The rule by name; there is no file."""
        return EmbedderIdentity(model="sha256-hash/1", dimension=DIMENSION)

    def embed(self, texts: Sequence[str]) -> list[Vector]:
        """One vector per text."""
        return [_vector(text) for text in texts]


def _vector(text: str) -> Vector:
    """Whole numbers evenly spread over [-2**31, 2**31), and divided by their length, whose square is summed exactly."""
    name = sha256_hex(text.encode("utf-8", "surrogatepass"))
    drawn = "".join(sha256_hex(f"{name}:{block}".encode()) for block in range(DIMENSION * _HEX_DIGITS // len(name)))
    numbers = [int(drawn[at : at + _HEX_DIGITS], 16) - _MIDDLE for at in range(0, len(drawn), _HEX_DIGITS)]
    length = sqrt(sum(number * number for number in numbers))
    return tuple(array("f", [number / length for number in numbers]))
