"""Generates documents, examples and TypeScript from the wires' message types."""
