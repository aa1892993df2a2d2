"""Searches over one corpus: the subject, its controls and the trivial strategies."""
