"""Super Rummy: 2 to 4 players, melds and lays, a lobby inside the protocol."""

from parlour.games.rummy import moves, rules
from parlour.games.rummy.bot import EasyBot, NormalBot, RummyBot
from parlour.games.rummy.lesson import FIRST
from parlour.games.rummy.lobby import LOBBY
from parlour.games.rummy.picture import RummyPicture
from parlour.games.rummy.scene import scene, words
from parlour.games.rummy.settings import Settings
from parlour.games.rummy.wire import WIRE
from parlour.kit import Bots, Outcome
from parlour.protocol import Game
from parlour.table import Roster

BOTS = Bots(
    RummyBot,
    ("Pip", "Trey", "Bower", "Ruff", "Tierce", "Quint", "Marker", "Kitty"),
    weaker={"easy": EasyBot, "normal": NormalBot},
)


def _pool(roster: Roster[Settings], outcome: Outcome) -> str | None:
    """A round that somebody won by the usual rules counts for the one pool of ratings there is."""
    return "rummy" if outcome.winners and roster.settings == Settings() else None


GAME: Game[Settings, moves.Action, moves.Event, RummyPicture] = Game(
    id="rummy",
    name="Super Rummy",
    blurb="Gather sets and runs, lay them down, and be rid of your cards first.",
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
    pool=_pool,
)
