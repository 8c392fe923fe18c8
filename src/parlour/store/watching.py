"""Facts that parts of the server keep in memory, and how they hear of changes."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Protocol, TypeAlias, TypeVar

T = TypeVar("T")

Learn: TypeAlias = Callable[[str, bytes | None], None]
"""Called with a fact's key and its value; None: the fact was deleted."""


class Watchers:
    """Those who keep facts in memory and must hear when facts change."""

    def __init__(self) -> None:
        self._watchers: list[tuple[str, Learn, Callable[[], Awaitable[None]]]] = []

    def add(self, prefix: str, learn: Learn, reload: Callable[[], Awaitable[None]]) -> None:
        self._watchers.append((prefix, learn, reload))

    def keep(self, key: str) -> bool:
        """Whether somebody keeps this fact in memory."""
        return any(key.startswith(prefix) for prefix, _, _ in self._watchers)

    def changed(self, facts: Mapping[str, bytes | None]) -> None:
        """Tell them the new values. Called in the event loop."""
        for key, value in facts.items():
            for prefix, learn, _ in self._watchers:
                if key.startswith(prefix):
                    learn(key, value)

    async def reload(self) -> None:
        """Let them read all their facts, at the start and when changes may have been missed."""
        for reload in dict.fromkeys(reload for _, _, reload in self._watchers):
            await reload()


class Facts(Protocol):
    """Where facts can be read and watched: a store, or the database itself."""

    async def recall(self, prefix: str) -> dict[str, bytes]: ...

    def watch(self, prefix: str, learn: Learn, reload: Callable[[], Awaitable[None]]) -> None: ...


class Mirror(dict[str, T]):
    """All facts whose keys have a prefix, decoded, by the rest of their keys."""

    def __init__(self, facts: Facts, prefix: str, decode: Callable[[bytes], T]) -> None:
        super().__init__()
        self._facts = facts
        self._prefix = prefix
        self._decode = decode
        facts.watch(prefix, self.learn, self.load)

    async def load(self) -> None:
        facts = await self._facts.recall(self._prefix)
        self.clear()
        for key, value in facts.items():
            self.learn(key, value)

    def learn(self, key: str, value: bytes | None) -> None:
        name = key.removeprefix(self._prefix)
        if value is None:
            self.pop(name, None)
        else:
            self[name] = self._decode(value)
