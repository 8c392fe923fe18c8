"""Super Rummy: 2 to 4 players, melds and lays, a lobby inside the protocol."""

from pathlib import Path

from parlour.games.rummy import moves, rules
from parlour.games.rummy.bot import EasyBot, NormalBot, RummyBot
from parlour.games.rummy.lesson import FIRST
from parlour.games.rummy.lobby import LOBBY
from parlour.games.rummy.picture import RummyPicture
from parlour.games.rummy.scene import scene, words
from parlour.games.rummy.settings import Settings
from parlour.games.rummy.wire import WIRE
from parlour.kit import Bots
from parlour.protocol import Game, Preset

BOTS = Bots(
    RummyBot,
    ("Pip", "Trey", "Bower", "Ruff", "Tierce", "Quint", "Marker", "Kitty"),
    weaker={"easy": EasyBot, "normal": NormalBot},
)

GAME: Game[Settings, moves.Action, moves.Event, RummyPicture] = Game(
    id="rummy",
    name="Super Rummy",
    blurb="Gather sets and runs, lay them down, and be rid of your cards first.",
    summary="A set is cards of one rank, a run consecutive cards of one suit; the ace is low. The "
    "winner scores what the others still hold, twice if all went down in one turn.",
    min_seats=2,
    max_seats=4,
    settings=Settings,
    actions=moves.ACTIONS,
    deal=rules.deal,
    view=moves.view,
    wires=(WIRE,),
    picture=RummyPicture,
    scene=scene,
    words=words,
    lessons=(FIRST,),
    bots=BOTS,
    lobby=LOBBY,
    assets=str(Path(__file__).parent / "page"),
    presets=(
        Preset(
            "Relaxed",
            "With jokers. You see the top card before you draw, and losers lay off what fits.",
            {"enable_jokers": True, "allow_draw_choice": True, "lay_at_end": True},
        ),
        Preset("Brisk", "Seven cards each, and jokers.", {"enable_jokers": True, "hand_size": 7}),
        Preset("By the book", "Ten cards each for two, seven for more, without jokers.", {}),
    ),
)
