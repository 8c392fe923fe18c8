"""The hash chain of a table's log: it shows whether an entry was changed, left out or added.

Private fields (names, talk, visitors, addresses, passwords, the table's seed) enter the chain as
salted hashes. So they can be left out of a published log, or erased, and the chain still holds
(docs/fairness.md).
"""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import sha256
from typing import Any, Final

import msgspec

from parlour.kit import Millis
from parlour.table import inputs as do

DEALS: Final = 1
"""`Open.deals` of new tables."""
MARK: Final = 4
"""Bytes of an entry's digest in a seal."""
SEAL_AFTER: Final = 512
"""Entries after which a log is sealed in the middle of a match, so that a seal stays small."""
_TOGETHER: Final = 16
"""How many entries are hashed together: on the path of a message, each takes fewer calls then."""

PRIVATE: Final[Mapping[type[do.Entry], tuple[str, ...]]] = {
    do.Open: ("seed", "opener", "source"),
    do.Join: ("visitor", "name", "address"),
    do.Seat: ("who", "name"),
    do.Queue: ("visitor", "name", "address"),
    do.Unqueue: ("visitor",),
    do.QueueAway: ("visitor",),
    do.Invite: ("visitor",),
    do.Rename: ("name",),
    do.Say: ("text",),
    do.Configure: (),
}
"""The private fields of entries; those with settings may have secret settings, too."""
SHOWN: Final = frozenset({"name"})
"""Those that are published all the same: a replay names its players."""
SETTINGS: Final = "settings."
"""Before the name of a secret setting, where fields are named."""


def salt_of(salt: str, field: str) -> str:
    """The salt of one field. It says nothing about the others."""
    return sha256(f"{salt} {field}".encode()).hexdigest()[:32]


def hidden(value: object, salt: str) -> str:
    """The salted hash of a private field."""
    return sha256(salt.encode() + b" " + msgspec.json.encode(value)).hexdigest()


def private_fields(
    entry: do.Input, plain: Mapping[str, Any], secret: frozenset[str]
) -> dict[str, Any]:
    """The values of an entry's private fields, by name; `plain` is the entry as plain data."""
    found = {field: plain[field] for field in PRIVATE[type(entry)] if field in plain}
    given = plain.get("settings", {})
    return found | {SETTINGS + name: given[name] for name in sorted(secret & given.keys())}


def published(
    entry: do.Input,
    plain: Mapping[str, Any],
    secret: frozenset[str],
    shown: frozenset[str] = SHOWN,
) -> do.Proof:
    """The proof for an entry of which only these private fields are published."""
    proof = entry.proof or do.Proof()
    made = do.Proof(hashes=dict(proof.hashes))
    for field, value in private_fields(entry, plain, secret).items():
        key = proof.salts.get(field) or (proof.salt and salt_of(proof.salt, field))
        if field in proof.hashes or not key:
            continue
        if field in shown:
            made.salts[field] = key
        else:
            made.hashes[field] = hidden(value, key)
    return made


class Chain:
    """The chain up to some entry of a log."""

    def __init__(self, secret: frozenset[str]) -> None:
        """`secret`: the names of secret settings."""
        self._secret = secret
        self.length = 0
        """How many entries there are."""
        self.unsealed = 0
        """How many there are from the last seal on."""
        self._head = bytes(32)
        self._marks = bytearray()
        self._late: list[tuple[Millis, bytes]] = []
        """The moments and the bytes of the last entries, which are not hashed yet."""

    @property
    def head(self) -> bytes:
        """Depends on every entry so far, and on their order."""
        self.catch_up()
        return self._head

    @property
    def marks(self) -> bytes:
        """`MARK` bytes of the digest of each entry from the last seal on."""
        self.catch_up()
        return bytes(self._marks)

    def add(self, at: Millis, entry: do.Input, data: bytes) -> None:
        """The next entry, as its moment, its input and the bytes of the input."""
        if type(entry) in PRIVATE:
            data = self._public(entry, data)
        elif type(entry) is do.Seal:
            self.catch_up()
            self._marks.clear()
            self.unsealed = 0
        self.length += 1
        self.unsealed += 1
        self._late.append((at, data))
        if len(self._late) >= _TOGETHER:
            self.catch_up()

    def catch_up(self) -> None:
        """Hash the last entries. Chains of the same entries are equal after this."""
        head, marks = self._head, self._marks
        for at, data in self._late:
            digest = sha256(b"%d " % at + data).digest()
            head = sha256(head + digest).digest()
            marks += digest[:MARK]
        self._head = head
        self._late.clear()

    def seal(self) -> do.Seal:
        """The entry that says how the chain stands now."""
        return do.Seal(self.length, self.head.hex(), self.marks)

    def _public(self, entry: do.Input, data: bytes) -> bytes:
        """The bytes of an entry with hashes in place of its private fields."""
        plain: dict[str, Any] = msgspec.json.decode(data)
        plain.pop("proof", None)
        proof = entry.proof or do.Proof()
        hashes = dict(proof.hashes)
        for field, value in private_fields(entry, plain, self._secret).items():
            if field.startswith(SETTINGS):
                del plain["settings"][field.removeprefix(SETTINGS)]
            else:
                del plain[field]
            if field not in hashes:
                key = proof.salts.get(field) or salt_of(proof.salt, field)
                hashes[field] = hidden(value, key)
        return msgspec.json.encode({**plain, "hashes": dict(sorted(hashes.items()))})
