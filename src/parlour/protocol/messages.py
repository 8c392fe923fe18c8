"""Messages made from dataclasses: how a game's actions and events go over a plain wire.

For each class there is a msgspec struct with the same fields, and both ways between them. What
comes in is bounded by its type: texts, lists and numbers have a largest size.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import MISSING, dataclass, fields, is_dataclass
from functools import cache
from types import MappingProxyType, NoneType, UnionType
from typing import Annotated, Any, Final, Literal, TypeAlias, Union, get_args, get_origin
from typing import get_type_hints as hints_of

import msgspec
from msgspec import Meta

from parlour.cards import JOKERS, RANKS, SUITS, Face, Rank, Suit, rank_of, suit_of
from parlour.choices import name_of
from parlour.protocol.requests import BadMessage

SuitName: TypeAlias = Literal["hearts", "diamonds", "clubs", "spades"]
RankName: TypeAlias = Literal["A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K"]


class FaceInWords(msgspec.Struct, frozen=True):
    """The face of a card. A joker is red or black instead of having a suit."""

    rank: RankName | Literal["joker"]
    suit: SuitName | Literal["red", "black"]


def _in_words(face: Face) -> FaceInWords:
    suit: Any = ("red", "black")[face - 52] if suit_of(face) == JOKERS else SUITS[suit_of(face)]
    rank: Any = RANKS[rank_of(face)]
    return FaceInWords(rank, suit)


_FACES: Final = {face: _in_words(face) for face in range(54)}
_NUMBERS: Final = {words: face for face, words in _FACES.items()}


def _number(words: FaceInWords) -> Face:
    if words not in _NUMBERS:
        raise BadMessage("bad-message", f"There is no {words.rank} of {words.suit}.")
    return _NUMBERS[words]


@dataclass(frozen=True, slots=True)
class Form:
    """How values of one type are sent and received. None: they are not converted."""

    type: Any
    out: Callable[[Any], Any] | None = None
    back: Callable[[Any], Any] | None = None


Forms: TypeAlias = tuple[tuple[str, Form], ...]
"""Of the fields of a class, in order."""

_WORDS: Final[dict[object, Form]] = {
    Face: Form(FaceInWords, _FACES.__getitem__, _number),
    Suit: Form(SuitName, SUITS.__getitem__, SUITS.index),
    Rank: Form(RankName, RANKS.__getitem__, RANKS.index),
}
_PLAIN: Final[dict[object, Form]] = {each: Form(each) for each in (int, str, bool, NoneType)}
_BOUNDED: Final[dict[object, Form]] = {
    **_PLAIN,
    # Whole numbers that every client's JSON can hold.
    int: Form(Annotated[int, Meta(ge=-(2**53), le=2**53)]),
    str: Form(Annotated[str, Meta(max_length=300)]),
}
_MOST: Final = 128
"""The longest list that is taken."""


@dataclass(frozen=True, slots=True)
class Derived:
    """A class of the rules and the message made from it."""

    source: type[object]
    message: type[msgspec.Struct]
    tag: str
    forms: Forms

    @classmethod
    def action(cls, source: type[object]) -> Derived:
        """The message of an action. Its fields must be types that the log can store and restore."""
        return cls._of(source, "Action", _action_form)

    @classmethod
    def event(cls, source: type[object]) -> Derived:
        return cls._of(source, "Event", _event_form)

    @classmethod
    def _of(cls, source: type[object], kind: str, form_of: Callable[[object], Form]) -> Derived:
        tag = name_of(source)
        forms = _forms(source, form_of)
        defaults = _defaults(source, forms) if kind == "Action" else {}
        struct = _struct(source, f"{source.__name__}{kind}", forms, tag, defaults)
        return cls(source, struct, tag, forms)

    def out(self, event: object) -> msgspec.Struct:
        """The message that says an event."""
        return _written(self.message, self.forms, event)

    def back(self, message: object) -> Any:
        """The action that a message asks for."""
        values = {name: getattr(message, name) for name, _ in self.forms}
        for name, form in self.forms:
            if form.back is not None:
                values[name] = form.back(values[name])
        return self.source(**values)


def _forms(source: type[object], form_of: Callable[[object], Form]) -> Forms:
    if not is_dataclass(source):
        raise TypeError(f"{source.__name__} is no dataclass, so no message can be made of it")
    hints = hints_of(source, include_extras=True)
    found: list[tuple[str, Form]] = []
    for field in fields(source):
        # Fields that do not compare hold cached views, which are no part of the event.
        if field.compare:
            try:
                found.append((field.name, form_of(hints[field.name])))
            except TypeError as no:
                raise TypeError(f"{source.__name__}.{field.name}: {no}") from None
    return tuple(found)


def _defaults(source: type[Any], forms: Forms) -> dict[str, object]:
    """The fields of an action that clients may leave out, with the values that these then have."""
    given = {field.name: field.default for field in fields(source)}
    return {
        name: given[name] if form.out is None else form.out(given[name])
        for name, form in forms
        if given[name] is not MISSING
    }


def _struct(
    source: type[object],
    name: str,
    forms: Forms,
    tag: str | None = None,
    defaults: Mapping[str, object] = MappingProxyType({}),
) -> type[msgspec.Struct]:
    return msgspec.defstruct(
        name,
        [
            (field, form.type, defaults[field]) if field in defaults else (field, form.type)
            for field, form in forms
        ],
        tag=tag,
        frozen=True,
        module=__name__,
        namespace={"__doc__": source.__doc__},
    )


def _written(struct: type[msgspec.Struct], forms: Forms, thing: object) -> msgspec.Struct:
    values: list[object] = []
    for name, form in forms:
        value = getattr(thing, name)
        values.append(value if form.out is None else form.out(value))
    return struct(*values)


def _action_form(hint: object) -> Form:
    """The form of an action's field. It goes into the log as JSON and must come back the same."""
    form = _common_form(hint, _BOUNDED, _action_form)
    if form is not None:
        return form
    if get_origin(hint) is list:
        item = _action_form(*get_args(hint))
        return _several(item, Annotated[list[item.type], Meta(max_length=_MOST)])  # type: ignore[name-defined]
    raise TypeError(
        f"an action can't hold {hint}: only int, str, bool, None, Literal, Face, Suit, Rank,"
        " and lists of them"
    )


