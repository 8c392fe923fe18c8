"""Deals that players have a part in, and logs in which every change is found (docs/fairness.md)."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from parlour.games import installed_games
from parlour.house.exported import Exported
from parlour.house.live import LiveTable
from parlour.house.verified import Verdict, published, verdict
from parlour.kit import Illegal
from parlour.protocol import At, Own, Seek
from parlour.rng import commitment
from parlour.table import chain, chooses_deal
from parlour.table import inputs as do
from tests import highcard
from tests.server.hall import Hall

ROOT = Path(__file__).parents[2]
GAME = highcard.STANDING
ADA, BO, CY = 1, 2, 3
NONCES = {ADA: "ad" * 32, BO: "b0" * 32, CY: "c0" * 32}


class Evening:
    """Ada and Bo ask for what a deal is made of; Cy does not."""

    live: LiveTable

    def __init__(self, hall: Hall | None = None) -> None:
        self.hall = hall or Hall(GAME)

    async def come(self) -> None:
        for connection in (ADA, BO, CY):
            where = Own() if connection == ADA else At(self.live.roster.code)
            self.live = await self.hall.join(
                connection,
                Seek(where=where, resumable=True),
                name=f"Guest {connection}",
                address="192.0.2.1",
                extras=None if connection == CY else "deals",
            )

    def told(self, connection: int, kind: str) -> list[Any]:
        letters = (data for to, data in self.hall.bus.told if connection in to)
        messages = [json.loads(data) for data in letters if isinstance(data, bytes)]
        return [message for message in messages if message.get("type") == f"extras_{kind}"]

    def give(self, *connections: int) -> None:
        """These players answer the last commitment that was told."""
        promise = self.told(ADA, "commitment")[-1]["commitment"]
        for connection in connections:
            nonce = do.Nonce(do.ME, NONCES[connection], promise)
            self.hall.house.submit(connection, nonce)

    def play(self) -> None:
        self.live.receive(do.Say(0, "Good evening"))
        self.live.receive(do.Start(do.HOUSE))
        self.play_on()

    def play_on(self) -> None:
        table = self.live.table
        while table.roster.running and table.match is not None:
            players = list(enumerate(table.roster.seating))
            seat, player = next(each for each in players if table.match.legal(each[0]))
            self.live.receive(do.Act(player.place, table.match.legal(seat)[0]))

    def published(self, number: int = 1) -> list[bytes]:
        return published(GAME, self.hall.store.reader(self.live.roster.id), number)

    def verdict(self, number: int = 1) -> Verdict:
        try:
            return verdict(Exported("it", self.published(number), [GAME]))
        except Illegal as no:
            return Verdict(False, f"No: {no.sentence}")


@pytest.fixture
async def evening() -> Evening:
    evening = Evening()
    await evening.come()
    return evening


async def test_a_seed_follows_from_a_committed_secret_and_players_numbers(
    evening: Evening,
) -> None:
    evening.give(ADA, BO)
    promise = evening.told(ADA, "commitment")[-1]
    evening.play()
    header = Exported("it", evening.published(), [GAME]).header
    match = f"{evening.live.roster.id}-1"
    text = f"parlour deal 1\n{header.secrets[0]}\n0 {NONCES[ADA]}\n1 {NONCES[BO]}"
    assert header.seed == sha256(text.encode()).hexdigest()
    assert promise["commitment"] == commitment(bytes.fromhex(header.secrets[0]))
    assert (promise["match"], header.id) == (match, match)
    fair, sentence = evening.verdict()
    assert fair, sentence
    assert sentence.startswith("Yes: ")
    assert "Guest 1 and Guest 2" in sentence
    assert evening.told(ADA, "head") == [
        {"type": "extras_head", "match": match, "head": header.head}
    ]
    # A client that does not ask sees nothing new.
    assert evening.told(CY, "commitment") == evening.told(CY, "head") == []


async def test_every_match_has_its_own_secret_and_its_own_numbers(evening: Evening) -> None:
    evening.give(ADA)
    evening.play()
    first = Exported("it", evening.published(), [GAME]).header
    evening.give(BO)
    evening.play()
    file = Exported("it", evening.published(2), [GAME])
    header = file.header
    assert [each["match"][-2:] for each in evening.told(ADA, "commitment")] == ["-1", "-2", "-3"]
    assert header.commitments[:2] == first.commitments
    assert [each.place for each in header.nonces] == [1]
    assert len({*header.secrets, *header.seeds}) == 4
    assert verdict(file).fair
    assert verdict(file).sentence.count("Guest 2") == 1
    assert verdict(file).sentence.count("Guest 1") == 0


async def test_a_number_counts_once_and_only_for_what_it_answers(evening: Evening) -> None:
    old = evening.told(ADA, "commitment")[-1]["commitment"]
    evening.give(ADA)
    evening.hall.house.submit(ADA, do.Nonce(do.ME, "ff" * 32, old))
    evening.play()
    # After the deal, an answer to the first commitment says nothing about the next match.
    evening.hall.house.submit(BO, do.Nonce(do.ME, NONCES[BO], old))
    evening.play()
    assert evening.live.table.nonces == [{0: NONCES[ADA]}, {}]
    _, sentence = evening.verdict(2)
    assert "no player supplied a number" in sentence


async def test_the_number_of_somebody_who_left_before_the_deal_is_not_in_it(
    evening: Evening,
) -> None:
    evening.give(ADA, BO)
    evening.live.receive(do.Leave(1))
    evening.play()
    assert evening.live.table.nonces == [{0: NONCES[ADA]}]
    assert evening.verdict().fair


async def test_a_watcher_has_no_part_in_a_deal(evening: Evening) -> None:
    await evening.hall.join(4, Seek(where=At(evening.live.roster.code), watch=True), extras="deals")
    evening.hall.bus.told.clear()
    promise = evening.live.table.promise(1)
    evening.hall.house.submit(4, do.Nonce(do.ME, "04" * 32, promise))
    evening.play()
    assert evening.live.table.nonces == [{}]


async def test_a_restart_between_commitment_and_deal_changes_nothing(evening: Evening) -> None:
    evening.give(ADA, BO)
    promise = evening.live.table.promise(1)
    after = Evening(Hall(GAME, evening.hall.copied()))
    await after.hall.house.adopt(await after.hall.store.live_tables())
    found = after.hall.house.index.find(evening.live.roster.id)
    assert found is not None
    after.live = found
    assert after.live.table.promise(1) == promise
    for place in range(3):
        after.live.receive(do.Back(place))
    after.play()
    assert after.live.table.nonces == [{0: NONCES[ADA], 1: NONCES[BO]}]
    assert after.verdict().fair


async def test_a_long_match_is_sealed_in_between(
    evening: Evening, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("parlour.house.live.SEAL_AFTER", 3)
    evening.play()
    lines = evening.published()
    assert sum(b'"do":"Seal"' in line for line in lines) > 3
    assert evening.verdict().fair
    assert len(evening.told(ADA, "head")) == 1
    # A seal that is missing is named, too.
    [first, *_] = [at for at, line in enumerate(lines) if b'"do":"Seal"' in line]
    no = verdict(Exported("it", lines[:first] + lines[first + 1 :], [GAME]))
    assert no == (False, f"No: entry {first - 1} is missing or changed: a seal of the log.")


async def test_a_log_is_checked_as_it_is_stored(evening: Evening) -> None:
    """Somebody who can write the data file can't change an entry unnoticed."""
    evening.play()
    entries = evening.hall.store._entries[evening.live.roster.id]
    at = next(i for i, entry in enumerate(entries) if b'"Act"' in entry.data)
    changed = entries[at].data.replace(b'["Lay",', b'["Lay",1')
    entries[at] = type(entries[at])(entries[at].seq, entries[at].at, changed)
    assert evening.verdict() == (False, f"No: entry {at} was changed.")


