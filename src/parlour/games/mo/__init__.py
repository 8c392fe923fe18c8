"""MO: a solitaire on a grid of piles, with exact undo, hints and a solver."""

from pathlib import Path

from parlour.games.mo import rules
from parlour.games.mo.picture import MoPicture
from parlour.games.mo.scene import scene, words
from parlour.games.mo.settings import Settings
from parlour.games.mo.wire import WIRE
from parlour.protocol import Game
from parlour.table import SOLO

GAME: Game[Settings, rules.Action, rules.Event, MoPicture] = Game(
    id="mo",
    name="MO",
    blurb="A solitaire on a grid: line up your numbers and bring down twelve royals.",
    summary="A card played to the far end of a lane attacks the royal at the other end with the "
    "two cards between: they must reach what it counts, and match a queen's colour, a king's suit. "
    "A number that fits nowhere inside arms a royal.",
    min_seats=1,
    max_seats=1,
    settings=Settings,
    actions=rules.ACTIONS,
    deal=rules.deal,
    view=rules.view,
    wires=(WIRE,),
    picture=MoPicture,
    scene=scene,
    words=words,
    lobby=SOLO,
    assets=str(Path(__file__).parent / "page"),
)
