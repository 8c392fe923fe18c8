"""Hearts for Parlour. The house finds it by the entry point in `pyproject.toml`."""

from pathlib import Path

from parlour.kit import Bots, Outcome
from parlour.protocol import Game, Preset, plain_wire
from parlour.table import Lobby, Roster
from parlour_hearts.bot import CarelessBot, HeartsBot
from parlour_hearts.lesson import FIRST
from parlour_hearts.picture import HeartsPicture, scene, words
from parlour_hearts.rules import ACTIONS, EVENTS, Action, Event, deal, view
from parlour_hearts.settings import Settings


def pool(roster: Roster[Settings], outcome: Outcome) -> str | None:
    """A whole game by the usual rules counts for ratings."""
    return "hearts" if outcome.winners and roster.settings == Settings() else None


GAME: Game[Settings, Action, Event, HeartsPicture] = Game(
    id="hearts",
    name="Hearts",
    blurb="Follow suit, and take no hearts; above all, not the queen of spades.",
    min_seats=3,
    max_seats=5,
    settings=Settings,
    actions=ACTIONS,
    deal=deal,
    view=view,
    picture=HeartsPicture,
    scene=scene,
    words=words,
    lessons=(FIRST,),
    lobby=Lobby(),
    wires=(plain_wire("hearts", ACTIONS, EVENTS),),
    bots=Bots(
        HeartsBot,
        ("Pik", "Dame", "Coeur", "Luna", "Valentin"),
        weaker={"easy": CarelessBot},
    ),
    pool=pool,
    presets=(
        Preset("By the book", "Until somebody has 100 points.", {}),
        Preset("Brisk", "One deal.", {"points": 0}),
    ),
    assets=str(Path(__file__).parent / "assets"),
)
