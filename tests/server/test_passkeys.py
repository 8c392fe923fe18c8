"""Challenges of passkeys: bound to their visitor, signed, for some minutes. The rest is tested with
a real browser (`tests/browser/test_people.py`)."""

from __future__ import annotations

from base64 import urlsafe_b64encode
from hashlib import sha256
from typing import Any

import cbor2
import msgspec
import pytest

from parlour.kit import Illegal
from parlour.protocol.routes import Arrival
from parlour.server import ceremonies
from parlour.server import passkeys as module
from parlour.server.keys import SigningKey
from parlour.server.passkeys import Passkeys
from parlour.store.memory import MemoryStore
from tests.server.test_people import me, with_account
from tests.support import OpenHouse

HERE = Arrival(scheme="https", host="cards.example:8443")


def coded(data: bytes) -> str:
    return urlsafe_b64encode(data).decode().rstrip("=")


async def code(passkeys: Passkeys, ticket: str, **credential: Any) -> str:
    with pytest.raises(Illegal) as refused:
        await passkeys.owner(ticket, credential, HERE)
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
    assert len(passkeys._challenge(own, "ada")[0]) == 32


async def test_a_challenge_is_answered_once_at_all_nodes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("parlour.server.ceremonies.shown", lambda *answer: 1)
    store, key = MemoryStore(), SigningKey()
    here, there = Passkeys(store, key), Passkeys(store, key)
    await store.claim({"passkey:AA": msgspec.json.encode(module.Passkey("ada", b"key", 0, 0))})
    older, ticket = here.ask(HERE).ticket, here.ask(HERE).ticket
    assert await here.owner(ticket, {"id": "AA"}, HERE) == "ada"
    for node in (here, there):
        for again in (ticket, older):
            assert await code(node, again, id="AA") == "wrong-passkey"
    assert await there.owner(there.ask(HERE).ticket, {"id": "AA"}, HERE) == "ada"


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


def test_a_key_that_is_none_is_refused() -> None:
    challenge = b"c" * 32
    client = {
        "type": "webauthn.create",
        "challenge": coded(challenge),
        "origin": "https://cards.example:8443",
    }
    # In place of a map with a public key: a text, with which the package raised an IndexError.
    made = bytes([0x45, *bytes(4), *bytes(16), 0, 2]) + b"AA" + cbor2.dumps("x")
    attested = {
        "fmt": "none",
        "attStmt": {},
        "authData": sha256(b"cards.example").digest() + made,
    }
    answer = {
        "id": "AA",
        "rawId": "AA",
        "type": "public-key",
        "response": {
            "clientDataJSON": coded(msgspec.json.encode(client)),
            "attestationObject": coded(cbor2.dumps(attested)),
        },
    }
    assert ceremonies.made(HERE, answer, challenge) is None


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
