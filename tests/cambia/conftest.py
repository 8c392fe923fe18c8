"""An evening of Cambia: see `tests.cambia.guests`."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.cambia.guests import Evening
from tests.support import OpenHouse


@pytest.fixture
def evening(house: OpenHouse) -> Iterator[Evening]:
    with Evening(house) as evening:
        yield evening
