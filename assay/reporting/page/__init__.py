"""`report.html`: a run's report as one page that needs nothing else."""
