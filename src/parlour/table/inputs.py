"""The inputs of a table, which are the entries of its log.

A table is a fold over these. An entry of the log is one of them with its number and its time, as
JSON, so that people can read it with `sqlite3`.
`place` is a player's number at the table, given out once and never again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias, Union

import msgspec

from parlour.kit import A, Illegal

ME = -2
"""The place of the sender, in requests of wires; the house replaces it by the real one."""
HOUSE = -1
"""The place of the house itself: what the control plane does for a table's opener."""


class Proof(msgspec.Struct, omit_defaults=True):
    """Lets the chain of a log (`chain.py`) be checked without an entry's private fields."""

    salt: str = ""
    """The salts of all private fields follow from it. It is stored, and never published."""
    salts: dict[str, str] = {}
    """By private field that is published: its salt."""
    hashes: dict[str, str] = {}
    """By private field that is left out or replaced: its salted hash."""


class Entry(msgspec.Struct, tag_field="do", tag=True, omit_defaults=True, kw_only=True):
    """The root of everything that goes into the log."""

    proof: Proof | None = None
    """Of entries with private fields, at tables whose logs are chained (`Open.deals`)."""


class Placed(Entry):
    """An input by a player, or by the house (`HOUSE`)."""

    place: int


class Open(Entry):
    """The first entry: whose game it is, and the secret all its chance comes from."""

    id: str
    code: str
    game: str
    seed: str
    settings: dict[str, Any]
    public: bool = False
    opener: str | None = None
    """The visitor who had it opened, and may run it without sitting there; None: it is the
    house's own."""
    content: dict[str, str] = {}
    """Content that the rules read besides the settings: by name, the SHA-256 of its bytes."""
    source: str = ""
    """A hash of the network address it was opened from, the same at all tables of a house."""
    edition: int = 1
    """Of the game's rules: a table goes on by those it was opened with."""
    keep_seats: int = 0
    """How long the seats of people who are away are kept, in milliseconds; 0: the table was opened
    before houses could say so, and goes on by the rules of that time."""
    deals: int = 0
    """How seeds of matches are made. 0: from `seed` alone, and the log has no chain. 1: from a
    secret of the server and from players' nonces (docs/fairness.md)."""


class Join(Entry):
    """A visitor sits down. `resumable`: it can prove later that it is the same visitor."""

    visitor: str
    name: str
    resumable: bool = False
    wire: str = ""
    """The protocol its client speaks."""
    address: str = ""
    """A hash of the network address it came from, different at every table."""
    language: str = ""
    """The language of its person (BCP 47), if its client names one."""


class Seat(Placed):
    """The host gives a place to somebody who is connected elsewhere (to a relay, say).

    They are away until their connection attends the table.
    """

    who: str
    name: str


class Queue(Entry):
    """A visitor who watches waits for a seat; or is there again after `QueueAway`."""

    visitor: str
    name: str
    wire: str = ""
    address: str = ""
    language: str = ""


class Unqueue(Entry):
    """A visitor no longer waits for a seat."""

    visitor: str


class QueueAway(Entry):
    """The last connection of somebody who waits for a seat is gone."""

    visitor: str


class Leave(Placed):
    """A player leaves the table and the seat."""


class Away(Placed):
    """A player's last connection is gone."""


class Back(Placed):
    """A player who was away is here again."""

    wire: str = ""
    """The protocol its client speaks now, if it is another one."""


class Rename(Placed):
    name: str


class Configure(Placed):
    """Change settings: only the keys given, all or none of them."""

    settings: dict[str, Any]


class Target(Placed):
    """Play for so many points, where matches add up; 0: go on and on."""

    points: int


class Ready(Placed):
    """A player is ready, or not; `span` is the protocol's usual countdown, in milliseconds."""

    ready: bool
    span: int = 0


class AddBot(Placed):
    """Seat a computer player; `strength`: one of `kit.Bots.strengths`, "" for the strongest.

    `instead`: on the place of somebody who is away, until they are back.
    """

    strength: str = ""
    instead: int | None = None


class RemoveBot(Placed):
    """Send away the bot with this place or id, or the one that came last."""

    bot: int | str | None = None


class Kick(Placed):
    """Put somebody out; `ban`: and never let them in again."""

    who: int
    ban: bool = False


class VoteOut(Placed):
    """A player wants to go on without somebody; or, `out` being false, no longer wants that."""

    who: int
    out: bool = True


class AskForTime(Placed):
    """A player wants longer timers from the next match on, or no longer wants that."""

    longer: bool


class Pin(Placed):
    """From the next match on, rules read this content: by name, the SHA-256 of its bytes."""

    content: dict[str, str]


class Share(Placed):
    """Let other tables have content that was brought to this one, by its name; or no longer."""

    name: str
    shared: bool


class Lock(Placed):
    """Let nobody else sit down, or again anybody."""

    locked: bool


class Invite(Placed):
    """Let a visitor see this table in their list of tables, though it is not public."""

    visitor: str


class Start(Placed):
    """Start a match."""


class Act(Placed):
    """An action of the game: the rules' own object, or in the log `[class name, *fields]`."""

    action: Any


class Fumble(Placed):
    """A player answered with something impossible, and the rules count that against them."""


class Stir(Placed):
    """A player who counts as asleep sent something that was refused."""


class Spend(Entry):
    """So many bytes of the match's chance have been read, some of them by inputs that were left
    out of the log because they were taken back (see `parlour.table.condense`)."""

    chance: int
    before: str = ""
    """The head of the chain of the longer log that this one has replaced."""


class Nonce(Placed):
    """A player's own random number for the seed of the next match."""

    nonce: str
    commitment: str
    """To the server's secret for that match: the player was told it before."""


class Seal(Entry):
    """The chain of the log (`chain.py`) up to the entry before: at the end of a match, and where
    there are many entries."""

    number: int
    """Of this entry."""
    head: str
    marks: bytes
    """The first bytes of the digest of each entry from the last seal on."""


class Say(Placed):
    text: str


class Tick(Entry):
    """Time has passed: what was due happens."""


class Close(Entry):
    """The house needs the room: nobody has been here for long."""


class Wake(Entry):
    """The house was shut and is open again: everybody is away, with a fresh grace time."""


if TYPE_CHECKING:
    Input: TypeAlias = Entry
else:
    _KINDS = [kind for kind in Entry.__subclasses__() if kind is not Placed]
    Input = Union[(*_KINDS, *Placed.__subclasses__())]
"""Any of these."""

PASSING = frozenset((Act, Away, Back, Wake, Tick, Fumble, Stir, Spend, Say, Seal))
"""Inputs that a condensed log can leave out (`parlour.table.condense`)."""

_encoder = msgspec.json.Encoder()
_decoder: msgspec.json.Decoder[Input] = msgspec.json.Decoder(Input)


def encode(entry: Input) -> bytes:
    """The bytes of a log entry."""
    if type(entry) is Act and type(entry.action) is not list:
        return _encoder.encode(Act(entry.place, pack(entry.action)))
    return _encoder.encode(entry)


def decode(data: bytes) -> Input:
    """The input in a log entry."""
    return _decoder.decode(data)


def pack(action: Any) -> list[object]:
    """An action as plain data: its class's name and its fields in order."""
    return [type(action).__name__, *map(action.__getattribute__, action.__match_args__)]


def unpack(packed: list[Any], actions: dict[str, type[A]]) -> A:
    """The action that `pack` packed."""
    name, *fields = packed
    if name not in actions:
        raise Illegal("unknown-action", f"This game has no action called {name}.")
    return actions[name](*fields)
