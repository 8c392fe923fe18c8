"""Random settings and random actions, made from the types a game declares them with."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass, replace
from random import Random
from typing import Any, TypeAlias

from msgspec import inspect

from parlour.kit import Illegal
from parlour.protocol import Game

_LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789"
_WRONG_TEXTS = ("", "?", "no such card", "0" * 32)

Pool: TypeAlias = Mapping[type[Any], list[Any]]
"""Values that legal actions have, by type."""


def random_settings(game: Game, rnd: Random) -> dict[str, Any]:
    """A patch that the game's settings take, made of some of their keys."""
    wanted = _value(inspect.type_info(game.settings), rnd, None)
    patch: dict[str, Any] = {}
    for key, value in wanted.items():
        # Two values may each be right alone and wrong together: then the later one is left out.
        try:
            game.configure(game.settings(), {**patch, key: value})
        except Illegal:
            continue
        patch[key] = value
    return patch


def random_action(kinds: tuple[type[Any], ...], rnd: Random, match: Any, seats: int) -> Any:
    """Of a random kind, with fields of the right types. Half of the values are taken from actions
    that are legal for somebody."""
    pool: dict[type[Any], list[Any]] = {}
    for seat in range(seats):
        for action in match.legal(seat):
            for leaf in leaves(action):
                pool.setdefault(type(leaf), []).append(leaf)
    return _value(inspect.type_info(rnd.choice(kinds)), rnd, pool)


def nearly_right(action: Any, others: list[Any], lying: list[Any], rnd: Random) -> Any:
    """The action with another value in one field: one that another action of its kind has there, a
    neighbour of its own, or one of the things that lie there."""
    names = [each.name for each in fields(action)]
    if not names:
        return action
    name = rnd.choice(names)
    old = getattr(action, name)
    used = [getattr(each, name) for each in others if type(each) is type(action)]
    things = [value for value in lying if type(value) is type(old)]
    if isinstance(old, list):
        things = [[*old[: rnd.randint(0, len(old))], value] for value in lying]
    pools = [pool for pool in (used, things, _neighbours(old)) if pool]
    return replace(action, **{name: rnd.choice(rnd.choice(pools))})


def _neighbours(value: Any) -> list[Any]:
    match value:
        case bool():
            return [not value]
        case int():
            return [value - 1, value + 1]
        case [*items] if items:
            return [items[:-1], items[1:], items[::-1], [*items, items[0]]]
        case _:
            return []


def leaves(thing: Any) -> Iterator[Any]:
    """The values in an action, however deeply nested."""
    if is_dataclass(thing):
        for each in fields(thing):
            yield from leaves(getattr(thing, each.name))
    elif isinstance(thing, list | tuple):
        for item in thing:
            yield from leaves(item)
    else:
        yield thing


def _value(info: inspect.Type, rnd: Random, pool: Pool | None) -> Any:
    """For an action, with a pool: an object, which may break limits. For settings, without one:
    plain data within the limits of its type. Raises `TypeError` for types it does not know."""
    match info:
        case inspect.Metadata(type=inner):
            return _value(inner, rnd, pool)
        case inspect.UnionType(types=types):
            return _value(rnd.choice(types), rnd, pool)
        case inspect.LiteralType(values=values):
            return rnd.choice(values)
        case inspect.EnumType(cls=cls):
            member = rnd.choice(list(cls))
            return member.value if pool is None else member
        case inspect.NoneType():
            return None
        case inspect.BoolType():
            return rnd.random() < 0.5
        case inspect.IntType():
            if pool is None:
                return _within(info, rnd)
            return _known(int, rnd, pool, (-1, 0, 1, rnd.randint(-3, 60), 2**31))
        case inspect.FloatType():
            return float(_within(info, rnd)) if pool is None else rnd.uniform(-10, 10)
        case inspect.StrType(pattern=None):
            if pool is None:
                return _text(info, rnd)
            return _known(str, rnd, pool, (*_WRONG_TEXTS, "".join(rnd.choices(_LETTERS, k=3))))
        case inspect.ListType(item_type=item):
            return [_value(item, rnd, pool) for _ in range(rnd.randint(0, 5))]
        case inspect.VarTupleType(item_type=item):
            return tuple(_value(item, rnd, pool) for _ in range(rnd.randint(0, 5)))
        case inspect.DictType(key_type=key, value_type=value):
            return {_value(key, rnd, pool): _value(value, rnd, pool)}
        case inspect.DataclassType(cls=cls):
            return cls(*[_value(each.type, rnd, pool) for each in info.fields])
        case inspect.StructType():
            return _some_fields(info, rnd)
        case _:
            raise TypeError(f"say with `garbage` how actions with a {info} are made up")


def _some_fields(info: inspect.StructType, rnd: Random) -> dict[str, Any]:
    """Settings, without those of types that can't be made up."""
    made: dict[str, Any] = {}
    for each in info.fields:
        if rnd.random() < 0.6:
            try:
                made[each.encode_name] = _value(each.type, rnd, None)
            except TypeError:
                continue
    return made


def _within(info: inspect.IntType | inspect.FloatType, rnd: Random) -> int:
    least = info.ge if info.ge is not None else info.gt + 1 if info.gt is not None else None
    most = info.le if info.le is not None else info.lt - 1 if info.lt is not None else None
    low = int(least) if least is not None else -10 if most is None else int(most) - 100
    high = int(most) if most is not None else low + 100
    step = int(info.multiple_of or 1)
    edge = rnd.random()
    number = low if edge < 0.15 else high if edge < 0.3 else rnd.randint(low, high)
    return min(high, -(-number // step) * step)


def _text(info: inspect.StrType, rnd: Random) -> str:
    least = info.min_length or 0
    most = min(info.max_length if info.max_length is not None else 12, least + 12)
    return "".join(rnd.choices(_LETTERS, k=rnd.randint(least, most)))


def _known(kind: type[Any], rnd: Random, pool: Pool, others: tuple[Any, ...]) -> Any:
    """A value that legal actions have or, as often, one of the others."""
    known = pool.get(kind)
    return rnd.choice(known if known and rnd.random() < 0.5 else others)
