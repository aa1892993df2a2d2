"""The nouns: frozen records that cross file and stage borders."""
