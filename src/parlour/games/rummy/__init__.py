"""Super Rummy: 2 to 4 players, melds and lays, a lobby inside the protocol."""

from parlour.games.rummy import rules
from parlour.games.rummy.bot import RummyBot
from parlour.games.rummy.picture import RummyPicture
from parlour.games.rummy.settings import Settings, in_force
from parlour.games.rummy.wire import RummyWire
from parlour.kit import Bots
from parlour.table import Game

BOTS = Bots(RummyBot, ("Pip", "Trey", "Bower", "Ruff", "Tierce", "Quint", "Marker", "Kitty"))

GAME = Game(
    id="rummy",
    name="Super Rummy",
    blurb="Gather sets and runs, lay them down, and be rid of your cards first.",
    min_seats=2,
    max_seats=4,
    settings=Settings,
    told=in_force,
    actions=rules.ACTIONS,
    deal=rules.deal,
    view=rules.view,
    wires=(RummyWire(),),
    picture=RummyPicture,
    bots=BOTS,
)
