"""Deliberate defects, and what must notice each of them."""
