"""Challenges of passkeys: bound to their visitor, signed, for some minutes. The rest is tested with
a real browser (`tests/browser/test_people.py`)."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from parlour.kit import Illegal
from parlour.protocol.routes import Arrival
from parlour.server import passkeys as module
from parlour.server.keys import SigningKey
from parlour.server.passkeys import Passkeys
from parlour.store.memory import MemoryStore
from tests.server.test_people import me, with_account
from tests.support import OpenHouse

HERE = Arrival(scheme="https", host="cards.example:8443")


def code(passkeys: Passkeys, ticket: str, **credential: Any) -> str:
    with pytest.raises(Illegal) as refused:
        passkeys.owner(ticket, credential, HERE)
    return refused.value.code


async def test_a_challenge_is_ours_and_for_what_it_was_made() -> None:
    passkeys = Passkeys(MemoryStore(), SigningKey())
    other = Passkeys(MemoryStore(), SigningKey()).ask(HERE).ticket
    own = passkeys.begin("ada", "Ada", HERE).ticket
    assert msgspec.json.decode(passkeys.begin("ada", "Ada", HERE).options)["rp"]["id"] == (
        "cards.example"
    )
    for ticket in (other, own, "", "x.y.z"):
        with pytest.raises(Illegal):
            passkeys._challenge(ticket, "")
    for visitor in ("bob", ""):
        with pytest.raises(Illegal):
            passkeys._challenge(own, visitor)
    challenge = passkeys._challenge(own, "ada")
    passkeys._done(challenge)
    with pytest.raises(Illegal):
        passkeys._challenge(own, "ada")


async def test_a_challenge_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "VALID", -1)
    passkeys = Passkeys(MemoryStore(), SigningKey())
    with pytest.raises(Illegal):
        passkeys._challenge(passkeys.ask(HERE).ticket, "")


@pytest.mark.parametrize(
    "credential",
    [
        {},
        {"id": 1},
        {"id": "AA"},
        {"id": "AA", "rawId": "AA", "type": "public-key", "response": {}},
        {
            "id": "AA",
            "rawId": "AA",
            "type": "public-key",
            "response": {"clientDataJSON": "AA", "authenticatorData": "%", "signature": None},
        },
        {
            "id": "AA",
            "rawId": "AA",
            "type": "public-key",
            "response": {"clientDataJSON": "e30", "attestationObject": "oA"},
        },
    ],
)
async def test_bad_answers_are_refused(house: OpenHouse, credential: dict[str, Any]) -> None:
    ada, ada_id = await with_account(house, "Ada")
    house.server.people.passkeys._all.learn(
        "passkey:AA", msgspec.json.encode(module.Passkey(ada_id, b"key", 0, 0))
    )
    for begin, end in (("passkeys", "passkeys"), ("session", "session/passkey")):
        _, challenge = await ada.call("POST", f"/api/{begin}/challenge")
        answer = {"ticket": challenge["ticket"], "credential": credential}
        status, told = await ada.call("POST", f"/api/{end}", answer)
        assert (status, told["error"]["code"]) == (403, "wrong-passkey")


async def test_a_ticket_is_no_session(house: OpenHouse) -> None:
    ada, ada_id = await with_account(house, "Ada")
    _, challenge = await ada.call("POST", "/api/passkeys/challenge")
    stranger = await house.visitor()
    status, told = await stranger.call("GET", f"/api/me?token={challenge['ticket']}")
    assert status != 200 or told["id"] != ada_id


async def test_guests_and_others_have_none(house: OpenHouse) -> None:
    guest = await house.visitor()
    await me(guest)
    assert (await guest.call("POST", "/api/passkeys/challenge"))[0] == 409
    _, ada_id = await with_account(house, "Ada")
    bob, _ = await with_account(house, "Bob")
    passkeys = house.server.people.passkeys
    passkeys._all.learn("passkey:AA", msgspec.json.encode(module.Passkey(ada_id, b"key", 0, 0)))
    assert (await bob.call("DELETE", "/api/passkeys/AA"))[0] == 200
    assert list(passkeys.of(ada_id)) == ["AA"]
