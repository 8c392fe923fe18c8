"""Other worlds: the same night, with cards that somebody cannot know dealt differently."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields, is_dataclass
from random import Random

from parlour.battery.dealing import Key, Marker, World
from parlour.battery.knowledge import Knowledge, knowledge_of
from parlour.battery.night import Elsewhere, Night, again
from parlour.battery.play import night_under_way
from parlour.battery.trial import Trial
from parlour.kit import Illegal, Seat

TRIES = 12
"""How many worlds are tried to find one in which the same night is possible."""


@dataclass
class Worlds:
    """Finds worlds, and counts them: a test that found none has shown nothing."""

    trial: Trial
    shuffles: int = 0
    wanted: int = 0
    found: int = 0
    wanted_secrets: int = 0
    found_secrets: int = 0

    def of(
        self, rnd: Random, known: Callable[[Knowledge, Seat | None], set[Key]]
    ) -> Iterator[tuple[Seat | None, Night, Night]]:
        """One night, and for each viewer its twin in a world where unknown cards differ."""
        # The end of a match shows what was hidden.
        night = night_under_way(self.trial, rnd, rnd.choice((30, 120, 240)))
        knows = knowledge_of(night)
        self.shuffles += len(knows.decks)
        for seat in night.viewers():
            hidden = knows.everything - known(knows, seat)
            if len({repr(knows.decks[k][p]) for k, p in hidden}) < 2:
                continue
            secrets = knows.secrets_of_others(seat) & hidden
            self.wanted += 1
            self.wanted_secrets += bool(secrets)
            found = another_world(night, knows, hidden, secrets, rnd)
            if found is not None:
                twin, changed = found
                self.found += 1
                self.found_secrets += bool(secrets & changed)
                yield seat, night, twin

    def check_enough(self) -> None:
        """Fail unless most viewers with hidden cards were tried, and many of them with other cards
        in somebody else's hand."""
        assert self.shuffles, "no cards were seen being shuffled: say with `chance` where they are"
        assert self.found >= 0.6 * self.wanted, (
            f"of {self.wanted} worlds looked for only {self.found} were found"
        )
        assert self.found_secrets >= 0.3 * self.wanted_secrets, (
            f"only {self.found_secrets} of {self.wanted_secrets} worlds had other secrets"
        )


def another_world(
    night: Night, knows: Knowledge, hidden: set[Key], secrets: set[Key], rnd: Random
) -> tuple[Night, set[Key]] | None:
    """The same night with hidden cards dealt differently, and where they differ.

    Not every deal fits: if a player must play when they can, then not playing shows something of
    their hand. A world in which the log is refused or leads to other events is dropped, and the
    next one changes fewer cards; but always a secret of somebody else, if there is one.
    """
    places = sorted(hidden)
    dear = sorted(secrets & hidden)
    for attempt in range(TRIES):
        size = max(2, len(places) >> (attempt // 2))
        loose = set(rnd.sample(places, min(size, len(places))))
        if dear:
            loose.add(rnd.choice(dear))
        fixed = knows.everything - hidden
        world = World(night.trial, knows.decks, fixed, loose, rnd)

        def act(number: int, action: object, world: World = world) -> object:
            marked = knows.actions.get(number)
            return action if marked is None else _translated(marked, knows.marker, world)

        try:
            twin = again(night, world, act=act)
        except (Illegal, Elsewhere):
            continue
        if world.changed:
            return twin, world.changed
    return None


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
