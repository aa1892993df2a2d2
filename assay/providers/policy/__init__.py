"""A policy engine: policies as data, read from YAML and judged over one decision at a time.

`rules` holds the forms of a rule, `policy_file` reads them, `judging` decides, `engine` is the port that evaluators call.
"""