def _event_form(hint: object) -> Form:
    """The form of an event's field."""
    form = _common_form(hint, _PLAIN, _event_form)
    if form is not None:
        return form
    origin, args = get_origin(hint), get_args(hint)
    if origin is list or (origin is tuple and args[1:] == (...,)):
        item = _event_form(args[0])
        return _several(item, list[item.type])  # type: ignore[name-defined]
    if origin is dict and args[0] in (str, int):
        value = _event_form(args[1])
        return Form(
            dict[str, value.type],  # type: ignore[name-defined]
            lambda told: {
                str(key): each if value.out is None else value.out(each)
                for key, each in told.items()
            },
        )
    if is_dataclass(hint) and isinstance(hint, type):
        return _part_form(hint)
    raise TypeError(
        f"an event can't hold {hint}: only int, str, bool, None, Literal, Face, Suit, Rank,"
        " dataclasses of these, and lists, tuples and dicts of them"
    )


@cache
def _part_form(source: type[object]) -> Form:
    """The form of a dataclass inside an event: one struct, however many events have it."""
    forms = _forms(source, _event_form)
    part = _struct(source, source.__name__, forms)
    return Form(part, lambda thing: _written(part, forms, thing))


def _common_form(
    hint: object, plain: dict[object, Form], form_of: Callable[[object], Form]
) -> Form | None:
    """The form of types that both actions and events can hold; None: it is none of these."""
    if hint in _WORDS:
        return _WORDS[hint]
    if hint in plain:
        return plain[hint]
    if get_origin(hint) is Literal:
        return Form(hint)
    if get_origin(hint) in (Union, UnionType):
        return _either([form_of(part) for part in get_args(hint)])
    return None


def _either(parts: list[Form]) -> Form:
    """The form of a union. If a part needs conversion, the only other part may be None."""
    union = Union[tuple(part.type for part in parts)]  # type: ignore[valid-type]  # noqa: UP007
    others = [part for part in parts if part.type is not NoneType]
    if all(part.out is None for part in others):
        return Form(union)
    if len(others) > 1:
        raise TypeError("of a union, only `X | None` can be said in words")
    out, back = others[0].out, others[0].back
    return Form(
        union,
        lambda value: None if value is None or out is None else out(value),
        None if back is None else lambda value: None if value is None else back(value),
    )


def _several(item: Form, kind: Any) -> Form:
    out, back = item.out, item.back
    return Form(
        kind,
        None if out is None else lambda told: [out(each) for each in told],
        None if back is None else lambda told: [back(each) for each in told],
    )
