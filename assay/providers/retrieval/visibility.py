"""The control that asks whether a search sees the corpus at all, before anything that it finds is believed."""

from __future__ import annotations

from assay.model.verdict import Check
from assay.providers.retrieval.corpus import Corpus
from assay.providers.retrieval.retriever import Retriever

NAME = "visible_corpus"


def visible_corpus(corpus: Corpus, retriever: Retriever) -> Check:
    """Kept where four numbers agree: the rows by SQL, the length of a full ranking, the probe's rank (1), unreadable rows (0).

    The probe is the newest readable document, asked for by its own text: a search by keywords takes its first words of that,
    and shows the newest match first. Its rank, 1-based, is that of the first document with its text. A full ranking is the
    probe's own where a query ranks everything, else the one without a query; a document counts once. An empty corpus is not
    visible: broken.
    """
    rows, unreadable = corpus.count(), corpus.unreadable()
    documents = corpus.documents()
    if not documents:
        message = f"{rows} rows by SQL, {unreadable} unreadable: there is no document to probe with"
        return Check(name=NAME, status="broken", message=message)
    probe = documents[0]
    twins = {document.id for document in documents if document.text == probe.text}
    found = [name for name, _ in retriever.search(probe.text)]
    full = set(found if retriever.ranks_all else (name for name, _ in retriever.search(None)))
    rank = next((rank for rank, name in enumerate(found, start=1) if name in twins), None)
    place = f"at rank {rank}" if rank else "not found"
    message = f"{rows} rows by SQL, {len(full)} in a full ranking, {unreadable} unreadable, probe {probe.id} {place}"
    is_visible = rows == len(full) and unreadable == 0 and rank == 1
    return Check(name=NAME, status="kept" if is_visible else "broken", message=message)
