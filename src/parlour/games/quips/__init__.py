"""Quips: a judge, a black card with a gap in it, and everybody else's white cards."""
