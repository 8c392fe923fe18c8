"""What users of a relay were told of a table of ONU, held against its record.

They are told states and not events, and only while a host attends the table for them. So what a
user heard must be states that there were, in the order in which they were, and no card that was
played is shown twice.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final

import msgspec

from parlour.games.onu import messages as say
from parlour.games.onu import wire
from tests.cluster.players.person import History
from tests.cluster.telling import Fault, Telling, Verdict, Viewer
from tests.onu.mirror import Mirror

_STATES: Final = (say.START, say.TURN)
_decode: Final = msgspec.json.Decoder(wire.Outgoing).decode
HOST: Final = "onu-host"


def judge_relayed(history: History, tellings: Mapping[Viewer, Telling]) -> Verdict:
    """As the player whom it fits best."""
    public = tellings["onu", None]
    found = [
        _judge(history, [public, telling])
        for (_, place), telling in tellings.items()
        if place is not None
    ]
    return max(
        found, key=lambda each: (each.fault is None, 0 if each.fault is None else each.fault.at)
    )


def _judge(history: History, shown: list[Telling]) -> Verdict:
    there_was = [each for telling in shown for each in states(telling)]
    cards = list(played(shown[0]))
    version = last_played = 0
    for number, message in enumerate(_said(history)):
        name, content = message["payload"]["name"], message["payload"]["content"]
        if name in _STATES:
            found = min(
                (v for v, state in there_was if v >= version and state == content),
                default=None,
            )
            if found is None:
                what = "shown a state that there was not then"
                return Verdict(Fault(history.person, what, number, content.encode()))
            version = found
        elif name == say.PLAY_ANIM:
            found = min(
                (v for v, card in cards if v > last_played and card == content), default=None
            )
            if found is None:
                what = "shown a card that was not played then, or again"
                return Verdict(Fault(history.person, what, number, content.encode()))
            last_played = found
    return Verdict(None)


def _said(history: History) -> Iterator[dict[str, Any]]:
    """What the host said to this user."""
    user = history.person.lower().replace(" ", "-")
    for data in history.frames:
        message = json.loads(data)
        if message["from"] == HOST and (user in message["to"] or "all" in message["to"]):
            yield message


def states(telling: Telling) -> Iterator[tuple[int, str]]:
    """Every state there was for this viewer, with the version it came with."""
    mirror, told = Mirror(), iter(telling.told)
    at = 0
    for version, end in enumerate(telling.ends):
        for _ in range(at, end):
            mirror.hear(_decode(next(told)))
            if mirror.users:
                yield version, say.dump(mirror.state(HOST))
        at = end


def played(telling: Telling) -> Iterator[tuple[int, str]]:
    users: list[str] = []
    at = 0
    for version, end in enumerate(telling.ends):
        for data in telling.told[at:end]:
            message = _decode(data)
            if isinstance(message, wire.StateEvent):
                users = [player.user for player in message.players]
            elif isinstance(message, wire.PlayedEvent):
                card = say.Card(message.card.Color, message.card.Number, message.card.Effect)
                yield version, say.dump(say.PlayAnim(users[message.seat], card))
        at = end