# -- whatever is changed in a published log is named ----------------------------------------------


@pytest.fixture(scope="module")
def lines() -> list[bytes]:
    """Of two matches, with several seals."""

    async def play() -> list[bytes]:
        evening = Evening()
        await evening.come()
        evening.give(ADA, BO)
        evening.play()
        evening.live.receive(do.Rename(1, "Bob"))
        evening.give(BO)
        evening.play()
        return evening.published(2)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("parlour.house.live.SEAL_AFTER", 7)
        return asyncio.run(play())


def said(lines: Sequence[bytes]) -> str:
    fair, sentence = verdict(Exported("it", lines, [GAME]))
    assert not fair
    return sentence


def is_seal(lines: Sequence[bytes], number: int) -> bool:
    return b'"do":"Seal"' in lines[number + 1]


entry_of = st.integers(0, 10_000)


@settings(deadline=None)
@given(entry_of, entry_of)
def test_a_changed_entry_is_named(lines: list[bytes], which: int, where: int) -> None:
    number = which % (len(lines) - 1)
    line = json.loads(lines[number + 1])
    text = json.dumps(line["input"], separators=(",", ":"), ensure_ascii=False)
    digits = [at for at, char in enumerate(text) if char in "0123456789"]
    at = digits[where % len(digits)] if digits else text.index('"')
    text = text[:at] + ("7" if text[at] != "7" else "3") + text[at + 1 :]
    rest = {key: line[key] for key in line if key != "input"}
    changed = json.dumps(rest)[:-1] + f', "input": {text}}}'
    sentence = said([*lines[: number + 1], changed.encode(), *lines[number + 2 :]])
    assert f"entry {number} " in sentence or is_seal(lines, number), sentence
    assert "entry" in sentence


