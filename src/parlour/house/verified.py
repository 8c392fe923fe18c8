"""Whether a published match was dealt as its log says: yes or no, in one sentence.

docs/fairness.md says what is checked, and what nobody can check.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple, NoReturn

import msgspec

from parlour.house.exported import MOST_BYTES, Exported, exported
from parlour.house.replay import LARGEST, Replay, replay_of
from parlour.kit import Illegal
from parlour.protocol import Game
from parlour.protocol.replays import ReplayLog
from parlour.rng import commitment
from parlour.store import LogEntry, LogReader
from parlour.table import inputs as do
from parlour.table import secret_settings
from parlour.table.chain import MARK, Chain

MOST_CHECKED: Final = 64 * 1024 * 1024
"""Bytes of a log that a server checks for visitors; longer ones only for the command."""


class Verdict(NamedTuple):
    """The answer."""

    fair: bool
    sentence: str


def verdict(file: Exported) -> Verdict:
    """Check everything that follows from a file alone."""
    try:
        if file.header.deals:
            last = check_chain(file.game, file.entries())
            if not isinstance(last, do.Seal):
                _refuse(f"entry {len(file.lines)} is missing: the seal at the end of the match")
            if last.head != file.header.head:
                _refuse("the head of the chain in the first line is not that of the log")
            _check_commitments(file)
        file.check()
    except Illegal as no:
        return refusal(no)
    return Verdict(True, f"Yes: {_said(file)}")


def log_of(game: Game, reader: LogReader, number: int, view: str | None) -> Replay | int:
    """The lines of a match with our own verdict; if it has not ended: how many matches have."""
    try:
        lines = published(game, reader, number, MOST_CHECKED)
        if not lines:
            return replay_of(game, reader, number)
        found = verdict(Exported("the log", lines, [game], reader))
        if sum(map(len, lines)) > LARGEST:
            lines = []
            if found.fair:
                alone = "The log is too long to be sent, so only the server has checked it."
                found = Verdict(True, f"{found.sentence} {alone}")
    except Illegal as no:
        lines, found = [], refusal(no)
    told = ReplayLog([line.decode() for line in lines], found.fair, found.sentence)
    encoded = msgspec.json.encode(told)
    return Replay(encoded, encoded, frozenset())


def refusal(no: Illegal) -> Verdict:
    """The answer for a log that is not as it was written, or too long to be checked."""
    return Verdict(False, f"{'Not checked' if no.code == 'too-large' else 'No'}: {no.sentence}")


def published(game: Game, reader: LogReader, number: int, most: int = MOST_BYTES) -> list[bytes]:
    """Match `number` of a log as the lines of a file; empty if it is not over. Raises `Illegal`
    with a sentence that names the first entry that is not as it was written."""
    check_chain(game, reader.entries())
    return exported(game, reader, number, most)


def _said(file: Exported) -> str:
    header = file.header
    if not header.deals:
        return (
            "the cards follow from the seed in the file. This table is older than verifiable "
            "deals: the server alone chose the seed, and the log has no chain."
        )
    entries = f"none of the {len(file.lines)} entries of the log was changed"
    before = next((line for line in file.lines if b'"before"' in bytes(line.input)), None)
    if before is not None and isinstance(do.decode(bytes(before.input)), do.Spend):
        entries += ", which replaces a longer one without moves that were taken back"
    if header.chosen:
        return f"{entries}. The deal itself was chosen on purpose, in the settings."
    names = [header.players[each.seat].name for each in header.nonces]
    if not names:
        who = "no player supplied a number, so the server alone chose the seed"
    else:
        who = f"numbers by {' and '.join(names)} are in the seed, after the server's commitment"
    return f"the cards follow from the published secret, {who}, and {entries}."


def _check_commitments(file: Exported) -> None:
    """Folding the log checks that every number answers the commitment for its match."""
    header = file.header
    if not len(header.secrets) == len(header.commitments) - 1 == header.number:
        _refuse("secrets or commitments are missing in the first line")
    for number, secret in enumerate(header.secrets):
        if commitment(bytes.fromhex(secret)) != header.commitments[number]:
            _refuse(f"the secret of match {number + 1} is not the one that was committed to")


def check_chain(game: Game, entries: Iterable[LogEntry]) -> do.Input | None:
    """Raise `Illegal` with a sentence that names the first entry that is not as it was written.

    Returns the last entry. Entries after the last seal can't be checked.
    """
    chain = Chain(secret_settings(game.settings))
    last: do.Input | None = None
    moment = 0
    for entry in entries:
        try:
            last = do.decode(entry.data)
        except msgspec.MsgspecError:
            _refuse(f"entry {entry.seq} was changed: it can't be read")
        if isinstance(last, do.Open) and not last.deals:
            return last
        if isinstance(last, do.Seal):
            _check_seal(last, entry.seq, chain)
            if entry.at != moment:  # a seal is written with the entry before
                _refuse(f"entry {entry.seq} was changed")
        chain.add(entry.at, last, entry.data)
        moment = entry.at
    return last


def _check_seal(seal: do.Seal, number: int, chain: Chain) -> None:
    """Compare a seal with the chain up to it."""
    written, found = _parts(seal.marks), _parts(chain.marks)
    first = seal.number - len(written)
    if first > number - len(found):
        _refuse(f"entry {first} is missing or changed: a seal of the log")
    if seal.head == chain.head.hex() and (seal.number, written) == (number, found):
        return
    if seal.head == chain.head.hex() or written == found:
        _refuse(f"entry {number} was changed")
    _refuse(_difference(written, found, number - len(found)))


def _difference(written: Sequence[bytes], found: Sequence[bytes], start: int) -> str:
    """Names the first entry that differs. `start` is the number of the first of them."""
    pairs = zip(written, found, strict=False)
    same = next((at for at, (one, other) in enumerate(pairs) if one != other), None)
    at = min(len(written), len(found)) if same is None else same
    number = start + at
    if len(found) < len(written):
        return f"entry {number} is missing"
    if len(found) > len(written):
        return f"entry {number} was added"
    if list(found[at : at + 2]) == list(written[at : at + 2])[::-1]:
        return f"entries {number} and {number + 1} have changed places"
    return f"entry {number} was changed"


def _parts(marks: bytes) -> list[bytes]:
    return [marks[at : at + MARK] for at in range(0, len(marks), MARK)]


def _refuse(sentence: str) -> NoReturn:
    raise Illegal("bad-log", f"{sentence}.")
