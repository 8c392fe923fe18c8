"""From the bytes of a pack file to a `Pack`, or to everything that is wrong with it.

Packs are written by hand and uploaded by strangers. So all mistakes are found in one go, each is
told in a sentence, and sizes are checked before any other work is done.
"""

from __future__ import annotations

import codecs
import difflib
import json
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Final, TypeVar, get_args

import msgspec

from parlour.games.quips import packchecks as check
from parlour.games.quips.packcards import (
    Black,
    Card,
    CardProportion,
    CardsPlayed,
    Kind,
    LostToBot,
    Pack,
    Requirement,
    Trophy,
    White,
    WinProportion,
)
from parlour.games.quips.packtexts import ENGLISH, bare

MAX_BYTES: Final = 1 << 20
MAX_TROPHIES: Final = 50
MAX_REQUIREMENTS: Final = 20
"""In one trophy, those inside `any` and `all` included."""
MAX_DEPTH: Final = 3

_BLANK = re.compile(r"_{6,8}")
_UNDERSCORES = re.compile(r"_{2,}")
_REQUIREMENTS: Final[dict[str, type[Requirement]]] = {
    kind.__struct_config__.tag: kind for kind in get_args(Requirement)
}

T = TypeVar("T", bound=msgspec.Struct)
C = TypeVar("C", White | Black, Trophy)


class BadPack(Exception):
    """A pack that can't be used, and all the reasons, each a sentence that says where and what."""

    def __init__(self, reasons: Sequence[str]) -> None:
        super().__init__(" ".join(reasons))
        self.reasons = list(reasons)

    def __reduce__(self) -> tuple[type[BadPack], tuple[list[str]]]:
        return BadPack, (self.reasons,)


def read(data: bytes) -> Pack:
    """The pack in these bytes, checked and completed; or `BadPack`."""
    if len(data) > MAX_BYTES:
        raise BadPack(
            [f"The file has {len(data):,} bytes; write at most {MAX_BYTES:,}, or make two packs."]
        )
    raw = _decoded(data)
    reader = _Reader()
    try:
        pack = reader.pack(raw)
    except check.Enough:
        reader.reasons.append("There may be more; mend these first.")
        raise BadPack(reader.reasons) from None
    if reader.reasons:
        raise BadPack(reader.reasons)
    # Filled-in texts count, so that whatever is read can be written down and read again.
    size = len(dump(pack))
    if size > MAX_BYTES:
        raise BadPack(
            [f"Completed, the pack has {size:,} bytes of at most {MAX_BYTES:,}; make it two packs."]
        )
    return pack


def dump(pack: Pack) -> bytes:
    """The canonical bytes of a pack: equal packs have equal bytes, and `read` gives it back."""
    return msgspec.json.encode(pack, order="deterministic")


def recall(data: bytes) -> Pack:
    """A pack that was checked when it was pinned, by the rules of that time: what is wrong with it
    by those of today is read as something harmless."""
    return _Reader(strict=False).pack(msgspec.json.decode(data))


def _decoded(data: bytes) -> object:
    """The decoded JSON; or `BadPack`."""
    data = data.removeprefix(codecs.BOM_UTF8)
    twice: list[str] = []

    def each_key_once(pairs: list[tuple[str, object]]) -> None:
        keys = [key for key, _ in pairs if not key.startswith(check.NOTES)]
        twice.extend(key for key, count in Counter(keys).items() if count > 1)

    try:
        raw = msgspec.json.decode(data)
        # msgspec is stricter otherwise, but takes the last of two values with the same key.
        json.loads(data, object_pairs_hook=each_key_once, parse_int=str)
    except (msgspec.DecodeError, ValueError) as wrong:
        raise BadPack([f"The file is not JSON: {str(wrong).rstrip('.')}."]) from None
    except RecursionError:
        raise BadPack(["The file is not a pack: it is nested without end."]) from None
    if twice:
        most = [
            f"The key {check.shown(key)} is given twice in one object; leave one." for key in twice
        ]
        raise BadPack(most[: check.MAX_REASONS])
    return raw


