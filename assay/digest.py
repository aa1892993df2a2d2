"""Names for content: canonical JSON and SHA-256. Every hash in the project is made here."""

from __future__ import annotations

import base64
import hashlib
import json

_ENCODER = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def canonical(value: object) -> bytes:
    """The one JSON form of a value: sorted keys, no spaces, UTF-8, NaN and infinities refused (ValueError)."""
    return _ENCODER.encode(value).encode("utf-8", "surrogatepass")


def sha256_hex(data: bytes) -> str:
    """The SHA-256 of bytes as 64 lower-case hexadecimal digits."""
    return hashlib.sha256(data).hexdigest()


def sha256_base64(data: bytes) -> str:
    """The SHA-256 of bytes in base64, as a Content-Security-Policy names them."""
    return base64.b64encode(hashlib.sha256(data).digest()).decode()


def digest_of(value: object) -> str:
    """The SHA-256 of a value's canonical JSON form."""
    return sha256_hex(canonical(value))
