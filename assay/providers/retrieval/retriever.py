"""What every search is, whatever role it has in a suite."""

from __future__ import annotations

from typing import Protocol

from assay.providers.retrieval.ranking import Ranking


class Retriever(Protocol):
    """A search over one corpus."""

    @property
    def ranks_all(self) -> bool:
        """Whether a query ranks every readable document; false for a search that returns only what matches."""

    def search(self, query: str | None, content_type: str | None = None) -> Ranking:
        """The full ranking for a query, of one content type where one is given.

        Without a query it is the filter alone, newest first, with no call to any embedder.
        """
