"""Who was too fast once is not held to it all evening."""

from __future__ import annotations

import pytest

from parlour.server import gateway
from parlour.server.limits import TokenBucket
from tests.support import Opener


def scripted(script: list[bool]) -> TokenBucket:
    """A bucket that gives what the script says, and after it whatever is asked for."""
    now = 0.0

    def clock() -> float:
        nonlocal now
        # One token comes in a second, and only one can be there.
        now += script.pop(0) if script else 1
        return now

    bucket = TokenBucket(1, 1, lambda: 0.0)
    assert bucket.take()
    bucket._clock = clock
    return bucket


@pytest.mark.parametrize(("within", "cut"), [(80, False), (59, True)])
async def test_a_message_within_the_rate_forgives_one_over_it(
    open_house: Opener, within: int, cut: bool
) -> None:
    over = 80
    assert over <= gateway.MOST_OVER_RATE < 2 * over, "either time alone is forgiven"
    script = [*[False] * over, *[True] * within, *[False] * over]
    messages = len(script)
    house = await open_house()
    guest = await house.rummy()
    (client,) = house.server.gateway._clients.values()
    client.bucket = scripted(script)
    for _ in range(messages):
        await guest.send("pong")
    if cut:
        assert await guest.closed() == 1008
    else:
        codes = [(await guest.expect("error"))["code"] for _ in range(2 * over)]
        assert codes == ["too-fast"] * 2 * over
        assert await guest.refused("start") == "too-few"
