"""Benches: how fast the server is on this machine."""
