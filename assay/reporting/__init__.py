"""Renderers: they show what was decided and decide nothing."""
