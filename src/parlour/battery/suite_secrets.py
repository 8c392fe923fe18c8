"""Nobody learns what they must not know: from events, bytes, bots, legal actions or refusals."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from random import Random
from typing import Any, ClassVar

import pytest

from parlour.battery.checks import EFFORT, check, nights, noted
from parlour.battery.dealing import Key
from parlour.battery.knowledge import Knowledge, knowledge_of
from parlour.battery.night import START, Night
from parlour.battery.play import planned, play_on, random_night, wrong_actions
from parlour.battery.state import fingerprint
from parlour.battery.trial import Trial
from parlour.battery.worlds import Observe, Worlds
from parlour.house.bots import TableBots
from parlour.kit import Bot, Bots, Illegal, Picture, Seat
from parlour.rng import FastRng, Rng
from parlour.table import Table
from parlour.table import inputs as do
from parlour.table.events import Happened


class SecretsSuite:
    """The tests that compare what is shown with what the trial says may be known."""

    trial: ClassVar[Trial]

    @nights(40, "what-may-be-known")
    def test_nobody_is_shown_what_they_cannot_know(self, rnd: Random) -> None:
        night = random_night(self.trial, rnd, 120)
        knows = knowledge_of(night)
        assert not knows.excess, "\n".join(knows.excess[:5])
        assert not knows.fixed, (
            f"`cards` lists {knows.fixed[:5]}, which `rng` neither shuffled nor drew: such cards "
            "can't be dealt differently, and so nothing shows whether somebody is told of them"
        )

    @nights(15, "view")
    def test_view_leaves_events_as_they_are(self, rnd: Random) -> None:
        night = random_night(self.trial, rnd, 60)
        opening = do.decode(night.log[0][1])
        assert isinstance(opening, do.Open)
        table = Table(self.trial.game, opening, START, night.table.library)
        for at, data in night.log[1:]:
            for event in table.receive(do.decode(data), at):
                before = fingerprint(event)
                for player in (None, *table.roster.seating):
                    table.view(event, player)
                    assert fingerprint(event) == before, f"`view` has made {event} of it"

    @check("other-worlds")
    def test_what_a_seat_cannot_know_changes_no_byte_it_is_sent(self) -> None:
        """Nor its legal actions, how it is refused, or what its bot sees and plans."""

        def look(seat: Seat | None, night: Night, rnd: Random) -> Observe:
            actions = [] if seat is None else wrong_actions(night, rnd, 6)

            def observe(night: Night) -> Iterator[tuple[str, Any]]:
                yield "what it is sent", night.heard(seat)
                yield "its greeting", night.greetings(seat)
                yield "what it is shown", fingerprint(night.shown(seat))
                if seat is not None:
                    yield "what is legal", list(night.match.legal(seat))
                    yield "what its bot plans", planned(night, seat)
                    for number, action in enumerate(actions):
                        yield f"answer {number} to {action}", _answer(night, seat, action)

            return observe

        in_other_worlds(self.trial, lambda knows, seat: knows.ever[seat], look)

    @check("other-worlds")
    def test_a_greeting_tells_only_what_is_known_now(self) -> None:
        """Or what everybody was shown, or cards of earlier deals: a seat is not shown a card that
        it may no longer know."""

        def look(seat: Seat | None, night: Night, rnd: Random) -> Observe:
            return lambda night: iter([("its greeting", night.greetings(seat))])

        in_other_worlds(self.trial, Knowledge.may_be_told_again, look)

    @nights(15, "bots")
    def test_bots_are_shown_what_their_seats_are(self, rnd: Random) -> None:
        """While they play, and when they are made again in the middle of a match."""
        if self.trial.game.bots is None:
            pytest.skip("the game has no computer players")
        trial, spies = _spied(self.trial)
        night = random_night(trial, rnd, 0, computers=True)
        seats = [p.seat for p in night.table.roster.bots if p.seat is not None]
        assert seats, "a night with computer players has some"
        may_see = {seat: [fingerprint(event) for event in night.shown(seat)] for seat in seats}
        bots = _wake(night)

        def see(entry: object, happened: Happened, letters: object) -> None:
            bots.show(happened)
            for seat in seats:
                may_see[seat] += [fingerprint(event) for event in night.viewed(happened, seat)]

        night.witnesses.append(see)
        play_on(night, rnd, rnd.randint(1, 60))
        for seat in seats:
            assert [fingerprint(event) for event in spies[seat]] == may_see[seat]
        if night.running:
            _wake(night)
            for seat in seats:
                assert fingerprint(spies[seat]) == fingerprint(night.shown(seat))


def in_other_worlds(
    trial: Trial,
    known: Callable[[Knowledge, Seat | None], set[Key]],
    look: Callable[[Seat | None, Night, Random], Observe],
) -> None:
    """Compare nights with twins whose hidden cards are dealt differently."""
    worlds = Worlds(trial)
    for seed in range(40 * EFFORT):
        with noted(f"on the night of Random({seed})"):
            worlds.compare(Random(seed), known, look)
    worlds.check_enough()


def _answer(night: Night, seat: Seat, action: object) -> tuple[str, str] | None:
    """How an action is refused; None: it is accepted."""
    try:
        night.match.copy().apply(seat, action, FastRng(1), night.now)
    except Illegal as no:
        return no.code, no.sentence
    return None


class _Spy(Bot):
    """A bot that only looks."""

    seen: Happened

    def show(self, event: object) -> None:
        self.seen.append(event)

    def plan(self, legal: object, now: int) -> None:
        return None


def _spied(trial: Trial) -> tuple[Trial, dict[Seat | None, Happened]]:
    """A trial whose bots only look; and, by seat, what the last one there has seen."""
    spies: dict[Seat | None, Happened] = {}

    def make(picture: Picture, rng: Rng) -> _Spy:
        spy = _Spy(picture, rng)
        spy.seen = spies[picture.viewer] = []
        return spy

    game = replace(trial.game, bots=Bots(make, ("Spy",)))
    return replace(trial, game=game), spies


def _wake(night: Night) -> TableBots:
    bots = TableBots(night.table, None, 0, lambda place, action: None)
    bots.wake()
    return bots
