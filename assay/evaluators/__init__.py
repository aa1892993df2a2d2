"""Named evaluators, objectives and repeated runs over any output.

Built-ins are in `registry`, others are found by the entry point group `assay.evaluators`. `evaluation` and `repeated` run
whole lists of cases; `plan` is what a suite kind calls per case.
"""
