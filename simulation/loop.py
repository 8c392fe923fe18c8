"""An event loop in virtual time: when nothing is left to do now, it is later at once.

Sockets are `simulation.network`'s, work in threads is done in place after a while, and nothing
waits for the real world. Callbacks of a machine that is paused wait until it goes on; those of a
machine that is dead are dropped.
"""

from __future__ import annotations

import asyncio
import heapq
from asyncio import AbstractEventLoop, Handle, TimerHandle
from collections import deque
from collections.abc import Callable
from contextvars import Context, copy_context
from itertools import count
from typing import TYPE_CHECKING, Any

from simulation.machine import HERE, Machine, here

if TYPE_CHECKING:
    from simulation.network import Network


class Stuck(Exception):
    """Nothing will ever happen again."""


class _Timer(TimerHandle):
    """As asyncio's, but made with fewer steps: there are hundreds a second."""

    __slots__ = ()

    def __init__(
        self,
        when: float,
        callback: Callable[..., Any],
        args: tuple[Any, ...],
        loop: AbstractEventLoop,
        context: Context | None,
    ) -> None:
        self._when = when
        self._callback = callback
        self._args = args
        self._loop = loop
        self._context = copy_context() if context is None else context
        self._cancelled = self._scheduled = False
        self._repr = self._source_traceback = None


class SimulatedLoop(asyncio.BaseEventLoop):
    """Runs callbacks in the order of their virtual times."""

    network: Network

    def __init__(self) -> None:
        super().__init__()
        self._now = 0.0
        self._ready: deque[Handle] = deque()
        self._timers: list[tuple[float, int, TimerHandle]] = []
        self._numbers = count()
        self.after_step: Callable[[], None] = lambda: None

    def time(self) -> float:
        return self._now

    # -- callbacks --------------------------------------------------------------------

    def call_soon(
        self, callback: Callable[..., Any], *args: Any, context: Context | None = None
    ) -> Handle:
        handle = Handle(callback, args, self, context)
        self._ready.append(handle)
        return handle

    call_soon_threadsafe = call_soon

    def call_later(
        self, delay: float, callback: Callable[..., Any], *args: Any, context: Context | None = None
    ) -> TimerHandle:
        machine = HERE.get()
        if machine is not None:
            # A timer counts the seconds of its own machine.
            delay /= machine.drift
        timer = _Timer(self._now + delay, callback, args, self, context)
        heapq.heappush(self._timers, (timer._when, next(self._numbers), timer))
        return timer

    def create_task(self, coro: Any, *, name: Any = None, context: Any = None) -> Any:
        machine = HERE.get() if context is None else context.get(HERE)
        task = asyncio.Task(coro, loop=self, name=name, context=context)
        if machine is not None:
            machine.tasks.add(task)
        return task

    def call_at(
        self, when: float, callback: Callable[..., Any], *args: Any, context: Context | None = None
    ) -> TimerHandle:
        timer = _Timer(when, callback, args, self, context)
        heapq.heappush(self._timers, (when, next(self._numbers), timer))
        return timer

    def _timer_handle_cancelled(self, handle: TimerHandle) -> None:
        """It is dropped when its time comes."""

    def _run_once(self) -> None:
        ready, timers = self._ready, self._timers
        if not ready:
            while timers and timers[0][2]._cancelled:
                heapq.heappop(timers)
            if not timers:
                raise Stuck
            self._now = max(self._now, timers[0][0])
        now = self._now
        while timers and timers[0][0] <= now:
            timer = heapq.heappop(timers)[2]
            if not timer._cancelled:
                ready.append(timer)
        for _ in range(len(ready)):
            handle = ready.popleft()
            if handle._cancelled:
                continue
            machine: Machine | None = handle._context.get(HERE)
            if machine is not None and (machine.dead or machine.paused):
                if machine.paused:
                    machine.held.append(handle)
                continue
            handle._run()
        self.after_step()

    def load(self, machine: Machine) -> tuple[int, int]:
        """How many tasks and timers a machine has."""
        tasks = sum(not task.done() for task in machine.tasks)
        timers = sum(
            timer._context.get(HERE) is machine
            for _, _, timer in self._timers
            if not timer._cancelled
        )
        return tasks, timers

    def resume(self, machine: Machine) -> None:
        """A machine that was paused goes on."""
        machine.paused = False
        held, machine.held = machine.held, []
        self._ready.extend(held)

    # -- what a loop does besides -----------------------------------------------------

    def run_in_executor(self, executor: Any, func: Callable[..., Any], *args: Any) -> Any:
        future = self.create_future()

        def work() -> None:
            if future.cancelled():
                return
            try:
                future.set_result(func(*args))
            except Exception as wrong:
                future.set_exception(wrong)

        self.call_later(here().rng.uniform(0.0002, 0.01), work)
        return future

    async def getaddrinfo(self, host: Any, port: Any, **how: Any) -> Any:
        return [(2, 1, 6, "", (host, port))]

    async def create_server(
        self, factory: Any, host: Any = None, port: Any = None, **how: Any
    ) -> Any:
        return self.network.listen(factory, host, port)

    async def create_connection(
        self, factory: Any, host: Any = None, port: Any = None, **how: Any
    ) -> Any:
        address = how["sock"].address if how.get("sock") is not None else (host, port)
        return await self.network.connect(factory, address)

    def add_signal_handler(self, sig: int, callback: Callable[..., Any], *args: Any) -> None:
        machine = HERE.get()
        if machine is not None:
            machine.signals[sig] = (callback, args)

    def _process_events(self, event_list: Any) -> None:
        return None

    def _write_to_self(self) -> None:
        return None


def running() -> AbstractEventLoop:
    return asyncio.get_running_loop()
