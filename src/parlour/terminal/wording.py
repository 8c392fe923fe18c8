"""Actions in words: "Discard 7♥". Values are named by what they stand for on the table."""

from __future__ import annotations

from rich.text import Text

from parlour.choices import Choice, Choices, One, Value
from parlour.scenes import Scene, Zone, named
from parlour.terminal.drawing import Drawing
from parlour.terminal.entries import Chosen


class Wording:
    """Words for actions, as a drawing names cards and players."""

    def __init__(self, drawing: Drawing) -> None:
        self._drawing = drawing

    def words(self, scene: Scene, chosen: Chosen) -> Text:
        """ "Discard 7♥", "Lay on a meld 5♥, Meld 2" """
        line = Text(label_of(_choice_of(scene, chosen), scene.choices))
        told = [Text(" ").join(values) for values in self.told(scene, chosen)]
        return line.append(" ").append_text(Text(", ").join(told)) if told else line

    def told(self, scene: Scene, chosen: Chosen) -> list[list[Text]]:
        """The values of those fields that must be told."""
        same = [each for each in scene.choices if each.action == chosen.action]
        choice = _choice_of(scene, chosen)
        label = _in_label(choice, same)
        return [
            [
                self.value(scene, same, chosen.action, field, one)
                for one in (value if isinstance(value, list) else [value])
            ]
            for field, value in chosen.fields.items()
            if field in choice.fields
            and (
                f"{chosen.action}.{field}" in scene.targets
                or (field != label and _is_open(same, chosen, field))
            )
        ]

    def value(self, scene: Scene, choices: Choices, action: str, field: str, value: Value) -> Text:
        """A value: the thing on the table that it stands for, or a word."""
        targets = scene.targets.get(f"{action}.{field}", ())
        for zone in scene.zones:
            if zone.id not in targets:
                continue
            if zone.name is not None and zone.name == value:
                return Text(self._drawing.filled(zone.label))
            for at, thing in enumerate(zone.things):
                if named(thing) == value:
                    if thing.face is None:
                        return Text(self._unseen(zone, at))
                    where = "" if len(targets) == 1 else f" ({self._drawing.filled(zone.label)})"
                    return self._drawing.face(thing.face, zone.deck).append(where)
        for choice in choices:
            domain = choice.fields.get(field)
            if choice.action == action and isinstance(domain, One) and domain.words:
                for each, word in zip(domain.of, domain.words, strict=True):
                    if each == value:
                        return Text(self._drawing.filled(word))
        return Text(str(value))

    def _unseen(self, zone: Zone, at: int) -> str:
        """ "Your cards 2", "Deck" """
        label = self._drawing.filled(zone.label)
        return label if zone.look == "pile" else f"{label} {at + 1}"


def label_of(choice: Choice, choices: Choices) -> str:
    """The label of a choice. Where each choice of an action has another single value of a field,
    it is the word for that value: "Leave it"."""
    same = [each for each in choices if each.action == choice.action]
    domain = choice.fields.get(_in_label(choice, same))
    if isinstance(domain, One):
        return domain.words[0][:1].upper() + domain.words[0][1:]
    labels = (each.label for each in same)
    return next(filter(None, labels), choice.action.replace("_", " ").capitalize())


def _in_label(choice: Choice, same: Choices) -> str:
    """The field whose value is the label of a choice; "": none."""
    for field, domain in choice.fields.items():
        if isinstance(domain, One) and len(domain.of) == len(domain.words) == 1:
            others = [each.fields.get(field) for each in same]
            single = [each.of for each in others if isinstance(each, One) and len(each.of) == 1]
            if len(single) == len(same) and any(each != domain.of for each in single):
                return field
    return ""


def _choice_of(scene: Scene, chosen: Chosen) -> Choice:
    """The choice that an action was made by."""
    return next(each for each in scene.choices if _fits(each, chosen))


def _fits(choice: Choice, chosen: Chosen, but: str = "") -> bool:
    """Whether an action may be one of these, but for one of its fields."""
    return choice.action == chosen.action and all(
        field == but or not isinstance(domain, One) or chosen.fields.get(field) in domain.of
        for field, domain in choice.fields.items()
    )


def _is_open(choices: Choices, chosen: Chosen, field: str) -> bool:
    """Whether there were other answers, so that this one must be told."""
    value = chosen.fields[field]
    for choice in choices:
        domain = choice.fields.get(field)
        if isinstance(domain, One):
            # Another value beside this one, or with the same other fields.
            if value in domain.of or _fits(choice, chosen, field):
                if any(each != value for each in domain.of):
                    return True
        elif domain is not None:
            return True
    return False
