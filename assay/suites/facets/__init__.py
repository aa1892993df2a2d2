"""Facets: did the right records reach the answer? Scenarios, scoring, calibration, audit."""
