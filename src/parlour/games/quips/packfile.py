"""From the bytes of a pack file to a `Pack`, or to everything that is wrong with it.

Packs are written by hand and uploaded by strangers. So every mistake is found in one go and
told in a sentence, and nothing is worked on before it is known to be small.
"""

from __future__ import annotations

import codecs
import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Final

import msgspec

from parlour.games.quips.packcards import ENGLISH, Black, Card, Pack, White, bare
from parlour.games.quips.packchecks import (
    MAX_LABEL,
    MAX_REASONS,
    NOTES,
    Checks,
    Enough,
    cant,
    listed,
    named,
    shown,
)
from parlour.games.quips.packtrophies import (
    MOST,
    AllOf,
    AnyOf,
    CardProportion,
    CardsPlayed,
    LostToBot,
    Requirement,
    Trophy,
    WinProportion,
)

MAX_BYTES: Final = 1 << 20
MAX_CARDS: Final = 2000
MAX_TROPHIES: Final = 50
MAX_WHITE_TEXT: Final = 160
MAX_BLACK_TEXT: Final = 240
MAX_PICK: Final = 5
MAX_DRAW: Final = 5
MAX_TIER: Final = 9
MAX_COST: Final = 99
MAX_GRADE: Final = 9
MAX_REQUIREMENTS: Final = 20
"""In one trophy, those inside `any` and `all` included."""
MAX_DEPTH: Final = 3

_PACK_ID = re.compile(r"[A-Za-z0-9_-]+")
_CARD_ID = re.compile(r"[wb]_[A-Za-z0-9_]+")
_PLAIN_ID = re.compile(r"[A-Za-z0-9_]+")
_BLANK = re.compile(r"_{6,8}")
_UNDERSCORES = re.compile(r"_{2,}")

_TEXTS = ("id", "name", "author", "license")
_COLOURS = ("accent_color", "accent_background")
_PACK = (*_TEXTS, "accent", *_COLOURS, "cards", "trophies", "without_english")
_WHITE = ("id", "content", "flags", "tier", "tier_cost", "next_tier_id")
_BLACK = ("id", "content", "flags", "pick", "draw")
_TROPHY = ("id", "name", "desc", "trophy_class", "trophy_grade", "requirements")
_KIND = ("flags", "cards", "custom", "upgraded")
_REQUIREMENTS = {
    "card_proportion": ("type", *_KIND, "min", "max"),
    "cards_played": ("type", *_KIND, "min", "max"),
    "win_proportion": ("type", "min", "max"),
    "lost_to_bot": ("type",),
    "any": ("type", "of"),
    "all": ("type", "of"),
}


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
    except Enough:
        reader.reasons.append("There may be more; mend these first.")
        raise BadPack(reader.reasons) from None
    if reader.reasons:
        raise BadPack(reader.reasons)
    # Filled-in texts count, so that whatever is read can be written down and read again.
    size = len(msgspec.json.encode(pack, order="deterministic"))
    if size > MAX_BYTES:
        raise BadPack(
            [f"Completed, the pack has {size:,} bytes of at most {MAX_BYTES:,}; make it two packs."]
        )
    return pack


def recall(data: bytes) -> Pack:
    """A pack that was checked when it was pinned, by the rules of that time: what is wrong with it
    by those of today is read as something harmless."""
    return _Recall().pack(msgspec.json.decode(data))


def _decoded(data: bytes) -> Any:
    """What the JSON says; or `BadPack`."""
    data = data.removeprefix(codecs.BOM_UTF8)
    twice: list[str] = []

    def each_key_once(pairs: list[tuple[str, Any]]) -> None:
        keys = [key for key, _ in pairs if not key.startswith(NOTES)]
        twice.extend(key for key, count in Counter(keys).items() if count > 1)

    try:
        raw = msgspec.json.decode(data)
        # Which of two values is meant is a guess; msgspec, which is stricter otherwise, makes it.
        json.loads(data, object_pairs_hook=each_key_once, parse_int=str)
    except (msgspec.DecodeError, ValueError) as wrong:
        raise BadPack([f"The file is not JSON: {str(wrong).rstrip('.')}."]) from None
    except RecursionError:
        raise BadPack(["The file is not a pack: it is nested without end."]) from None
    if twice:
        most = [f"The key {shown(key)} is given twice in one object; leave one." for key in twice]
        raise BadPack(most[:MAX_REASONS])
    return raw


