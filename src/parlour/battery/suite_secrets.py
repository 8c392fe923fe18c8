"""Nobody learns what they must not know: from events, bytes, bots, legal actions or refusals."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from random import Random
from typing import ClassVar

import pytest

from parlour.battery.dealing import Key
from parlour.battery.knowledge import Knowledge, knowledge_of
from parlour.battery.night import Night
from parlour.battery.play import play_on, random_night
from parlour.battery.state import fingerprint
from parlour.battery.suite_rules import EFFORT, nights, noted
from parlour.battery.trial import Trial
from parlour.battery.worlds import Worlds
from parlour.house.bots import TableBots
from parlour.kit import Bot, Bots, Illegal, Picture, Seat
from parlour.rng import FastRng, Rng
from parlour.table.events import Happened


class SecretsSuite:
    """The tests that compare what is shown with what the trial says may be known."""

    trial: ClassVar[Trial]

    @nights(40)
    def test_nobody_is_shown_what_they_cannot_know(self, rnd: Random) -> None:
        night = random_night(self.trial, rnd, 120)
        excess = knowledge_of(night).excess
        assert not excess, "\n".join(excess[:5])

    def test_what_a_seat_cannot_know_changes_no_byte_it_is_sent(self) -> None:
        """Nor its legal actions, how it is refused, or what its bot sees."""

        def compare(seat: Seat | None, night: Night, twin: Night, rnd: Random) -> None:
            assert twin.heard(seat) == night.heard(seat)
            assert twin.greetings(seat) == night.greetings(seat)
            assert fingerprint(twin.shown(seat)) == fingerprint(night.shown(seat))
            if seat is not None:
                assert list(twin.match.legal(seat)) == list(night.match.legal(seat))
                for _ in range(6):
                    action = self.trial.some_action(rnd, night.match, night.seats)
                    assert _answer(twin, seat, action) == _answer(night, seat, action), action

        in_other_worlds(self.trial, lambda knows, seat: knows.ever[seat], compare)

    def test_a_greeting_tells_only_what_is_known_now(self) -> None:
        """Or what everybody was shown, or what is past: a seat that may not know a card any more is
        not shown it."""

        def compare(seat: Seat | None, night: Night, twin: Night, rnd: Random) -> None:
            assert twin.greetings(seat) == night.greetings(seat)

        in_other_worlds(self.trial, Knowledge.may_be_told_again, compare)

    @nights(15)
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
    compare: Callable[[Seat | None, Night, Night, Random], None],
) -> None:
    """Compare nights with twins whose hidden cards are dealt differently."""
    worlds = Worlds(trial)
    for seed in range(40 * EFFORT):
        rnd = Random(seed)
        for seat, night, twin in worlds.of(rnd, known):
            with noted(f"for seat {seat}, on the night of Random({seed})"):
                compare(seat, night, twin, rnd)
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
