"""Random settings and random actions, made from the types a game declares them with."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from enum import Enum
from random import Random
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

from msgspec import inspect

from parlour.kit import Illegal
from parlour.protocol import Game

_LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789"
_WRONG_TEXTS = ("", "?", "no such card", "0" * 32)


# Settings


def random_settings(game: Game, rnd: Random) -> dict[str, Any]:
    """A patch that the game's settings take, made of some of their keys."""
    wanted = _struct(inspect.type_info(game.settings), rnd)
    patch: dict[str, Any] = {}
    for key, value in wanted.items():
        # Each alone may be right and both together wrong: then the later one stays as it was.
        try:
            game.configure(game.settings(), {**patch, key: value})
        except Illegal:
            continue
        patch[key] = value
    return patch


def _struct(info: inspect.Type, rnd: Random) -> dict[str, Any]:
    assert isinstance(info, inspect.StructType)
    made: dict[str, Any] = {}
    for each in info.fields:
        if rnd.random() < 0.6:
            value = _of_type(each.type, rnd)
            if value is not _NOTHING:
                made[each.encode_name] = value
    return made


_NOTHING = object()


def _of_type(info: inspect.Type, rnd: Random) -> Any:
    match info:
        case inspect.BoolType():
            return rnd.random() < 0.5
        case inspect.LiteralType(values=values):
            return rnd.choice(list(values))
        case inspect.EnumType(cls=cls):
            return rnd.choice([member.value for member in cls])
        case inspect.IntType():
            return _number(info, rnd)
        case inspect.FloatType():
            return float(_number(info, rnd))
        case inspect.StrType(pattern=None):
            least = info.min_length or 0
            most = min(info.max_length if info.max_length is not None else 12, least + 12)
            return "".join(rnd.choices(_LETTERS, k=rnd.randint(least, most)))
        case inspect.NoneType():
            return None
        case inspect.UnionType(types=types):
            return _of_type(rnd.choice(list(types)), rnd)
        case inspect.StructType():
            return _struct(info, rnd)
        case inspect.Metadata(type=inner):
            return _of_type(inner, rnd)
        case inspect.ListType(item_type=item):
            made = [_of_type(item, rnd) for _ in range(rnd.randint(0, 3))]
            return _NOTHING if _NOTHING in made else made
        case _:
            return _NOTHING


def _number(info: inspect.IntType | inspect.FloatType, rnd: Random) -> int:
    least = info.ge if info.ge is not None else info.gt + 1 if info.gt is not None else None
    most = info.le if info.le is not None else info.lt - 1 if info.lt is not None else None
    low = int(least) if least is not None else -10 if most is None else int(most) - 100
    high = int(most) if most is not None else low + 100
    step = int(info.multiple_of or 1)
    edge = rnd.random()
    number = low if edge < 0.15 else high if edge < 0.3 else rnd.randint(low, high)
    return min(high, -(-number // step) * step)


# Actions


def random_action(kinds: tuple[type[Any], ...], rnd: Random, match: Any, seats: int) -> Any:
    """Of a random kind, with fields of the right type: half of the values are some that legal
    actions have, whoever they are legal for."""
    pool: dict[type[Any], list[Any]] = {}
    for seat in range(seats):
        for action in match.legal(seat):
            for leaf in leaves(action):
                pool.setdefault(type(leaf), []).append(leaf)
    return _instance(rnd.choice(kinds), rnd, pool)


def leaves(thing: Any) -> Iterator[Any]:
    """The values that an action is made of, whatever they are nested in."""
    if is_dataclass(thing):
        for each in fields(thing):
            yield from leaves(getattr(thing, each.name))
    elif isinstance(thing, list | tuple):
        for item in thing:
            yield from leaves(item)
    else:
        yield thing


def _instance(kind: type[Any], rnd: Random, pool: dict[type[Any], list[Any]]) -> Any:
    hints = get_type_hints(kind, include_extras=True)
    return kind(*[_value(hints[each.name], rnd, pool) for each in fields(kind)])


def _value(hint: Any, rnd: Random, pool: dict[type[Any], list[Any]]) -> Any:
    origin, inner = get_origin(hint), get_args(hint)
    if origin is Annotated:
        return _value(inner[0], rnd, pool)
    if origin in (Union, UnionType):
        return _value(rnd.choice(inner), rnd, pool)
    if origin is Literal:
        return rnd.choice(inner)
    if origin in (list, tuple):
        several = [_value(inner[0], rnd, pool) for _ in range(rnd.randint(0, 5))]
        return origin(several)
    if origin is dict:
        return {_value(inner[0], rnd, pool): _value(inner[1], rnd, pool)}
    if hint in (None, NoneType):
        return None
    if isinstance(hint, type) and is_dataclass(hint):
        return _instance(hint, rnd, pool)
    if isinstance(hint, type) and issubclass(hint, Enum):
        return rnd.choice(list(hint))
    if pool.get(hint) and rnd.random() < 0.5:
        return rnd.choice(pool[hint])
    if hint is bool:
        return rnd.random() < 0.5
    if hint is int:
        return rnd.choice((-1, 0, 1, rnd.randint(-3, 60), 2**31))
    if hint is float:
        return rnd.uniform(-10, 10)
    if hint is str:
        return rnd.choice((*_WRONG_TEXTS, "".join(rnd.choices(_LETTERS, k=3))))
    raise TypeError(f"say with `garbage` how actions with a {hint} are made up")
