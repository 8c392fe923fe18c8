"""How the tests of the battery are run, and what their failures say."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager
from functools import wraps
from os import environ
from random import Random
from typing import Any, TypeVar

from parlour.battery.night import Night
from parlour.table import inputs as do

EFFORT = int(environ.get("PARLOUR_BATTERY_EFFORT", "1"))
"""How many times as many nights as usual to try."""

PAGE = "docs/battery.md"

T = TypeVar("T", bound=Callable[..., None])


@contextmanager
def noted(where: str) -> Generator[None]:
    """A failure in this block says where it was."""
    try:
        yield
    except Exception as failure:
        failure.add_note(where)
        raise


def check(section: str) -> Callable[[T], T]:
    """A failure of this test names the last step, the test, and the section of `PAGE` that explains
    it."""

    def decorate(test: T) -> T:
        @wraps(test)
        def checked(*given: Any, **named: Any) -> None:
            Night.latest = None
            try:
                test(*given, **named)
            except Exception as failure:
                failure.add_note(f"{_step()}{test.__name__}: see {PAGE}#{section}")
                raise

        checked.section = section  # type: ignore[attr-defined]
        return checked  # type: ignore[return-value]

    return decorate


def _step() -> str:
    """The last input that any table was given."""
    night = Night.latest
    if night is None:
        return ""
    entry = do.decode(night.log[-1][1])
    return f"after step {len(night.log) - 1}, {entry}, in "


def nights(count: int, section: str) -> Callable[[Callable[[Any, Random], None]], Any]:
    """Run a test on so many nights, each with its own random numbers."""

    def decorate(test: Callable[[Any, Random], None]) -> Any:
        def tried(self: Any) -> None:
            for seed in range(count * EFFORT):
                with noted(f"on the night of Random({seed})"):
                    test(self, Random(seed))

        tried.__name__, tried.__doc__ = test.__name__, test.__doc__
        return check(section)(tried)

    return decorate
