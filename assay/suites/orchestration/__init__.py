"""What a machine of several models did, judged by rules over its transcript."""
