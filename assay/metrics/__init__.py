"""Arrays and texts in, numbers out."""
