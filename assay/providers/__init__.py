"""Everything that answers."""
