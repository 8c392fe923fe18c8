"""Other worlds: the same night, with cards that somebody cannot know dealt differently."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields, is_dataclass
from itertools import zip_longest
from random import Random
from typing import Any, NamedTuple

from parlour.battery.dealing import Key, Marker, World
from parlour.battery.knowledge import Knowledge, knowledge_of
from parlour.battery.night import Elsewhere, Night, again
from parlour.battery.play import night_under_way
from parlour.battery.state import fingerprint
from parlour.battery.trial import Trial
from parlour.kit import Illegal, Seat
from parlour.table.events import TABLE_EVENTS

TRIES = 12
"""How many worlds are tried to find one in which the same night is possible."""

Observe = Callable[[Night], Iterator[tuple[str, Any]]]
"""Everything that a viewer can observe in a night, by name."""


@dataclass
class Worlds:
    """Finds worlds, and counts them: a test that found none has shown nothing."""

    trial: Trial
    shuffles: int = 0
    wanted: int = 0
    found: int = 0
    wanted_secrets: int = 0
    found_secrets: int = 0

    def compare(
        self,
        rnd: Random,
        known: Callable[[Knowledge, Seat | None], set[Key]],
        look: Callable[[Seat | None, Night, Random], Observe],
    ) -> None:
        """One night, and for each viewer its twin in a world where unknown cards differ: whatever
        the viewer looks at must be the same."""
        # The end of a match shows what was hidden.
        night = night_under_way(self.trial, rnd, rnd.choice((30, 120, 240)))
        knows = knowledge_of(night)
        self.shuffles += len(knows.everything)
        for seat in night.viewers():
            hidden = knows.everything - known(knows, seat)
            if not hidden & knows.drawn and len({repr(knows.decks[k][p]) for k, p in hidden}) < 2:
                continue
            observe = look(seat, night, rnd)
            # Before there is a twin, which a game could confuse with this night.
            before = dict(observe(night))
            secrets = knows.secrets_of_others(seat) & hidden
            self.wanted += 1
            self.wanted_secrets += bool(secrets)
            found = another_world(night, knows, seat, hidden, secrets, rnd)
            if found is not None:
                twin, changed = found
                self.found += 1
                self.found_secrets += bool(secrets & changed)
                for what, seen in observe(twin):
                    assert seen == before[what], (
                        f"seat {seat}: {what} would be different, {IF_ONLY}"
                    )

    def check_enough(self) -> None:
        """Fail unless most viewers with hidden cards were tried, and many of them with other cards
        in somebody else's hand."""
        assert self.shuffles, "no cards were seen being shuffled: say with `chance` where they are"
        assert self.wanted or self.trial.open, (
            "`knows` says that everybody may know every card: if that is so, say it with `open`"
        )
        assert self.found >= 0.6 * self.wanted, (
            f"of {self.wanted} worlds looked for only {self.found} were found"
        )
        assert self.found_secrets >= 0.3 * self.wanted_secrets, (
            f"only {self.found_secrets} of {self.wanted_secrets} worlds had other secrets"
        )


IF_ONLY = "if only those cards were different that this viewer can't know"


