"""Quips: a judge, a black card with a gap in it, and everybody else's white cards."""

from pathlib import Path

from parlour.games.quips import actions, events, rules
from parlour.games.quips.bot import BOTS
from parlour.games.quips.lesson import FIRST
from parlour.games.quips.lobby import LOBBY
from parlour.games.quips.picture import Picture
from parlour.games.quips.routes import ROUTES
from parlour.games.quips.scene import scene, words
from parlour.games.quips.settings import Settings
from parlour.games.quips.wire import WIRES
from parlour.protocol import Game, Preset

GAME: Game[Settings, actions.Action, events.Event, Picture] = Game(
    id="quips",
    name="Quips",
    blurb="Fill the gap, make the judge laugh. Everybody plays at once; come and go as you like.",
    min_seats=3,
    max_seats=20,
    settings=Settings,
    actions=actions.ACTIONS,
    deal=rules.deal,
    view=events.view,
    picture=Picture,
    scene=scene,
    words=words,
    lessons=(FIRST,),
    lobby=LOBBY,
    assets=str(Path(__file__).parent / "page"),
    # In this order: the first wire whose door recognises its clients is used.
    wires=WIRES,
    bots=BOTS,
    routes=ROUTES,
    presets=(
        Preset(
            "Relaxed",
            "Five minutes to think. Bots judge, too.",
            {"afk_time_seconds": 300, "idle_kick_time_seconds": 900, "bot_czars": True},
        ),
        Preset(
            "Brisk",
            "45 seconds to think, and five points win. Bots judge, too.",
            {"afk_time_seconds": 45, "max_points": 5, "max_rounds": 10, "bot_czars": True},
        ),
        Preset("By the book", "90 seconds to think, and eight points win. People judge.", {}),
    ),
)
