"""A call that cannot be meant is refused before anything runs."""

from __future__ import annotations

from assay.errors import UsageError


class InvalidCall(UsageError, ValueError):
    """Cases, evaluators, options or objectives that do not fit. Nothing has run when it is raised."""
