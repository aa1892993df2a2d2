"""One folder per kind of suite; nothing outside knows a kind by name."""
