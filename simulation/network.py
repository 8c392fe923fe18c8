"""Simulated TCP: connections between machines and people, with delays and everything that breaks.

Bytes of one connection arrive in order, in pieces of any size; connections overtake each other. A
connection may stand still for a while, end without a word, or be read slowly.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextvars import Context, copy_context
from random import Random
from typing import Any, Final

from simulation.loop import SimulatedLoop
from simulation.machine import HERE, Machine

WINDOW: Final = 2_048
"""Bytes that the kernels of both sides hold; what is sent beyond waits in the sender's process. Far
fewer than real ones hold, so that slow readers are noticed within a minute."""
HIGH: Final = 65_536
"""Waiting bytes beyond which a protocol is told to pause."""


class Side(asyncio.Transport):
    """One end of a connection."""

    def __init__(self, network: Network, local: Any, remote: Any, context: Context) -> None:
        super().__init__()
        self._network = network
        self._loop = network.loop
        self._context = context
        self.machine: Machine | None = context.get(HERE)
        self._names = {"sockname": local, "peername": remote}
        self._protocol: Any = None
        self.peer: Side
        self._last = 0.0
        """When the last bytes that were sent arrive at the other side."""
        self._under_way = 0
        """Bytes that were sent and not read at the other side."""
        self._unread: list[bytes] = []
        self._ended_with: list[Callable[[], None]] = []
        """The end of the stream, after the unread bytes."""
        self._reading = True
        self._closing = False
        self._lost = False
        self._writing_paused = False
        self.latency = network.latency()

    # -- what a protocol may ask ------------------------------------------------------

    def get_extra_info(self, name: str, default: Any = None) -> Any:
        return self._names.get(name, default)

    def set_protocol(self, protocol: Any) -> None:
        self._protocol = protocol

    def get_protocol(self) -> Any:
        return self._protocol

    def is_closing(self) -> bool:
        return self._closing

    def is_reading(self) -> bool:
        return self._reading and not self._closing

    def pause_reading(self) -> None:
        self._reading = False

    def resume_reading(self) -> None:
        if not self._reading:
            self._reading = True
            if self._unread or self._ended_with:
                self._loop.call_soon(self._read, context=self._context)

    def get_write_buffer_size(self) -> int:
        return max(0, self._under_way - WINDOW)

    def get_write_buffer_limits(self) -> tuple[int, int]:
        return 0, HIGH

    def set_write_buffer_limits(self, high: int | None = None, low: int | None = None) -> None:
        return None

    def can_write_eof(self) -> bool:
        return True

    # -- sending ----------------------------------------------------------------------

    def write(self, data: Any) -> None:
        if self._closing or self._lost or not data:
            return
        data = bytes(data)
        self._under_way += len(data)
        cut = self._network.cut_of(data)
        if cut:
            self._send(data[:cut])
            data = data[cut:]
        self._send(data)
        if self.get_write_buffer_size() > HIGH and not self._writing_paused:
            self._writing_paused = True
            self._protocol.pause_writing()

    def writelines(self, parts: Any) -> None:
        self.write(b"".join(parts))

    def _send(self, data: bytes) -> None:
        self._at_peer(self.peer._arrived, data)

    def _at_peer(self, call: Callable[..., None], *args: Any) -> None:
        """Do it when a packet that is sent now arrives."""
        self._last = max(self._loop.time() + self._network.delay(self), self._last)
        peer = self.peer
        self._loop.call_at(self._last, call, *args, context=peer._context)

    def stall(self, seconds: float) -> None:
        """Nothing that is sent from now on arrives earlier."""
        self._last = max(self._last, self._loop.time() + seconds)

    def _confirmed(self, size: int) -> None:
        self._under_way -= size
        if self._writing_paused and self.get_write_buffer_size() == 0 and not self._lost:
            self._writing_paused = False
            self._protocol.resume_writing()

    # -- receiving --------------------------------------------------------------------

    def _arrived(self, data: bytes) -> None:
        if self._lost:
            return
        if self._reading and not self._unread and not self._closing:
            self.peer._confirmed(len(data))
            self._protocol.data_received(data)
        else:
            self._unread.append(data)

    def _read(self) -> None:
        while self._reading and self._unread and not self._closing and not self._lost:
            data = self._unread.pop(0)
            self.peer._confirmed(len(data))
            self._protocol.data_received(data)
        if self._reading and not self._unread and self._ended_with:
            self._ended_with.pop(0)()

    def _eof(self) -> None:
        if self._lost:
            return
        if self._unread:
            self._ended_with.append(self._eof)
            return
        if not self._closing and not self._protocol.eof_received():
            self.close()

    def _reset(self) -> None:
        self._lose(ConnectionResetError("the connection was reset"))

    def _lose(self, why: Exception | None) -> None:
        if self._lost:
            return
        self._lost = self._closing = True
        self._unread.clear()
        self._network.sides.pop(self, None)
        self._protocol.connection_lost(why)

    # -- ending -----------------------------------------------------------------------

    def write_eof(self) -> None:
        self._at_peer(self.peer._eof)

    def close(self) -> None:
        if self._closing:
            return
        self._closing = True
        self._at_peer(self.peer._gone)
        self._loop.call_soon(self._lose, None, context=self._context)

    def _gone(self) -> None:
        """The other side has closed: nothing can be sent any more."""
        if self._lost:
            return
        if self._unread and not self._closing:
            self._ended_with.append(self._gone)
            return
        if not self._closing:
            self._protocol.eof_received()
        self._lose(None)

    def abort(self) -> None:
        if self._lost:
            return
        self._closing = True
        self._at_peer(self.peer._reset)
        self._loop.call_soon(self._lose, None, context=self._context)

    def broken(self) -> None:
        """The network has lost this connection: both sides are told, each in its time."""
        self._at_peer(self.peer._reset)
        self.peer._at_peer(self._reset)


class _Bound:
    """In place of a listening socket."""

    def __init__(self, address: tuple[str, int]) -> None:
        self.address = address

    def getsockname(self) -> tuple[str, int]:
        return self.address


class Listener:
    """In place of an `asyncio.Server`."""

    def __init__(self, network: Network, factory: Any, address: tuple[str, int]) -> None:
        self.sockets = [_Bound(address)]
        self.factory = factory
        self.address = address
        self.context = copy_context()
        self._network = network

    @property
    def machine(self) -> Machine | None:
        return self.context.get(HERE)

    def close(self) -> None:
        if self._network.listeners.get(self.address) is self:
            del self._network.listeners[self.address]

    async def wait_closed(self) -> None:
        return None

    def is_serving(self) -> bool:
        return True


class Network:
    """All connections, and how slow and how broken the network is."""

    def __init__(self, loop: SimulatedLoop, rng: Random) -> None:
        self.loop = loop
        loop.network = self
        self.rng = rng
        self.listeners: dict[tuple[str, int], Listener] = {}
        self.sides: dict[Side, None] = {}
        """Ends that are open, in the order in which they were opened."""
        self.cuts = 0.02
        """How often bytes arrive in two pieces."""
        self.slow = 0.0
        """Seconds that every packet may take longer."""

    def latency(self) -> float:
        return self.rng.uniform(0.001, 0.03)

    def delay(self, side: Side) -> float:
        return side.latency + self.rng.random() * (0.005 + self.slow)

    def cut_of(self, data: bytes) -> int:
        """After how many bytes a packet ends; 0: all of it arrives at once."""
        if len(data) > 1 and self.rng.random() < self.cuts:
            return self.rng.randrange(1, len(data))
        return 0

    def listen(self, factory: Any, host: str, port: int) -> Listener:
        listener = Listener(self, factory, (host, port))
        self.listeners[host, port] = listener
        return listener

    async def connect(self, factory: Any, address: tuple[str, int], name: str = "") -> Any:
        """A connection to this address, as `create_connection` does."""
        await asyncio.sleep(self.latency())
        listener = self.listeners.get(address)
        if listener is None or listener.machine is None or listener.machine.dead:
            raise ConnectionRefusedError(f"nobody listens on {address}: {list(self.listeners)}")
        ours = (name or "198.51.100.7", self.rng.randrange(1024, 65536))
        side = Side(self, ours, address, copy_context())
        theirs = Side(self, address, ours, listener.context.copy())
        side.peer, theirs.peer = theirs, side
        self.sides[side] = self.sides[theirs] = None
        side._protocol = factory()
        theirs._protocol = None

        def accepted() -> None:
            theirs._protocol = listener.factory()
            theirs._protocol.connection_made(theirs)

        self.loop.call_soon(accepted, context=theirs._context)
        side._last = self.loop.time() + side.latency
        side._protocol.connection_made(side)
        return side, side._protocol

    def died(self, machine: Machine, *, silently: bool) -> None:
        """A machine has ended: its connections are reset, or nothing more is heard of them."""
        for key, listener in list(self.listeners.items()):
            if listener.machine is machine:
                del self.listeners[key]
        for side in [each for each in self.sides if each.machine is machine]:
            self.sides.pop(side, None)
            if silently:
                # The other side finds out when it sends something, a while later.
                side.stall(self.rng.uniform(5, 30))
            side._at_peer(side.peer._reset)
