"""Any game with a scene in a terminal, against bots: `parlour play GAME`.

The scene is printed as text. An action is put together step by step from what may come next
(`choices.offers`); steps with one answer are skipped.
"""

from __future__ import annotations

from typing import Any, Final

from rich.console import Console
from rich.text import Text

from parlour.choices import Choices, Step, action_of, given, name_of, offers
from parlour.kit import Match, Picture
from parlour.scenes import Scene, Thing, Zone, named
from parlour.table import GameRules
from parlour.terminal import ME, Ask, TerminalGame

HELP: Final = """\
Type the number of what you want to do.
  0          begin again with another action
  q          quit
  ?          this help"""


class DescribedGame(TerminalGame[Match, object, Picture]):
    """Matches of a game that is known by its scenes and choices alone."""

    help = HELP
    unit = "match"

    def __init__(
        self,
        game: GameRules,
        console: Console,
        bots: int,
        seed: int,
        ask: Ask | None = None,
        strength: str = "",
    ) -> None:
        super().__init__(game, game.settings(), console, bots, seed, ask, strength)
        # Sentences about events speak of every player in the third person.
        self.names[ME] = "Player"
        self._kinds = {name_of(kind): kind for kind in game.actions}

    def line(self, event: object) -> Text | None:
        words = self._game.words
        said = "" if words is None else words(event, self.picture)
        return Text(self._filled(said)) if said else None

    def step(self) -> list[object]:
        choices = self.match.choices(ME)
        if any(not choice.optional for choice in choices):
            return self.match.apply(ME, self._asked(choices), self.chance, self.now)
        plans = [
            (plan.at, seat, plan.action)
            for seat, bot in self.bots.items()
            if (legal := self.match.legal(seat)) and (plan := bot.plan(legal, self.now))
        ]
        due = self.match.due()
        at, seat, action = min(plans, key=lambda plan: plan[:2], default=(due, ME, None))
        if action is None or (due is not None and at is not None and due < at):
            assert due is not None, "nobody can move and nothing is due"
            self.now = max(self.now, due)
            return self.match.tick(self.chance, self.now)
        self.now = max(self.now, at or 0)
        return self.match.apply(seat, action, self.chance, self.now)

    def count(self) -> None:
        outcome = self.match.outcome()
        assert outcome is not None, "the match is over"
        for seat, points in outcome.scores.items():
            self.scores[seat] += points
        won = " and ".join(self.names[seat] for seat in outcome.winners)
        wins = "win" if len(outcome.winners) > 1 else "wins"
        self.say(f"{won} {wins}." if won else "Nobody wins.", "bold")
        if outcome.scores:
            self.say(f"Points: {self.standing()}.")

    # -- an action --------------------------------------------------------------------

    def _asked(self, choices: Choices) -> Any:
        """What the player wants to do, put together step by step."""
        assert self._game.scene is not None
        scene: Scene = self._game.scene(self.picture, choices)
        self._draw(scene)
        steps: list[Step] = []
        while following := offers(choices, steps):
            if len(following) > 1 or following[0][1] == "":
                chosen = self._choose(scene, choices, steps, following)
                if chosen is None:
                    steps = []
                    continue
                steps.append(chosen)
            else:
                steps.append(following[0])
        action = action_of(choices, self._kinds, str(steps[0][1]), given(choices, steps))
        assert action is not None, "what is offered is among the choices"
        return action

    def _choose(
        self, scene: Scene, choices: Choices, steps: list[Step], following: list[Step]
    ) -> Step | None:
        """One of these steps; None: begin again."""
        for number, step in enumerate(following, 1):
            self.say(f"  {number}  {self._step(scene, choices, steps, step)}")
        while True:
            word, _ = self.command("> ")
            if word == "0":
                return None
            if word.isdecimal() and 1 <= int(word[:6]) <= len(following):
                field, value = following[int(word) - 1]
                return field, self.ask("Your text > ") if field and value == "" else value
            self.say(f"Type a number from 1 to {len(following)}, or 0 to begin again.", "yellow")

    def _step(self, scene: Scene, choices: Choices, steps: list[Step], step: Step) -> str:
        """A step in words: an action's label, or the thing that a value stands for."""
        field, value = step
        if not field:
            labels = (choice.label for choice in choices if choice.action == value)
            return next(filter(None, labels), str(value).replace("_", " ").capitalize())
        if field.endswith("!"):
            return "That is all."
        if value == "":
            return "A text of your own"
        action = str(steps[0][1])
        for zone in scene.zones:
            if zone.id in scene.targets.get(f"{action}.{field}", ()):
                if zone.name is not None and zone.name == value:
                    return self._filled(zone.label)
                for thing in zone.things:
                    if named(thing) == value:
                        return _thing(thing)
        return _word(choices, action, field, value)

    # -- the table --------------------------------------------------------------------

    def _draw(self, scene: Scene) -> None:
        self.say("")
        for info in scene.seats:
            told = [f"{what} {count}" for what, count in info.counters.items()]
            said = ", ".join([*told, *info.marks])
            if said:
                self.say(f"{self.names[info.seat]}: {said}", "dim")
        for zone in scene.zones:
            self.say(f"{self._filled(zone.label)}: {_things(zone)}")
        for what, count in scene.counters.items():
            self.say(f"{what.capitalize()}: {count}")
        self.say(self._filled(scene.prompt), "bold")

    def _filled(self, text: str) -> str:
        return text.format(*self.names)


def _things(zone: Zone) -> str:
    faces = [_thing(thing) for thing in zone.things if thing.face is not None]
    hidden = len(zone.things) - len(faces) + zone.more
    more = [f"{hidden} face down" if zone.look != "pile" else f"{hidden} more"] if hidden else []
    return ", ".join([*faces, *more]) or "nothing"


def _thing(thing: Thing) -> str:
    return " ".join([thing.face or "face down", *(f"({mark})" for mark in thing.marks)])


def _word(choices: Choices, action: str, field: str, value: object) -> str:
    for choice in choices:
        domain = choice.fields.get(field)
        of, words = getattr(domain, "of", ()), getattr(domain, "words", ())
        if choice.action == action and words and value in of:
            return str(words[of.index(value)])
    return str(value)
