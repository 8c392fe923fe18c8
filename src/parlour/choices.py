"""The actions a seat may take now, as data: a union of products.

A `Choice` is an action with a domain for each field: any value of one field goes with any value of
another. Where fields depend on each other (an eight needs a suit) there are several choices of the
same action. A game whose `legal` lists every action writes none of this: `factored` makes it.

Everything that reads choices is here: the check (`action_of`), the list (`listed`), and the next
step for whoever puts an action together (`offers`): a page, a terminal, a screen reader, a learner.

>>> play = Choice("play", {"index": One([0, 2])})
>>> offers([play])
[('', 'play')]
>>> offers([play], [("", "play")])
[('index', 0), ('index', 2)]
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import fields as fields_of
from itertools import combinations, islice, permutations, product
from typing import Any, TypeAlias, TypeVar, get_args, get_type_hints

import msgspec

from parlour.cards import RANKS, SUITS, Rank, Suit

A = TypeVar("A")

Value: TypeAlias = bool | int | str | None
Step: TypeAlias = tuple[str, Value]
"""A field and a value. `("", name)` begins an action, `(field + "!", None)` ends a list."""

MOST_LISTED = 5_000


class One(msgspec.Struct, frozen=True, tag="one", omit_defaults=True):
    """One of these values."""

    of: Sequence[Value]
    unlike: str = ""
    """An earlier field whose value it may not repeat."""
    words: Sequence[str] = ()
    """A word to show for each value, where nothing on the table stands for it."""


class Some(msgspec.Struct, frozen=True, tag="some", omit_defaults=True):
    """A list of different values, `least` to `most` of them."""

    of: Sequence[Value]
    least: int
    most: int
    ordered: bool = False
    """Whether the order matters. If not, every order means the same."""
    rule: str = ""
    """A further condition, in words to be shown."""
    sets: Sequence[Sequence[int]] | None = None
    """With a rule: the lists that keep it, as rising positions in `of`."""
    whole: bool = True
    """Whether `sets` are complete. If not, other lists may be tried, and may be refused."""
    texts: int = 0
    """How many of the values may instead be texts of up to `longest` characters."""
    longest: int = 0


class Number(msgspec.Struct, frozen=True, tag="number"):
    """A whole number."""

    least: int
    most: int


class Text(msgspec.Struct, frozen=True, tag="text"):
    """A text of 1 to `most` characters."""

    most: int


Domain: TypeAlias = One | Some | Number | Text


class Choice(msgspec.Struct, frozen=True, omit_defaults=True):
    """One action with what its fields may be. A field that is left out has its default."""

    action: str
    """The action's class, as the plain protocol calls it: `draw_card` for `DrawCard`."""
    fields: Mapping[str, Domain] = {}
    label: str = ""
    """The text of its button; "": the action's name."""
    optional: bool = False
    """Nobody waits for it: a snap, an undo, a vote."""


Choices: TypeAlias = Sequence[Choice]


def name_of(kind: type[object]) -> str:
    """The name of a class in choices, in messages and as a method: `add_bot` for `AddBot`."""
    return re.sub(r"(?<!^)(?=[A-Z])", "_", kind.__name__).lower()


# Checking


def admits(choices: Choices, action: object) -> bool:
    """Whether the action is among the choices."""
    given = {each: getattr(action, each) for each in _defaults(type(action))}
    return _admitting(choices, type(action), given) is not None


def action_of(
    choices: Choices, kinds: Mapping[str, type[A]], name: str, given: Mapping[str, object]
) -> A | None:
    """The action with this name and these fields, if it is among the choices."""
    kind = kinds.get(name)
    if kind is not None and _defaults(kind).keys() >= given.keys():
        whole = {**_defaults(kind), **given}
        if _admitting(choices, kind, whole) is not None:
            return kind(**whole)
    return None


def _admitting(choices: Choices, kind: type[object], given: Mapping[str, object]) -> Choice | None:
    name, defaults = name_of(kind), _defaults(kind)
    for choice in choices:
        if choice.action == name and all(
            _admitted(choice.fields[key], value, given)
            if key in choice.fields
            else value == defaults[key]
            for key, value in given.items()
        ):
            return choice
    return None


