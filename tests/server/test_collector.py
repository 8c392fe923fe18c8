"""Reference cycles are freed although long-lived objects are left alone.

In a process of its own: the collector's settings are those of the whole process.
"""

from __future__ import annotations

import subprocess
import sys

_BEGIN = """
import asyncio, gc, sys, weakref
from parlour.server.collector import YOUNG, Collector

class Node:
    pass

def cycle():
    a, b = Node(), Node()
    a.other, b.other = b, a
    return a

def allocate():
    return [[] for _ in range(2 * YOUNG)]
"""


def _run(program: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", _BEGIN + program],
        check=False,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_new_cycle_is_freed_as_soon_as_a_few_thousand_objects_follow() -> None:
    assert (
        _run("""
async def main():
    Collector().start()
    seen = weakref.ref(cycle())
    kept = allocate()
    print(seen() is None)
asyncio.run(main())
""")
        == "True\n"
    )


def test_an_old_cycle_is_freed_when_memory_has_grown() -> None:
    assert (
        _run("""
async def main():
    Collector(every=0.01, at_least=100_000).start()
    old = cycle()
    seen = weakref.ref(old)
    kept = allocate()
    del old
    kept += allocate()
    await asyncio.sleep(0.05)
    print(seen() is None)
    growth = [[] for _ in range(100_000 + 2 * sys.getallocatedblocks())]
    for _ in range(200):
        await asyncio.sleep(0.01)
        if seen() is None:
            break
    print(seen() is None)
asyncio.run(main())
""")
        == "False\nTrue\n"
    )


def test_an_old_cycle_is_freed_when_many_tables_have_closed() -> None:
    assert (
        _run("""
async def main():
    collector = Collector(every=0.01)
    collector.start()
    collector.tables_now(150)
    old = cycle()
    seen = weakref.ref(old)
    kept = allocate()
    del old
    for left in range(149, 60, -1):
        collector.tables_now(left)
    await asyncio.sleep(0.05)
    print(seen() is None)
    for left in range(60, -1, -1):
        collector.tables_now(left)
    for _ in range(200):
        await asyncio.sleep(0.01)
        if seen() is None:
            break
    print(seen() is None)
asyncio.run(main())
""")
        == "False\nTrue\n"
    )


def test_an_old_cycle_is_freed_when_many_tables_have_fallen_asleep() -> None:
    assert (
        _run("""
async def main():
    collector = Collector(every=0.01)
    collector.start()
    collector.tables_now(5000)
    old = cycle()
    seen = weakref.ref(old)
    kept = allocate()
    del old
    collector.slept(90, 20)
    await asyncio.sleep(0.05)
    print(seen() is None)
    collector.slept(30, 0)
    for _ in range(200):
        await asyncio.sleep(0.01)
        if seen() is None:
            break
    print(seen() is None)
asyncio.run(main())
""")
        == "False\nTrue\n"
    )


def test_long_lived_objects_are_not_looked_at_again() -> None:
    assert (
        _run("""
async def main():
    Collector().start()
    kept = [cycle() for _ in range(10 * YOUNG)]
    print(len(gc.get_objects()) < 3 * YOUNG, gc.get_freeze_count() > 10 * YOUNG)
asyncio.run(main())
""")
        == "True True\n"
    )


def test_python_s_own_rules_apply_again_in_the_end() -> None:
    assert (
        _run("""
async def main():
    gc.set_threshold(777, 7, 7)
    before = gc.get_threshold()
    collector = Collector()
    collector.start()
    changed = gc.get_threshold() != before
    collector.stop()
    print(changed, gc.get_threshold() == before, gc.get_freeze_count(), len(gc.callbacks))
asyncio.run(main())
""")
        == "True True 0 0\n"
    )
