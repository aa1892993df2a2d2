"""Rankings of a corpus: cases, scoring, calibration, audit."""