def _admitted(domain: Domain, value: object, given: Mapping[str, object]) -> bool:
    match domain:
        case One(of, unlike):
            return _among(value, of) and not (unlike and given[unlike] == value)
        case Number(least, most):
            return type(value) is int and least <= value <= most
        case Text(most):
            return isinstance(value, str) and 0 < len(value) <= most
        case Some(of, least, most):
            if not isinstance(value, list) or not least <= len(value) <= most:
                return False
            at = [of.index(each) for each in value if _among(each, of)]
            texts = [each for each in value if not _among(each, of)]
            if len(set(at)) != len(at) or len(texts) > domain.texts:
                return False
            if not all(_admitted(Text(domain.longest), text, given) for text in texts):
                return False
            if domain.sets is None or not domain.whole:
                return True
            return (at if domain.ordered else sorted(at)) in map(list, domain.sets)


def _among(value: object, of: Sequence[Value]) -> bool:
    """Whether it is one of these, and of the same type: `True` is not 1."""
    return any(type(each) is type(value) and each == value for each in of)


def _defaults(kind: type[Any]) -> dict[str, object]:
    return {field.name: field.default for field in fields_of(kind)}


# Listing


def listed(choices: Choices, kinds: Iterable[type[A]], most: int = MOST_LISTED) -> list[A]:
    """Every action, each once; `ValueError` where there are more, or texts of one's own."""
    by_name = {name_of(kind): kind for kind in kinds}
    return [by_name[name](**fields) for name, fields in completed(choices, most)]


def completed(choices: Choices, most: int = MOST_LISTED) -> list[tuple[str, dict[str, Any]]]:
    """The same without classes: by name, with its fields."""
    found: list[tuple[str, dict[str, Any]]] = []
    for choice in choices:
        columns = [list(islice(_values(each), most + 1)) for each in choice.fields.values()]
        for row in product(*columns):
            given = dict(zip(choice.fields, row, strict=True))
            if all(_admitted(each, given[key], given) for key, each in choice.fields.items()):
                found.append((choice.action, given))
            if len(found) > most:
                raise ValueError(f"there are more than {most} actions")
    return found


def _values(domain: Domain) -> Iterator[object]:
    match domain:
        case One(of):
            yield from of
        case Number(least, most):
            yield from range(least, most + 1)
        case Some(of, sets=list() as sets):
            yield from ([of[at] for at in one] for one in sets)
        case Some(of, least, most, ordered, texts=0):
            pick: Callable[..., Iterable[tuple[Value, ...]]]
            pick = permutations if ordered else combinations
            for count in range(least, most + 1):
                yield from map(list, pick(of, count))
        case _:
            raise ValueError("texts can't be listed")


# Putting an action together


def offers(choices: Choices, so_far: Sequence[Step] = ()) -> list[Step]:
    """The steps that may follow; none: the action is complete."""
    return list(dict.fromkeys(step for choice in choices for step in _after(choice, so_far)))


def _after(choice: Choice, so_far: Sequence[Step]) -> list[Step]:
    """The steps of one choice after those taken; none if they belong to another choice."""
    if not so_far:
        return [("", choice.action)]
    if so_far[0] != ("", choice.action):
        return []
    given: dict[str, Value] = {}
    rest = list(so_far[1:])
    for name, domain in choice.fields.items():
        picked: list[Value] = []
        while True:
            steps = _next(name, domain, given, picked)
            if not rest:
                return steps
            step = rest.pop(0)
            own_text = isinstance(step[1], str) and (name, "") in steps
            if step not in steps and not own_text:
                return []
            if not isinstance(domain, Some):
                given[name] = step[1]
                break
            if step[0] != name:
                break
            picked.append(step[1])
    return []


def _next(name: str, domain: Domain, given: Mapping[str, Value], picked: list[Value]) -> list[Step]:
    match domain:
        case One(of, unlike):
            return [(name, value) for value in of if not unlike or given[unlike] != value]
        case Number(least, most):
            return [(name, value) for value in range(least, most + 1)]
        case Text():
            return [(name, "")]  # any text may take its place
        case Some():
            done, more = _more(domain, picked)
            end: list[Step] = [(f"{name}!", None)] if done else []
            return [*((name, value) for value in more), *end]


