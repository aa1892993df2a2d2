"""The reference crew: strategist, writer and editor, and an orchestrator that decides by calling a model with tools.

`assay.providers.crew:factory` is the target of the orchestration suite.
"""

from assay.providers.crew.target import factory

__all__ = ["factory"]
