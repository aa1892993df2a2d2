"""Normal forms by name and version. Without a name texts are compared as they are, code point by code point."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Mapping
from types import MappingProxyType

from assay.metrics.text import NORMALISER, normalise

PLAIN = "plain"


def _plain(text: str) -> str:
    return text


def _nfc(text: str) -> str:
    return unicodedata.normalize("NFC", text)


NORMALISERS: Mapping[str, Callable[[str], str]] = MappingProxyType({PLAIN: _plain, "nfc/1": _nfc, NORMALISER: normalise})
"""`nfc/1` makes composed and decomposed letters equal and changes nothing else; the other also folds case and spaces."""
