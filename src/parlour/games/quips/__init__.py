"""Quips: a judge, a black card with a gap in it, and everybody else's white cards."""

from collections.abc import Mapping
from functools import cache
from typing import Any

from parlour.games.quips import actions, events, rules
from parlour.games.quips.bot import BOTS
from parlour.games.quips.deck import read_once
from parlour.games.quips.decks import ours
from parlour.games.quips.lobby import QuipsLobby
from parlour.games.quips.packs import BadPack, dump, read
from parlour.games.quips.picture import Picture
from parlour.games.quips.routes import ROUTES
from parlour.games.quips.settings import Settings
from parlour.games.quips.wire import OlderQuipsWire, QuipsWire
from parlour.kit import Illegal
from parlour.table import Game

_MOST_REASONS = 5


@cache
def _ours() -> Mapping[str, bytes]:
    return ours()


def _content(settings: Any) -> Mapping[str, bytes]:
    """All packs of ours: which of them are used is the settings' to say, and can change."""
    return _ours()


def _read(data: bytes, there: Mapping[str, bytes]) -> bytes:
    """A pack that somebody brings, as it is kept."""
    try:
        pack = read(data)
        if any(read_once(other).id == pack.id for other in there.values()):
            raise BadPack([f"There is a pack with the id {pack.id} already; give it another."])
        return dump(pack)
    except BadPack as wrong:
        more = len(wrong.reasons) - _MOST_REASONS
        reasons = wrong.reasons[:_MOST_REASONS] + ([f"And {more} more."] if more > 0 else [])
        raise Illegal("bad-content", " ".join(reasons)) from None


GAME = Game(
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
    lobby=QuipsLobby(),
    # The older generation first: it is told by what it does not say.
    wires=(OlderQuipsWire(), QuipsWire()),
    bots=BOTS,
    routes=ROUTES,
    content=_content,
    read_content=_read,
)
