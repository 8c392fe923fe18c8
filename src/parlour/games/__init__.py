"""The games of the house: adding one is adding its folder, and its line here."""

from importlib import import_module

from parlour.table import Game

FOLDERS = ("rummy", "cambia", "mo")


def games() -> tuple[Game, ...]:
    """All of them, in the order the hall shows them."""
    return tuple(import_module(f"parlour.games.{name}").GAME for name in FOLDERS)
