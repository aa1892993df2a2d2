"""Defects as data, by layer and kind."""
