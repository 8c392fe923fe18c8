"""Who was too fast once is not held to it all evening."""

from __future__ import annotations

import pytest

from parlour.server import gateway
from parlour.server.limits import TokenBucket
from tests.support import Opener


class ScriptedBucket(TokenBucket):
    """Gives what the script says, and after it whatever is asked for."""

    script: list[bool]

    def take(self) -> bool:
        super().take()
        return self.script.pop(0) if self.script else True


@pytest.mark.parametrize(("within", "cut"), [(80, False), (59, True)])
async def test_a_message_within_the_rate_forgives_one_over_it(
    open_house: Opener, monkeypatch: pytest.MonkeyPatch, within: int, cut: bool
) -> None:
    over = 80
    assert over <= gateway.MOST_OVER_RATE < 2 * over, "either time alone is forgiven"
    script = [*[False] * over, *[True] * within, *[False] * over]
    messages = len(script)
    monkeypatch.setattr(gateway, "TokenBucket", ScriptedBucket)
    monkeypatch.setattr(ScriptedBucket, "script", script, raising=False)
    house = await open_house()
    guest = await house.rummy()
    for _ in range(messages):
        await guest.send("pong")
    if cut:
        assert await guest.closed() == 1008
    else:
        codes = [(await guest.expect("error"))["code"] for _ in range(2 * over)]
        assert codes == ["too-fast"] * 2 * over
        assert await guest.refused("start") == "too-few"
