"""Cambia: 2 to 8 players, four cards each, of which they have seen two."""

from pathlib import Path

from parlour.games.cambia import rules
from parlour.games.cambia.actions import ACTIONS, Action
from parlour.games.cambia.bot import CambiaBot, EasyBot, NormalBot
from parlour.games.cambia.events import Event, view
from parlour.games.cambia.lesson import FIRST
from parlour.games.cambia.lobby import LOBBY, pool
from parlour.games.cambia.picture import CambiaPicture
from parlour.games.cambia.routes import ROUTES
from parlour.games.cambia.scene import scene, words
from parlour.games.cambia.settings import Settings
from parlour.games.cambia.wire import WIRES
from parlour.kit import Bots
from parlour.protocol import Game, Preset

GAME: Game[Settings, Action, Event, CambiaPicture] = Game(
    id="cambia",
    name="Cambia",
    blurb="Four cards, two of them seen. Remember, swap, snap, and call when yours count least.",
    summary="Ace 1, jack 11, queen 12, black king 13, red king -1, joker 0. Discarded when drawn: "
    "7 and 8 look at a card of yours, 9 and 10 at somebody else's, jack and queen swap two blind, "
    "a king looks at two and may swap them.",
    min_seats=2,
    max_seats=8,
    settings=Settings,
    actions=ACTIONS,
    deal=rules.deal,
    view=view,
    wires=WIRES,
    picture=CambiaPicture,
    scene=scene,
    words=words,
    lessons=(FIRST,),
    bots=Bots(
        CambiaBot,
        ("Alma", "Bruno", "Imani", "Kaito", "Linnea", "Marek", "Noor", "Rafa", "Tove", "Wren"),
        weaker={"easy": EasyBot, "normal": NormalBot},
    ),
    lobby=LOBBY,
    assets=str(Path(__file__).parent / "page"),
    routes=ROUTES,
    pool=pool,
    presets=(
        Preset(
            "Relaxed",
            "No clock, and the cards you have seen stay in sight.",
            {"houseRules": {"turnTimerSec": 0, "remindKnown": True}},
        ),
        Preset("Brisk", "30 seconds for each turn.", {"houseRules": {"turnTimerSec": 30}}),
        Preset("By the book", "15 seconds for each turn, as strangers play it.", {}),
    ),
)
