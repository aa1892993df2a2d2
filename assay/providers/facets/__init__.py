"""Orchestrators under evaluation: the port, adapters, controls, and the evaluation of one scenario."""
