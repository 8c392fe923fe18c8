"""A network between nodes of one process."""

from __future__ import annotations

from collections.abc import Callable


class Network:
    """Carries packets between them, unless it is cut (`parlour.bus.sealed.Carrier`)."""

    def __init__(self) -> None:
        self._arrived: dict[int, Callable[[bytes], None]] = {}
        self.cut = False

    async def start(self, address: int, arrived: Callable[[bytes], None]) -> None:
        self._arrived[address] = arrived

    def carry(self, address: int, data: bytes) -> None:
        if not self.cut:
            self._arrived[address](data)

    async def stop(self) -> None: ...
