"""What goes to whom: the same view is encoded once, and never sent to anybody else."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from parlour.house.audience import Attachment, Audience
from parlour.kit import Seat
from parlour.table import Table
from parlour.table import inputs as do
from tests import highcard


def fresh_view(event: highcard.Event, seat: Seat | None) -> highcard.Event:
    """What the usual view shows, but as an object nobody else has."""
    return replace(highcard.view(event, seat))


def told(view: Any) -> dict[int, list[bytes]]:
    """What each of six connections hears of a deal: four players', a spectator's, a twin's."""
    opening = do.Open(id="t", code="1", game="high", seed="5e" * 32, settings={})
    table = Table(replace(highcard.GAME, view=view), opening, 0)
    wire = highcard.HighWire()
    audience = Audience(table, lambda: 0)
    for place in range(4):
        table.receive(do.Join(f"v{place}", "Ada"), 0)
        audience.attach(Attachment(place, wire, f"v{place}", place))
    audience.attach(Attachment(4, wire, "v4", None))
    audience.attach(Attachment(5, wire, "v0", 0))
    heard: dict[int, list[bytes]] = {line: [] for line in range(6)}
    for lines, data in audience.tell(table.receive(do.Start(0), 0)):
        for line in lines:
            heard[line].append(data)
    return heard


def test_a_view_made_for_one_reaches_nobody_else() -> None:
    assert told(fresh_view) == told(highcard.view)


def test_everybody_hears_their_own_cards_and_no_others() -> None:
    heard = told(highcard.view)
    for line, seat in ((0, 0), (1, 1), (2, 2), (3, 3), (4, None), (5, 0)):
        hidden = [b"[-1,-1,-1]" in data for data in heard[line] if b"dealt" in data]
        assert hidden == [at != seat for at in range(4)]


def test_what_looks_the_same_is_encoded_once() -> None:
    heard = told(highcard.view)
    first_hand = [heard[line][0] for line in range(6)]
    assert len({id(data) for data in first_hand}) == 2
