"""`pytest --assay`: a test item per suite and subject. A composition root like `assay.cli`; `options` is what pytest loads."""
