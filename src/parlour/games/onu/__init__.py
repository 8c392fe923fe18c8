"""ONU: 2 to 7 players shed cards by colour, number and effect, over a relay of AI characters."""

from pathlib import Path

from parlour.games.onu import moves, rules
from parlour.games.onu.bot import EasyBot, OnuBot
from parlour.games.onu.document_bot import DocumentBot
from parlour.games.onu.lesson import FIRST
from parlour.games.onu.lobby import LOBBY
from parlour.games.onu.picture import Picture
from parlour.games.onu.scene import scene, words
from parlour.games.onu.settings import Settings
from parlour.games.onu.wire import WIRE
from parlour.kit import Bots
from parlour.protocol import Game, Preset

BOTS = Bots(
    OnuBot,
    ("Azure", "Scarlet", "Amber", "Olive", "Rubric", "Cobalt", "Saffron", "Jade"),
    weaker={"easy": EasyBot, "normal": DocumentBot},
)

GAME: Game[Settings, moves.Action, moves.Event, Picture] = Game(
    id="onu",
    name="ONU",
    blurb="Match colours, numbers and effects, with AI characters, bots and people at one table.",
    min_seats=2,
    max_seats=7,
    settings=Settings,
    actions=moves.ACTIONS,
    deal=rules.deal,
    view=moves.view,
    picture=Picture,
    scene=scene,
    words=words,
    lessons=(FIRST,),
    lobby=LOBBY,
    assets=str(Path(__file__).parent / "page"),
    wires=(WIRE,),
    bots=BOTS,
    presets=(
        Preset(
            "Relaxed",
            "Three minutes for each turn, and short pauses between them.",
            {"turnTimeout": 180, "pace": 0.25},
        ),
        Preset(
            "Brisk",
            "20 seconds for each turn, and at most three cards drawn in it.",
            {"turnTimeout": 20, "maxDraws": 3, "pace": 0.25},
        ),
        Preset("By the book", "One minute for each turn, and pauses for AI characters.", {}),
    ),
)
