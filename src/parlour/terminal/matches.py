"""Matches against bots, without a server: `parlour play GAME`.

They are played through the same rules and the same view as over the wire: what is printed is what
this seat was shown, and the bots know no more than their seats were. Time passes only while nobody
is asked.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any, Final

import msgspec
from rich.console import Console

from parlour.choices import action_of, name_of
from parlour.kit import Bot, Illegal, Match, Millis, Seat, Setup
from parlour.protocol import Game
from parlour.rng import ProvableRng
from parlour.scenes import Scene
from parlour.show import Show
from parlour.terminal import hints
from parlour.terminal.choosing import Ask, Changed, Chooser, Quit
from parlour.terminal.drawing import Drawing
from parlour.terminal.entries import Chosen

ME: Final = 0
"""The seat of the person who types."""


class Anew(Exception):
    """The player wants another match now."""


class CannotDraw(Exception):
    """The game's description failed."""


class Matches:
    """One match after another, of one person and some bots."""

    def __init__(
        self,
        game: Game,
        settings: object,
        console: Console,
        bots: int,
        seed: str = "",
        ask: Ask | None = None,
        strength: str = "",
        name: str = "Player",
    ) -> None:
        """`seed`: the same word deals the same cards; "": fresh ones. `Illegal` if it can't be
        one in this game."""
        made = game.bots.names[:bots] if game.bots is not None else ()
        self.names = [name, *made]
        self.won = [0] * len(self.names)
        self.points = [0] * len(self.names)
        self._game = game
        self._strength = strength
        self._begin(settings, seed)
        self._kinds = {name_of(kind): kind for kind in game.actions}
        self._drawing = Drawing(console, self.names)
        self._chooser = Chooser(self._drawing, ask, about(game), self._renew)
        self._now: Millis = 0
        self._match: Match

    def play(self) -> None:
        """Play until the player quits."""
        try:
            while True:
                self._deal()
                with suppress(Anew):
                    self._play_match()
        except Quit:
            self._drawing.say("Goodbye.")

    def _begin(self, settings: object, seed: str) -> None:
        """From the next deal on. A setting called `seed` names a deal: it holds for one match."""
        self._settings = settings = self._game.configure(settings, {})
        if hasattr(settings, "seed"):
            fresh = self._game.settings().seed
            self._settings = self._game.configure(settings, {"seed": fresh})
            settings = self._seeded(settings, seed) if seed else settings
        self._first = settings
        self._seed = (seed or secrets.token_hex(8)).encode()
        self._played = 0
        self._previous: Match | None = None

    def _seeded(self, settings: object, seed: str) -> object:
        try:
            return self._game.configure(settings, {"seed": seed})
        except Illegal:
            raise Illegal("bad-seed", f"{self._game.name} has no deal called {seed}.") from None

    def _renew(self, words: Sequence[str]) -> str:
        """Another match: `Anew`; or a sentence that says why not."""
        changes = [word for word in words if "=" in word]
        seeds = [word for word in words if "=" not in word]
        if seeds == ["?"]:
            return f"Settings: {', '.join(_told(msgspec.to_builtins(self._settings)))}."
        if len(seeds) > 1:
            return "After new, type one word for the deal, settings as NAME=VALUE, or nothing."
        try:
            settings = self._game.configure(self._settings, patch_of(changes))
            if not self._fits(settings):
                return f"These settings are not for {len(self.names)} players."
            self._begin(settings, "".join(seeds))
        except Illegal as no:
            return f"{no.sentence} new ? lists the settings."
        raise Anew

    def _fits(self, settings: object) -> bool:
        least, most = self._game.seats(settings)
        return least <= len(self.names) <= most

    # -- one match --------------------------------------------------------------------

    def _deal(self) -> None:
        self._played += 1
        game = self._game
        self._chance = ProvableRng(self._seed, f"match {self._played}")
        self._bots = {seat: self._bot(seat) for seat in range(1, len(self.names))}
        self._adviser = None if game.bots is None else self._bot(ME)
        self._protocol = hints.Protocol(game, self._settings, ME)
        self._show = Show(game, ME, self._fail)
        self._drawn: Scene | None = None
        self._declined: object = None
        settings = self._first if self._played == 1 else self._settings
        setup: Setup[Any] = Setup(
            settings,
            self.names,
            frozenset(self._bots),
            self._previous,
            game.lobby.own_content(settings),
        )
        self._match, events = game.deal(setup, self._chance, self._now)
        self._tell(events)
        # Every card that was dealt may have been a move.
        del self._drawing.moves[:-2]

    def _bot(self, seat: Seat) -> Bot:
        bots = self._game.bots
        assert bots is not None
        rng = ProvableRng(self._seed, f"bot {seat} {self._played}")
        strength = self._strength if seat != ME else ""
        return bots.bot(self._game.picture(seat), rng, strength)

    def _tell(self, events: Sequence[object]) -> None:
        view = self._game.view
        learners = [*self._bots.items(), (ME, self._adviser), (ME, self._protocol)]
        for seat, bot in learners:
            for event in events:
                seen = view(event, seat)
                if seen is not None and bot is not None:
                    bot.show(seen)
        frames = self._show.frames(events, self._match)
        self._drawing.moves += [frame.move for frame in frames if frame.move]

    def _play_match(self) -> None:
        """Play to the end, and on from there if moves are taken back."""
        while True:
            while self._match.outcome() is None:
                self._tell(self._step())
            self._count()
            chosen = self._after()
            if chosen is None:
                break
            self._tell(self._act(chosen))
        self._previous = self._match

    def _after(self) -> Chosen | None:
        """The person's action after the end, such as taking a move back; None: a new match."""
        while True:
            scene = self._scene()
            self._end()
            try:
                if scene.choices:
                    return self._chooser.choose(scene, "Enter for another match, or a number > ")
                self._chooser.word("Enter for another match, q to quit > ")
                return None
            except Changed:
                continue

    def _step(self) -> list[object]:
        """The next thing that happens: an action of the person or of a bot, or a timer."""
        done = self._asked()
        if done is not None:
            return done
        plans = [
            (plan.at, seat, plan.action)
            for seat, bot in self._bots.items()
            if (legal := self._match.legal(seat)) and (plan := bot.plan(legal, self._now))
        ]
        due = self._match.due()
        if plans and (due is None or min(plans, key=_moment)[0] <= due):
            at, seat, action = min(plans, key=_moment)
            self._now = max(self._now, at)
            return self._match.apply(seat, action, self._chance, self._now)
        assert due is not None, "nobody can move and nothing is due"
        self._wait_for_reader()
        self._now = max(self._now, due)
        return self._match.tick(self._chance, self._now)

    def _asked(self) -> list[object] | None:
        """The person's action; None: nothing, and nobody waits for it."""
        scene = self._scene()
        needed = any(not choice.optional for choice in scene.choices)
        # The person is asked about optional actions once for each state of the middle.
        middle = [(zone.id, zone.things) for zone in scene.zones if zone.seat is None]
        if not scene.choices or (not needed and middle == self._declined):
            return None
        while True:
            self._draw(scene)
            pause = "" if needed else "Enter to go on, or a number > "
            try:
                chosen = self._chooser.choose(scene, pause, self._hint)
                if chosen is None:
                    self._declined = middle
                    return None
                return self._act(chosen)
            except Illegal as no:
                self._drawing.moves.append(no.sentence)
            except Changed:
                continue

    def _act(self, chosen: Chosen) -> list[object]:
        choices = self._match.choices(ME)
        action = action_of(choices, self._kinds, chosen.action, chosen.fields)
        assert action is not None, "what is offered is among the choices"
        return self._match.apply(ME, action, self._chance, self._now)

    def _wait_for_reader(self) -> None:
        """Time would pass: show what has changed, which may be gone then."""
        scene = self._scene()
        while scene != self._drawn:
            self._draw(scene)
            try:
                self._chooser.word("Enter to go on > ")
            except Changed:
                self._drawn = None

    def _hint(self) -> str:
        said = self._protocol.hint()
        if said:
            return f"Hint: {said}"
        chosen = hints.planned(self._adviser, self._match, ME, self._now)
        if chosen is None:
            return "There is no hint."
        return f"Hint: {self._chooser.wording.words(self._scene(), chosen)}"

    # -- what there is to see ---------------------------------------------------------

    def _scene(self) -> Scene:
        assert self._show.scene is not None, "a description that fails ends the program"
        return self._show.scene

    def _draw(self, scene: Scene) -> None:
        self._drawing.draw(scene)
        self._drawn = scene

    def _count(self) -> None:
        outcome = self._match.outcome()
        assert outcome is not None
        for seat in outcome.winners:
            self.won[seat] += 1
        for seat, points in outcome.scores.items():
            self.points[seat] += points

    def _end(self) -> None:
        outcome = self._match.outcome()
        assert outcome is not None
        if self._scene().zones:
            self._draw(self._scene())
        say = self._drawing.say
        winners = " and ".join(self.names[seat] for seat in outcome.winners)
        style = "bold green" if ME in outcome.winners else "bold red"
        wins = "win" if len(outcome.winners) > 1 else "wins"
        say(f"{winners} {wins}." if winners else "Nobody wins.", style)
        if outcome.scores:
            say(f"Points: {self._each(outcome.scores)}.")
        if self._game.lobby.most_points:
            say(f"All together: {self._each(dict(enumerate(self.points)))}.")
        elif len(self.names) > 1:
            say(f"Matches won: {self._each(dict(enumerate(self.won)))}.")

    def _each(self, counts: dict[Seat, int]) -> str:
        """ "Player 1, Pip 2" """
        return ", ".join(f"{self.names[seat]} {count}" for seat, count in counts.items())

    def _fail(self, error: Exception) -> None:
        raise CannotDraw(f"{self._game.name} can't be drawn: {error!r}") from error


