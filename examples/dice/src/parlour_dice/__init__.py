"""Liar's Dice for Parlour. The house finds it by the entry point in `pyproject.toml`."""

from pathlib import Path

from parlour.kit import Bots
from parlour.protocol import Game, plain_wire
from parlour.table import Lobby
from parlour_dice.bot import BelievingBot, DiceBot
from parlour_dice.lesson import FIRST
from parlour_dice.picture import DicePicture, scene, words
from parlour_dice.rules import ACTIONS, EVENTS, Action, Event, deal, view
from parlour_dice.settings import Settings

GAME: Game[Settings, Action, Event, DicePicture] = Game(
    id="dice",
    name="Liar's Dice",
    blurb="Bid on dice that nobody sees whole, and catch the others lying.",
    min_seats=2,
    max_seats=6,
    settings=Settings,
    actions=ACTIONS,
    deal=deal,
    view=view,
    picture=DicePicture,
    scene=scene,
    words=words,
    lessons=(FIRST,),
    lobby=Lobby(),
    wires=(plain_wire("dice", ACTIONS, EVENTS),),
    bots=Bots(
        DiceBot,
        ("Davy", "Alea", "Fortuna", "Bluff", "Pip", "Ruse"),
        weaker={"easy": BelievingBot},
    ),
    assets=str(Path(__file__).parent / "assets"),
)
