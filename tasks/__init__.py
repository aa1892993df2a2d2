"""One file, one stage, one cached task."""
