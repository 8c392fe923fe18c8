"""Several card packs as one: what a table's settings leave of them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import msgspec

from parlour.games.quips.packcards import Black, Card, Pack, Trophy, White
from parlour.games.quips.packtexts import ENGLISH, bare
from parlour.games.quips.settings import Settings


@dataclass(frozen=True, slots=True)
class Shelf:
    """Several packs as one: every id is there once, from the first pack that has it."""

    packs: tuple[Pack, ...]
    """As clients are sent them: without the cards that an earlier pack has."""
    whites: dict[str, White]
    blacks: dict[str, Black]
    bases: dict[str, str]
    """The card of tier 0 that a white card is an upgrade of; itself for tier 0."""
    trophies: tuple[Trophy, ...]
    duplicates: tuple[str, ...]
    """For each card, trophy or pack that was left out because its id was taken, a sentence."""

    def __deepcopy__(self, memo: object) -> Shelf:
        """Copies of a match share it: it never changes."""
        return self

    def dealt(self) -> list[str]:
        """The ids of the white cards that lie in the draw pile: those of tier 0."""
        return [card for card, base in self.bases.items() if card == base]


def gather(packs: Iterable[Pack]) -> Shelf:
    """Put packs together; where two have the same id, the first one wins."""
    kept: dict[str, Pack] = {}
    cards: dict[str, str] = {}
    prizes: dict[str, str] = {}
    duplicates: list[str] = []
    for pack in packs:
        if pack.id in kept:
            duplicates.append(f"Pack {pack.id} is there twice; the first one is used.")
            continue
        for what, owner, ids in (
            ("Card", cards, [card.id for card in pack.cards]),
            ("Trophy", prizes, [trophy.id for trophy in pack.trophies]),
        ):
            for ident in ids:
                if owner.setdefault(ident, pack.id) != pack.id:
                    duplicates.append(
                        f"{what} {ident} of pack {pack.id} is left out: "
                        f"pack {owner[ident]} has one with that id."
                    )
        rest = _keep(pack, {card.id for card in pack.cards if cards[card.id] == pack.id})
        trophies = tuple(trophy for trophy in pack.trophies if prizes[trophy.id] == pack.id)
        kept[pack.id] = msgspec.structs.replace(rest, trophies=trophies)
    shown = tuple(kept.values())
    whites = {card.id: card for pack in shown for card in pack.whites()}
    return Shelf(
        packs=shown,
        whites=whites,
        blacks={card.id: card for pack in shown for card in pack.blacks()},
        bases={card: way[0] for card, way in _ways(whites).items()},
        trophies=tuple(trophy for pack in shown for trophy in pack.trophies),
        duplicates=tuple(duplicates),
    )


def choose(packs: Iterable[Pack], settings: Settings) -> tuple[Pack, ...]:
    """The packs with the cards that the settings allow, without packs that have no card left.

    A card is in a required language if it has a text for the tag or for the language of it; an
    English text that is a copy of another does not count. Without upgrades, only tier 0 is left.
    """
    flags = {flag.lower() for flag in settings.exclude_content}

    def wanted(pack: Pack, card: Card) -> bool:
        if not flags.isdisjoint(card.flags):
            return False
        if not all(_speaks(pack, card, tag) for tag in settings.require_languages):
            return False
        if isinstance(card, Black):
            return card.pick == 1 or not settings.pick_one_only
        return settings.enable_upgrades or card.tier == 0

    chosen: list[Pack] = []
    for pack in packs:
        unused = settings.use_packs and pack.id not in settings.use_packs
        if unused or pack.id in settings.exclude_packs:
            continue
        rest = _keep(pack, {card.id for card in pack.cards if wanted(pack, card)})
        if rest.cards:
            chosen.append(rest)
    return tuple(chosen)


def _speaks(pack: Pack, card: Card, tag: str) -> bool:
    if tag in card.content and tag != ENGLISH:
        return True
    language = bare(tag).lower()
    if language == ENGLISH and card.id in pack.without_english:
        return False
    return language in card.content


def _keep(pack: Pack, wanted: set[str]) -> Pack:
    """The pack with the cards that are wanted. An upgrade ends below the first that is not."""
    if len(wanted) == len(pack.cards):
        return pack
    ways = _ways({card.id: card for card in pack.whites()})
    ids = {ident for ident in wanted if wanted.issuperset(ways.get(ident, ()))}
    cards: list[Card] = []
    for card in pack.cards:
        if card.id not in ids:
            continue
        if isinstance(card, White) and card.next_tier_id not in ids:
            card = msgspec.structs.replace(card, next_tier_id="")
        cards.append(card)
    foreign = tuple(ident for ident in pack.without_english if ident in ids)
    return msgspec.structs.replace(pack, cards=tuple(cards), without_english=foreign)


def _ways(whites: dict[str, White]) -> dict[str, list[str]]:
    """Of every white card, how it is reached: the cards from tier 0 up to itself."""
    ways: dict[str, list[str]] = {}
    # Sorting is stable: tier 0 stays in the order of the packs, which is the order of the deal.
    for card in sorted(whites.values(), key=lambda card: card.tier):
        way = ways.setdefault(card.id, [card.id])
        if card.next_tier_id:
            ways[card.next_tier_id] = [*way, card.next_tier_id]
    return ways