def about(game: Game) -> str:
    """The help text of a game."""
    learn = f"`parlour learn {game.id}` teaches it." if game.lessons else ""
    return " ".join(filter(None, (f"{game.name}: {game.blurb}", game.summary, learn)))


def patch_of(changes: Sequence[str]) -> dict[str, Any]:
    """ "rules.jokers=2" as {"rules": {"jokers": 2}}."""
    patch: dict[str, Any] = {}
    for change in changes:
        path, is_given, text = change.partition("=")
        if not is_given:
            raise Illegal("bad-settings", f"{change} is not NAME=VALUE.")
        try:
            value = msgspec.json.decode(text)
        except msgspec.DecodeError:
            value = text
        at = patch
        *above, last = path.split(".")
        for key in above:
            at = at.setdefault(key, {})
            if not isinstance(at, dict):
                raise Illegal("bad-settings", f"{key} is given twice.")
        at[last] = value
    return patch


def _told(settings: Mapping[str, Any], above: str = "") -> Iterator[str]:
    """Settings as they are typed: "rules.jokers=2"."""
    for name, value in settings.items():
        if isinstance(value, dict):
            yield from _told(value, f"{above}{name}.")
        else:
            text = value if isinstance(value, str) else msgspec.json.encode(value).decode()
            yield f"{above}{name}={text}"


def _moment(plan: tuple[Millis, Seat, object]) -> tuple[Millis, Seat]:
    return plan[0], plan[1]
