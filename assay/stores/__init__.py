"""Files in and out: the only modules besides providers that do I/O."""
