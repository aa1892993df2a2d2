"""Chains of stages, nothing else."""