@given(entry_of)
def test_a_missing_entry_is_named(lines: list[bytes], which: int) -> None:
    number = which % (len(lines) - 1)
    sentence = said(lines[: number + 1] + lines[number + 2 :])
    assert f"entry {number} is missing" in sentence


@given(entry_of, entry_of)
def test_an_added_entry_is_named(lines: list[bytes], which: int, copied: int) -> None:
    number, other = which % (len(lines) - 1), copied % (len(lines) - 1)
    sentence = said([*lines[: number + 1], lines[other + 1], *lines[number + 1 :]])
    same = lines[number + 1] == lines[other + 1]
    alike = is_seal(lines, other) or is_seal(lines, number)
    assert f"entry {number}" in sentence or same or alike, sentence


@given(entry_of)
def test_entries_in_another_order_are_named(lines: list[bytes], which: int) -> None:
    number = which % (len(lines) - 2)
    one, two = lines[number + 1], lines[number + 2]
    sentence = said([*lines[: number + 1], two, one, *lines[number + 3 :]])
    if not (is_seal(lines, number) or is_seal(lines, number + 1)):
        assert sentence == f"No: entries {number} and {number + 1} have changed places."


@settings(deadline=None)
@given(entry_of)
def test_an_entry_at_another_time_is_named(lines: list[bytes], which: int) -> None:
    number = which % (len(lines) - 1)
    line = lines[number + 1].replace(b'{"at":', b'{"at":1', 1)
    sentence = said([*lines[: number + 1], line, *lines[number + 2 :]])
    assert f"entry {number} was changed" in sentence or is_seal(lines, number)


def test_another_secret_name_head_or_number_is_found(lines: list[bytes]) -> None:
    assert verdict(Exported("it", lines, [GAME])).fair
    header = json.loads(lines[0])

    def with_header(**changes: object) -> str:
        return said([json.dumps({**header, **changes}).encode(), *lines[1:]])

    assert "secret of match 2" in with_header(secrets=[header["secrets"][0], "00" * 32])
    assert "secrets or commitments" in with_header(secrets=header["secrets"][:1])
    assert "head of the chain" in with_header(head="00" * 32)
    assert "does not follow" in with_header(seed="00" * 32)
    # Its hash is the one that was announced, but the numbers answered another one.
    other = {"secrets": ["00" * 32, header["secrets"][1]]}
    other["commitments"] = [commitment(bytes(32)), *header["commitments"][1:]]
    assert "can't be played again" in with_header(**other)
    renamed = [line.replace(b'"name":"Bob"', b'"name":"Rob"') for line in lines]
    number = next(at for at, line in enumerate(lines[1:]) if b'"Rename"' in line)
    assert said(renamed) == f"No: entry {number} was changed."


def test_events_that_do_not_follow_are_found(lines: list[bytes]) -> None:
    at = next(at for at, line in enumerate(lines) if b'"event":"Finished"' in line)
    changed = lines[at].replace(b'"event":"Finished"', b'"event":"Ended"')
    assert "does not follow" in said([*lines[:at], changed, *lines[at + 1 :]])


def test_a_published_log_has_no_salt_that_is_not_needed(lines: list[bytes]) -> None:
    for line in lines[1:]:
        entry = do.decode(msgspec_raw(line))
        if type(entry) in chain.PRIVATE:
            assert entry.proof is not None
            assert not entry.proof.salt
            assert set(entry.proof.salts) <= {"name"}
    text = b"".join(lines)
    for private in (b"visitor ", b"Good evening"):
        assert private not in text


def msgspec_raw(line: bytes) -> bytes:
    return json.dumps(json.loads(line)["input"]).encode()


def test_a_deal_that_was_chosen_says_so() -> None:
    mo = next(game for game in installed_games() if game.id == "mo")
    assert not chooses_deal(mo.settings())
    assert chooses_deal(mo.configure(mo.settings(), {"seed": "abc"}))


def test_a_file_that_was_written_before_is_still_right() -> None:
    """The page's check of the same file is tested, too (`web/src/replay/fairness.test.ts`)."""
    file = Exported.read(ROOT / "tests/data/match-2.jsonl", [GAME])
    assert verdict(file).fair, verdict(file).sentence
