"""Tests of wires: messages, greetings, golden files, and bad bytes."""

from __future__ import annotations

from random import Random
from typing import ClassVar

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from parlour.battery import golden
from parlour.battery.checks import EFFORT, check, nights
from parlour.battery.night import Letters, Night
from parlour.battery.play import play_on, random_night
from parlour.battery.state import fingerprint
from parlour.battery.trial import Client, Trial
from parlour.kit import Picture, Seat
from parlour.protocol import BadMessage, Manner, Wire
from parlour.table.events import Happened

# Several classes inherit one test, which hypothesis calls differing executors.
bytes_tried = settings(
    max_examples=300 * EFFORT,
    deadline=None,
    suppress_health_check=[
        HealthCheck.too_slow,
        HealthCheck.data_too_large,
        HealthCheck.differing_executors,
    ],
)

json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner),
    max_leaves=10,
)


class WiresSuite:
    """The tests that look at what goes over the wires."""

    trial: ClassVar[Trial]

    @nights(15, "wires")
    def test_everybody_is_told_what_they_would_be_told_alone(self, rnd: Random) -> None:
        """An event is encoded once for all who may see the same; that may change no byte."""
        night = random_night(self.trial, rnd, 0)

        def hold_against(entry: object, happened: Happened, letters: Letters) -> None:
            told: dict[int, list[bytes]] = {}
            for connections, data in letters:
                for connection in connections:
                    told.setdefault(connection, []).append(data)
            assert told == _told_one_by_one(night, happened)

        night.witnesses.append(hold_against)
        play_on(night, rnd, 80)

    @nights(20, "wires")
    def test_a_newcomer_is_greeted_with_what_was_told(self, rnd: Random) -> None:
        """At every step: a picture folded event by event, and a client that got every message, know
        the same as a newcomer."""
        night = random_night(self.trial, rnd, 0)
        pictures: dict[Seat | None, Picture] = {
            seat: night.table.picture(night.player(seat)) for seat in night.viewers()
        }

        def see(entry: object, happened: Happened, letters: Letters) -> None:
            for seat, picture in pictures.items():
                for event in night.viewed(happened, seat):
                    picture.see(event)

        night.witnesses.append(see)
        clients = _Clients(night)
        for _ in range(150):
            # One viewer at each step: all of them every time takes too long.
            seat = rnd.choice(night.viewers())
            clients.hold_against_newcomer(seat)
            fresh = night.table.picture(night.player(seat))
            picture = pictures.setdefault(seat, fresh)
            assert fingerprint(picture) == fingerprint(fresh), f"seat {seat}"
            assert night.greetings(seat, picture) == night.greetings(seat), f"seat {seat}"
            play_on(night, rnd, 1)
            if not night.running:
                return

    @check("golden-files")
    def test_golden_files_are_what_the_code_makes_of_them(self) -> None:
        files = golden.wanted(self.trial)
        if not files:
            pytest.skip("the trial names no folder for them")
        for file, make in files.items():
            text = file.read_text() if file.exists() else ""
            assert text == make(), f"{file.name}: if this is meant, record it anew, and read it"

    @bytes_tried
    @given(data=st.binary(max_size=200))
    @check("wires")
    def test_random_bytes_are_cleanly_refused(self, data: bytes) -> None:
        self._decode_everywhere(data)

    @bytes_tried
    @given(data=st.data())
    @check("wires")
    def test_near_messages_are_taken_or_cleanly_refused(self, data: st.DataObject) -> None:
        for wire in self.trial.game.wires:
            kinds = _messages(wire.codec.incoming)
            kind = data.draw(st.sampled_from(kinds))
            message: dict[str, object] = {}
            if kind.tag_field is not None:
                message[kind.tag_field] = kind.tag
            for field in kind.fields:
                if data.draw(st.booleans()):
                    message[field.encode_name] = data.draw(
                        st.text(max_size=12) | st.integers(-3, 9) | json_values
                    )
            self._decode_everywhere(msgspec.json.encode(message))

    def _decode_everywhere(self, data: bytes) -> None:
        for wire in self.trial.game.wires:
            try:
                wire.decode(data)
            except BadMessage as bad:
                assert bad.code
                assert bad.sentence


def _messages(union: object) -> list[msgspec.inspect.StructType]:
    """The message types of a union, or of one type alone."""
    infos = msgspec.inspect.multi_type_info(getattr(union, "__args__", (union,)))
    return [info for info in infos if isinstance(info, msgspec.inspect.StructType)]


def _told_one_by_one(night: Night, happened: Happened) -> dict[int, list[bytes]]:
    """The messages of each connection if it were the only one."""
    table, roster = night.table, night.table.roster
    told: dict[int, list[bytes]] = {}
    for event in happened:
        for attachment in night.audience.attachments:
            player = night.audience.player(attachment)
            viewed = table.view(event, player)
            if viewed is None:
                continue
            codec = attachment.wire.codec
            if codec.manner(event) is Manner.SNAPSHOT:
                data = codec.snapshot(event, table.picture(player), roster, player, night.now)
            else:
                data = codec.encode(viewed, roster, player)
            if data:
                told.setdefault(attachment.connection, []).extend(data)
    for attachment in night.audience.attachments:
        codec, player = attachment.wire.codec, night.audience.player(attachment)
        followed = [event for event in happened if codec.manner(event).followed]
        if any(table.view(event, player) is not None for event in followed):
            data = codec.snapshot(None, table.picture(player), roster, player, night.now)
            told.setdefault(attachment.connection, []).extend(data)
    return told


class _Clients:
    """Strict clients, on every connection for which the trial has one."""

    def __init__(self, night: Night) -> None:
        self._night = night
        self._clients: dict[int, Client] = {}
        self._heard: dict[int, int] = {}

    def hold_against_newcomer(self, seat: Seat | None) -> None:
        """Compare what a seat's connections know with what a new one is greeted with."""
        night = self._night
        player = night.player(seat)
        place = None if player is None else player.place
        for attachment in night.audience.attachments:
            newcomer = night.trial.client(attachment.wire)
            if attachment.place != place or newcomer is None:
                continue
            for _, data in night.audience.greet(attachment):
                assert isinstance(data, bytes)
                newcomer.hear(data)
            listener = self._listener(attachment.connection, attachment.wire)
            assert listener.summary() == newcomer.summary(), f"connection {attachment.connection}"

    def _listener(self, number: int, wire: Wire) -> Client:
        """The client that has been there from the start, with all messages so far."""
        night = self._night
        messages = [*night.greeted[number], *night.told.get(number, [])]
        client = self._clients.get(number) or night.trial.client(wire)
        assert client is not None
        self._clients[number] = client
        for message in messages[self._heard.get(number, 0) :]:
            client.hear(message)
        self._heard[number] = len(messages)
        return client
