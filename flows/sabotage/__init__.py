"""The pipeline under deliberate defects."""
