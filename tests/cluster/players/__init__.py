"""Scripted players of every game, who come back whenever their connection is lost."""