def _more(domain: Some, picked: list[Value]) -> tuple[bool, list[Value]]:
    """Whether the list may end here, and which values may follow."""
    of, size = domain.of, len(picked)
    if domain.sets is not None and domain.whole:
        at = [of.index(each) for each in picked]
        longer = [one for one in domain.sets if len(one) > size and list(one[:size]) == at]
        done = any(list(one) == at for one in domain.sets)
        return done, list(dict.fromkeys(of[one[size]] for one in longer))
    done = domain.least <= size <= domain.most
    if size >= domain.most:
        return done, []
    start = of.index(picked[-1]) + 1 if picked and not domain.ordered else 0
    stop = len(of) if domain.ordered else len(of) - max(domain.least - size - 1, 0)
    more = [value for value in of[start:stop] if value not in picked]
    if domain.texts > sum(each not in of for each in picked):
        more.append("")
    return done, more


def given(choices: Choices, steps: Sequence[Step]) -> dict[str, Any]:
    """The fields of an action that was put together from these steps."""
    lists = {
        field
        for choice in choices
        for field, domain in choice.fields.items()
        if choice.action == steps[0][1] and isinstance(domain, Some)
    }
    found: dict[str, Any] = {field: [] for field in lists if (f"{field}!", None) in steps}
    for field, value in steps[1:]:
        if field in lists:
            found[field].append(value)
        elif not field.endswith("!"):
            found[field] = value
    return found


# For games that list their actions


def factored(legal: Iterable[object], optional: Iterable[str] = ()) -> list[Choice]:
    """The same actions as choices, none more and none fewer."""
    rows: dict[type[Any], list[tuple[Any, ...]]] = {}
    for action in legal:
        row = tuple(getattr(action, name) for name in _defaults(type(action)))
        rows.setdefault(type(action), []).append(row)
    found: list[Choice] = []
    for kind, values in rows.items():
        defaults = _defaults(kind)
        for columns in _products(values):
            fields = {
                name: _domain(column, _words(kind, name))
                for name, column in zip(defaults, columns, strict=True)
                if column != (defaults[name],)
            }
            found.append(Choice(name_of(kind), fields, optional=name_of(kind) in optional))
    return found


def _words(kind: type[object], field: str) -> Sequence[str]:
    """How the values of a field are written, if its type says that they are suits or ranks."""
    if (kind, field) not in _KNOWN_WORDS:
        hint = get_type_hints(kind, include_extras=True)[field]
        parts = (hint, *get_args(hint))
        _KNOWN_WORDS[kind, field] = SUITS if Suit in parts else RANKS if Rank in parts else ()
    return _KNOWN_WORDS[kind, field]


_KNOWN_WORDS: dict[tuple[type[object], str], Sequence[str]] = {}


def _products(rows: Sequence[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    """Columns of values, such that the rows are all their combinations."""
    if not rows[0]:
        return [()]
    rests: dict[Any, list[tuple[Any, ...]]] = {}
    for first, *rest in rows:
        rests.setdefault(tuple(first) if isinstance(first, list) else first, []).append(tuple(rest))
    groups: dict[Any, list[Any]] = {}
    for first, rest_rows in rests.items():
        groups.setdefault(tuple(_products(rest_rows)), []).append(first)
    return [(tuple(firsts), *rest) for rests_, firsts in groups.items() for rest in rests_]


def _domain(column: tuple[Any, ...], words: Sequence[str]) -> Domain:
    if not isinstance(column[0], tuple):
        said = ["none" if each is None else str(words[each]) for each in column] if words else []
        return One(list(column), words=said)
    order = list(dict.fromkeys(value for one in column for value in one))
    sizes = [len(one) for one in column]
    sets = [sorted(map(order.index, one)) for one in column]
    return Some(order, min(sizes), max(sizes), rule="one of those listed", sets=sets)
