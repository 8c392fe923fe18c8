"""Crazy Eights for Parlour. The house finds it by the entry point in `pyproject.toml`."""

from pathlib import Path

from parlour.kit import Bots
from parlour.protocol import Game, plain_wire
from parlour.table import Lobby
from parlour_eights.bot import EightsBot
from parlour_eights.lesson import FIRST
from parlour_eights.picture import EightsPicture, scene, words
from parlour_eights.rules import ACTIONS, EVENTS, Action, Event, deal, view
from parlour_eights.settings import Settings

GAME: Game[Settings, Action, Event, EightsPicture] = Game(
    id="eights",
    name="Crazy Eights",
    blurb="Match the rank or the suit; eights are wild. First to be rid of all cards wins.",
    min_seats=2,
    max_seats=5,
    settings=Settings,
    actions=ACTIONS,
    deal=deal,
    view=view,
    picture=EightsPicture,
    scene=scene,
    words=words,
    lessons=(FIRST,),
    lobby=Lobby(),
    wires=(plain_wire("eights", ACTIONS, EVENTS),),
    bots=Bots(EightsBot, ("Octavia", "Otto", "Huit", "Acht", "Ocho")),
    assets=str(Path(__file__).parent / "assets"),
)
