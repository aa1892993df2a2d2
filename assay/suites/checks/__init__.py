"""Named evaluators with objectives over any output: cases, requests, scoring, audit."""
