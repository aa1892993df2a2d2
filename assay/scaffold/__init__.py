"""What `assay init` writes, as plain files: a folder for each kind, and what every project gets. Read by `flows.scaffold`."""