@cache
def _fields(kind: type[msgspec.Struct]) -> dict[str, tuple[bool, Callable[..., object]]]:
    """Whether each field of a struct is required, and how it is read: by the check beside its
    type, or by the reader's method of its name."""
    found = {}
    for field in msgspec.structs.fields(kind):
        checks = getattr(field.type, "__metadata__", None) or [getattr(_Reader, field.name)]
        found[field.name] = field.required, checks[0]
    return found


class _Reader(check.Reading):
    """Reads on after a mistake, with something harmless in place of what was wrong."""

    def __init__(self, strict: bool = True) -> None:
        super().__init__(strict)
        self.ids: set[str] = set()
        """Of all cards."""
        self.foreign: set[str] = set()
        """Cards without an English text of their own."""
        self.depth = 0
        """How many requirements the one that is read is inside of."""
        self.left = MAX_REQUIREMENTS
        """How many more the trophy that is read may have."""

    def struct(self, kind: type[T], where: str, raw: dict[str, object]) -> T:
        """An object of the file. Keys that begin with `//` or `$` are the author's notes."""
        fields = _fields(kind)
        tag = kind.__struct_config__.tag_field
        known = [*fields] if tag is None else [tag, *fields]
        for key in raw:
            if key not in known and not key.startswith(check.NOTES):
                near = difflib.get_close_matches(key[: check.MAX_ID], known, 1)
                hint = f"did you mean {near[0]}?" if near else f"there are {check.listed(known)}."
                self.wrong(where, f"{check.shown(key)} is no field here; {hint}")
        return kind(
            **{
                name: read(self, f"{where}, {name}", raw.get(name))
                for name, (required, read) in fields.items()
                if required or name in raw
            }
        )

    def by_id(
        self, what: str, read: Callable[[str, dict[str, object]], C], raws: list[object], has: str
    ) -> dict[str, C]:
        """Cards or trophies by where they are in the file. Each has an id of its own."""
        found: dict[str, C] = {}
        ids: set[str] = set()
        for number, raw in enumerate(raws, 1):
            where = f"{what} {number}"
            if not isinstance(raw, dict):
                self.wrong(where, f"{check.cant(raw)}; write an object {{...}} with {has}.")
                continue
            where += check.named(raw.get("id"))
            one = read(where, raw)
            if one.id in ids:
                another = f"another {what.lower()} has the same"
                self.wrong(f"{where}, id", f"{another}; give each its own.")
            elif one.id:
                ids.add(one.id)
                found[where] = one
        return found

    def pack(self, raw: object) -> Pack:
        if not isinstance(raw, dict):
            raise BadPack(["The file is not a pack; write an object {...} with id, name, cards."])
        pack = self.struct(Pack, "Pack", raw)
        foreign = self.foreign.union(pack.without_english)
        untranslated = tuple(card.id for card in pack.cards if card.id in foreign)
        return msgspec.structs.replace(pack, without_english=untranslated)

    def without_english(self, where: str, raw: object) -> list[str]:
        ids = check.array(self, where, raw, check.MAX_CARDS)
        for entry in ids:
            if not isinstance(entry, str) or entry not in self.ids:
                self.wrong(where, f"{check.shown(entry)} is no card of the pack.")
        return [entry for entry in ids if isinstance(entry, str)]

    # Cards

    def cards(self, where: str, raw: object) -> tuple[Card, ...]:
        if raw == []:
            self.wrong(where, "there is none; write at least one.")
        cards = self.by_id(
            "Card", self.card, check.array(self, where, raw, check.MAX_CARDS), "id and content"
        )
        whites = {card.id: card for card in cards.values() if isinstance(card, White)}
        self.ids.update(card.id for card in cards.values())
        self.whites.update(whites)
        self.tiers(whites, {card.id: place for place, card in cards.items()})
        return tuple(cards.values())

    def card(self, where: str, raw: dict[str, object]) -> Card:
        written = raw.get("id")
        card: Card
        if isinstance(written, str) and written.startswith("b_"):
            card = self.struct(Black, where, raw)
            if raw.get("pick", 1) == card.pick:
                for tag, text in card.content.items():
                    self.blanks(f"{where}, content, {tag}", text, card.pick)
        else:
            card = self.struct(White, where, raw)
        content = raw.get("content")
        if isinstance(content, dict) and not any(bare(t.lower()) == ENGLISH for t in content):
            self.foreign.add(card.id)
        return card

    def blanks(self, where: str, text: str, pick: int) -> None:
        if any(not _BLANK.fullmatch(run) for run in _UNDERSCORES.findall(text)):
            self.wrong(where, "a blank is 6 to 8 underscores; write ______ for each.")
            return
        count = len(_BLANK.findall(text))
        if count not in (0, pick):
            self.wrong(
                where,
                f"there are {count} blanks and pick is {pick}; "
                "make them the same, or ask a question without blanks.",
            )

    def tiers(self, whites: Mapping[str, White], places: Mapping[str, str]) -> None:
        """Upgrades lead one tier up, each card by one way: so they neither branch nor circle."""
        below: dict[str, str] = {}
        for card in whites.values():
            if not card.next_tier_id:
                continue
            where = f"{places[card.id]}, next_tier_id"
            following = whites.get(card.next_tier_id)
            if following is None:
                self.wrong(
                    where, f"{check.shown(card.next_tier_id)} is no white card of this pack."
                )
            elif following.tier != card.tier + 1:
                self.wrong(
                    where,
                    f"{following.id} has tier {following.tier}; an upgrade leads from tier "
                    f"{card.tier} to tier {card.tier + 1}, and never in a circle.",
                )
            elif following.id in below:
                self.wrong(
                    where, f"{below[following.id]} leads to {following.id} already; only one may."
                )
            else:
                below[following.id] = card.id
        for card in whites.values():
            where = places[card.id]
            if card.tier and card.id not in below:
                self.wrong(
                    where,
                    f"tier {card.tier} is reached by upgrading, but no card of tier "
                    f"{card.tier - 1} has it as next_tier_id; name it there, or leave tier out.",
                )
            if card.tier and not card.tier_cost:
                self.wrong(f"{where}, tier_cost", "say what the upgrade costs: 1 or more.")
            if not card.tier and card.tier_cost:
                self.wrong(
                    f"{where}, tier_cost", "tier 0 is dealt, not bought; leave it out or set tier."
                )

    # Trophies

    def trophies(self, where: str, raw: object) -> tuple[Trophy, ...]:
        raws = check.array(self, where, raw, MAX_TROPHIES)
        return tuple(self.by_id("Trophy", self.trophy, raws, "requirements").values())

    def trophy(self, where: str, raw: dict[str, object]) -> Trophy:
        self.left = MAX_REQUIREMENTS
        trophy = self.struct(Trophy, where, raw)
        if "trophy_class" in raw:
            return trophy
        return msgspec.structs.replace(trophy, trophy_class=trophy.id)

    def requirements(self, where: str, raw: object) -> tuple[Requirement, ...]:
        raws = check.array(self, where, raw, MAX_REQUIREMENTS)
        if raw == []:
            self.wrong(where, "there is none; say at least one.")
        self.left -= len(raws)
        if self.left < 0 or self.depth == MAX_DEPTH:
            self.wrong(
                where,
                f"at most {MAX_REQUIREMENTS} in one trophy, at most {MAX_DEPTH} inside each other.",
            )
            return ()
        self.depth += 1
        found = tuple(self.requirement(f"{where} {n}", each) for n, each in enumerate(raws, 1))
        self.depth -= 1
        return found

    of = requirements
    """The requirements inside `any` and `all`."""

    def requirement(self, where: str, raw: object) -> Requirement:
        kind = raw.get("type") if isinstance(raw, dict) else None
        if not isinstance(raw, dict) or not isinstance(kind, str) or kind not in _REQUIREMENTS:
            self.wrong(f"{where}, type", f"write one of {check.listed([*_REQUIREMENTS])}.")
            return LostToBot()
        asked = self.struct(_REQUIREMENTS[kind], where, raw)
        if isinstance(asked, CardProportion) and not asked.marked():
            self.wrong(where, f"say of which cards: {check.listed(Kind.__struct_fields__)}.")
        if isinstance(asked, CardProportion | CardsPlayed | WinProportion):
            least, most = asked.min, asked.max
            if least > most:
                self.wrong(where, f"min {least} is more than max {most}; nobody could get it.")
        return asked
