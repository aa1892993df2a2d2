"""Memories from conversations: cases, requests, scoring, audit."""