class _Reader(Checks):
    """Reads on after a mistake, with something harmless in place of what was wrong."""

    def __init__(self) -> None:
        super().__init__()
        self.foreign: set[str] = set()
        """Cards without an English text of their own."""

    # The pack

    def pack(self, raw: Any) -> Pack:
        if not isinstance(raw, dict):
            raise BadPack(["The file is not a pack; write an object {...} with id, name, cards."])
        self.fields("Pack", raw, _PACK)
        ident = self.ident("Pack, id", raw.get("id"), _PACK_ID, "letters, digits, _ and -")
        colours = {key: self.colour(f"Pack, {key}", raw[key]) for key in _COLOURS if key in raw}
        if "accent" in raw:
            colours["accent"] = self.accent("Pack, accent", raw["accent"])
        if raw.get("cards") == []:
            self.wrong("Pack, cards", "there is none; write at least one.")
        cards = self.cards(self.array("Pack, cards", raw.get("cards"), MAX_CARDS))
        trophies = self.trophies(
            self.array("Pack, trophies", raw.get("trophies", []), MAX_TROPHIES), cards
        )
        untranslated = self.array(
            "Pack, without_english", raw.get("without_english", []), MAX_CARDS
        )
        for entry in untranslated:
            if not isinstance(entry, str) or entry not in cards:
                self.wrong("Pack, without_english", f"{shown(entry)} is no card of the pack.")
        foreign = {e for e in untranslated if isinstance(e, str)} | self.foreign
        return Pack(
            id=ident,
            name=self.text("Pack, name", raw.get("name"), MAX_LABEL),
            author=self.label("Pack, author", raw.get("author", "")),
            license=self.label("Pack, license", raw.get("license", "")),
            cards=tuple(cards.values()),
            trophies=trophies,
            without_english=tuple(card for card in cards if card in foreign),
            **colours,
        )

    # Cards

    def cards(self, raws: list[Any]) -> dict[str, Card]:
        found: dict[str, Card] = {}
        places: dict[str, str] = {}
        for number, raw in enumerate(raws, 1):
            where = f"Card {number}"
            if not isinstance(raw, dict):
                self.wrong(where, f"{cant(raw)}; write an object {{...}} with id and content.")
                continue
            where += named(raw.get("id"))
            card = self.card(where, raw)
            if card.id in found:
                self.wrong(f"{where}, id", "another card has the same; give each its own.")
            elif card.id:
                found[card.id] = card
                places[card.id] = where
        self.tiers(found, places)
        return found

    def card(self, where: str, raw: dict[str, Any]) -> Card:
        written = raw.get("id")
        is_black = isinstance(written, str) and written.startswith("b_")
        self.fields(where, raw, _BLACK if is_black else _WHITE)
        ident = self.ident(
            f"{where}, id", written, _CARD_ID, "w_ or b_, then letters, digits and _"
        )
        longest = MAX_BLACK_TEXT if is_black else MAX_WHITE_TEXT
        content = self.texts(f"{where}, content", raw.get("content"), longest)
        if not any(bare(tag) == ENGLISH for tag in content):
            self.foreign.add(ident)
        content = self.completed(f"{where}, content", content)
        flags = self.flags(f"{where}, flags", raw.get("flags", []))
        if is_black:
            pick = self.whole(f"{where}, pick", raw.get("pick", 1), 1, MAX_PICK)
            if raw.get("pick", 1) == pick:
                for tag, text in content.items():
                    self.blanks(f"{where}, content, {tag}", text, pick)
            draw = self.whole(f"{where}, draw", raw.get("draw", 0), 0, MAX_DRAW)
            return Black(id=ident, content=content, flags=flags, pick=pick, draw=draw)
        following = raw.get("next_tier_id", "")
        if following is None:
            following = ""
        if not isinstance(following, str):
            self.wrong(f"{where}, next_tier_id", "name a white card of the pack, or leave it out.")
            following = ""
        return White(
            id=ident,
            content=content,
            flags=flags,
            tier=self.whole(f"{where}, tier", raw.get("tier", 0), 0, MAX_TIER),
            tier_cost=self.whole(f"{where}, tier_cost", raw.get("tier_cost", 0), 0, MAX_COST),
            next_tier_id=following,
        )

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

    def tiers(self, cards: dict[str, Card], places: Mapping[str, str]) -> None:
        """Upgrades lead one tier up, each card by one way: so they neither branch nor circle."""
        below: dict[str, str] = {}
        for card in cards.values():
            if isinstance(card, Black) or not card.next_tier_id:
                continue
            where = f"{places[card.id]}, next_tier_id"
            following = cards.get(card.next_tier_id)
            if not isinstance(following, White):
                self.wrong(where, f"{shown(card.next_tier_id)} is no white card of this pack.")
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
        for card in cards.values():
            if isinstance(card, Black):
                continue
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

    def trophies(self, raws: list[Any], cards: Mapping[str, Card]) -> tuple[Trophy, ...]:
        found: dict[str, Trophy] = {}
        for number, raw in enumerate(raws, 1):
            where = f"Trophy {number}"
            if not isinstance(raw, dict):
                self.wrong(where, f"{cant(raw)}; write an object {{...}} with requirements.")
                continue
            where += named(raw.get("id"))
            trophy = self.trophy(where, raw, cards)
            if trophy.id and trophy.id in found:
                self.wrong(f"{where}, id", "another trophy has the same; give each its own.")
            found[trophy.id] = trophy
        return tuple(found.values())

    def trophy(self, where: str, raw: dict[str, Any], cards: Mapping[str, Card]) -> Trophy:
        self.fields(where, raw, _TROPHY)
        ident = self.ident(f"{where}, id", raw.get("id"), _PLAIN_ID, "letters, digits and _")
        name, desc = (
            self.completed(f"{where}, {key}", self.texts(f"{where}, {key}", raw.get(key), longest))
            for key, longest in (("name", MAX_LABEL), ("desc", MAX_WHITE_TEXT))
        )
        requirements = self.requirements(
            f"{where}, requirements", raw.get("requirements"), cards, [MAX_REQUIREMENTS], 1
        )
        return Trophy(
            id=ident,
            name=name,
            desc=desc,
            trophy_class=self.ident(
                f"{where}, trophy_class",
                raw.get("trophy_class", ident),
                _PLAIN_ID,
                "letters, digits and _",
            ),
            trophy_grade=self.whole(
                f"{where}, trophy_grade", raw.get("trophy_grade", 1), 1, MAX_GRADE
            ),
            requirements=requirements,
        )

    def requirements(
        self, where: str, raw: Any, cards: Mapping[str, Card], left: list[int], depth: int
    ) -> tuple[Requirement, ...]:
        raws = self.array(where, raw, MAX_REQUIREMENTS)
        if isinstance(raw, list) and not raw:
            self.wrong(where, "there is none; say at least one.")
        left[0] -= len(raws)
        if left[0] < 0 or depth > MAX_DEPTH:
            self.wrong(
                where,
                f"at most {MAX_REQUIREMENTS} in one trophy, at most {MAX_DEPTH} inside each other.",
            )
            return ()
        return tuple(
            self.requirement(f"{where} {number}", one, cards, left, depth)
            for number, one in enumerate(raws, 1)
        )

    def requirement(
        self, where: str, raw: Any, cards: Mapping[str, Card], left: list[int], depth: int
    ) -> Requirement:
        kind = raw.get("type") if isinstance(raw, dict) else None
        if not isinstance(kind, str) or kind not in _REQUIREMENTS:
            self.wrong(f"{where}, type", f"write one of {listed(tuple(_REQUIREMENTS))}.")
            return LostToBot()
        self.fields(where, raw, _REQUIREMENTS[kind])
        if kind == "lost_to_bot":
            return LostToBot()
        if kind in ("any", "all"):
            inner = self.requirements(f"{where}, of", raw.get("of"), cards, left, depth + 1)
            return AnyOf(of=inner) if kind == "any" else AllOf(of=inner)
        if kind == "win_proportion":
            low, high = self.proportions(where, raw)
            return WinProportion(min=low, max=high)
        flags = self.flags(f"{where}, flags", raw.get("flags", []))
        ids = self.named(f"{where}, cards", raw.get("cards", []), cards)
        custom = self.yes_or_no(f"{where}, custom", raw.get("custom", False))
        upgraded = self.yes_or_no(f"{where}, upgraded", raw.get("upgraded", False))
        if kind == "cards_played":
            least = self.whole(f"{where}, min", raw.get("min", 0), 0, MOST)
            most = self.whole(f"{where}, max", raw.get("max", MOST), 0, MOST)
            self.in_order(where, least, most)
            return CardsPlayed(
                flags=flags, cards=ids, custom=custom, upgraded=upgraded, min=least, max=most
            )
        if not (flags or ids or custom or upgraded):
            self.wrong(where, f"say of which cards: {listed(_KIND)}.")
        low, high = self.proportions(where, raw)
        return CardProportion(
            flags=flags, cards=ids, custom=custom, upgraded=upgraded, min=low, max=high
        )

    def named(self, where: str, raw: Any, cards: Mapping[str, Card]) -> tuple[str, ...]:
        ids = self.array(where, raw, MAX_CARDS)
        for one in ids:
            if not isinstance(one, str) or not isinstance(cards.get(one), White):
                self.wrong(where, f"{shown(one)} is no white card of this pack.")
        return tuple(dict.fromkeys(one for one in ids if isinstance(one, str)))

    def proportions(self, where: str, raw: Mapping[str, Any]) -> tuple[float, float]:
        bounds: list[float] = []
        for key, usual in (("min", 0.0), ("max", 1.0)):
            value = raw.get(key, usual)
            if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
                self.wrong(f"{where}, {key}", f"{cant(value)}; write 0 to 1, like 0.5.")
                value = usual
            bounds.append(float(value))
        self.in_order(where, *bounds)
        return bounds[0], bounds[1]

    def in_order(self, where: str, low: float, high: float) -> None:
        if low > high:
            self.wrong(where, f"min {low} is more than max {high}; nobody could get it.")


class _Recall(_Reader):
    """Minds no mistake."""

    def wrong(self, where: str, what: str) -> None:
        return