def another_world(
    night: Night,
    knows: Knowledge,
    seat: Seat | None,
    hidden: set[Key],
    secrets: set[Key],
    rnd: Random,
) -> tuple[Night, set[Key]] | None:
    """The same night with hidden cards dealt differently, and where they differ.

    Not every deal fits: if a player must play when they can, then not playing shows something of
    their hand. A world in which the log is refused, or in which the rules tell everybody something
    else, is dropped, and the next one changes fewer cards; but always a secret of somebody else, if
    there is one.
    """
    places = sorted(hidden)
    dear = sorted(secrets & hidden)
    fixed = knows.everything - hidden
    # The seat was shown this card earlier, and there it is another one.
    compare = None if hidden & knows.ever[seat] else _Comparison(night, knows, seat, fixed)
    for attempt in range(TRIES):
        size = max(2, len(places) >> (attempt // 2))
        loose = set(rnd.sample(places, min(size, len(places))))
        if dear:
            loose.add(rnd.choice(dear))
        world = World(night.trial, knows.decks, fixed, loose, rnd)

        def act(number: int, action: object, world: World = world) -> object:
            marked = knows.actions.get(number)
            return action if marked is None else _translated(marked, knows.marker, world)

        try:
            twin = again(night, world, act=act, compare=compare)
        except (Illegal, Elsewhere):
            continue
        if world.changed:
            return twin, world.changed
    return None


class _Seen(NamedTuple):
    event: Any
    view: Any


def _alike(one: object, other: object) -> bool:
    # Most events can be compared, which is faster.
    return one == other or fingerprint(one) == fingerprint(other)


class _Comparison:
    """Whether a viewer is shown the same events in another world, at the same moments."""

    def __init__(self, night: Night, knows: Knowledge, seat: Seat | None, fixed: set[Key]) -> None:
        self._night = night
        self._knows = knows
        self._seat = seat
        self._fixed = fixed
        self._seen = [self._views(happened) for happened in night.happened]

    def __call__(self, twin: Night, number: int) -> None:
        """After the log's nth entry. Raises `Elsewhere` if what differs may differ."""
        here, there = self._seen[number - 1], self._views(twin.happened[-1])
        for at, (one, other) in enumerate(zip_longest(here, there)):
            if one is None or other is None or not _alike(one.view, other.view):
                marked = self._views(self._knows.happened[number - 1])[at : at + 1]
                self._check_excused(here[at : at + 1], there[at : at + 1], marked)
                raise Elsewhere
        assert twin.dues[-1] == self._night.dues[number - 1], (
            f"seat {self._seat}: the next thing would be due at another moment, {IF_ONLY}"
        )

    def _views(self, happened: list[Any]) -> list[_Seen]:
        player = self._night.player(self._seat)
        seen = (_Seen(event, self._night.table.view(event, player)) for event in happened)
        return [each for each in seen if each.view is not None]

    def _check_excused(self, here: list[_Seen], there: list[_Seen], marked: list[_Seen]) -> None:
        """The first event that differs may differ if the trial says that the rules tell this, or
        if it shows other cards that the viewer may know: somebody played another card, say."""
        if self._followed(here) == self._followed(there):
            views = [[each.view for each in seen] for seen in (marked, here, there)]
            assert self._only_cards(*map(fingerprint, views)), (
                f"seat {self._seat} would be shown {views[2]} instead of {views[1]}, {IF_ONLY}. If "
                "everybody may know these cards, list them in `knows`; if the rules tell everybody "
                "what follows from hidden cards, say so with `follows`"
            )

    def _followed(self, seen: list[_Seen]) -> list[object]:
        events = [each.event for each in seen if type(each.event) not in TABLE_EVENTS]
        followed = map(self._night.trial.follows, events)
        return [each for each in followed if each is not None]

    def _only_cards(self, marked: Any, one: Any, other: Any) -> bool:
        """Whether two views of an event differ only in cards that the viewer may know."""
        if isinstance(marked, tuple) and isinstance(other, tuple):
            same_size = len(marked) == len(other)
            return same_size and all(map(self._only_cards, marked, one, other))
        key = self._knows.marker.key(marked)
        return one == other or (key is not None and self._knows.looks_like_one_of(key, self._fixed))


def _translated(thing: object, marker: Marker, world: World) -> object:
    """An action with the cards that lie in that world where its own cards lay."""
    key = marker.key(thing)
    if key is not None:
        return world.decks[key[0]][key[1]]
    if is_dataclass(thing) and not isinstance(thing, type):
        values = [_translated(getattr(thing, f.name), marker, world) for f in fields(thing)]
        return type(thing)(*values)
    if isinstance(thing, list | tuple):
        return type(thing)([_translated(item, marker, world) for item in thing])
    return thing
