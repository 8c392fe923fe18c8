"""What the README shows works as it stands there."""

from __future__ import annotations

import asyncio
import re
from contextlib import suppress
from pathlib import Path
from typing import Any

from tests.support import OpenHouse

README = (Path(__file__).parents[1] / "README.md").read_text()


async def test_the_readmes_bot_sits_down_and_plays(house: OpenHouse) -> None:
    block = re.search(r"```python\n(.*?)```", README, re.DOTALL)
    assert block is not None
    code = block[1].replace("localhost:3000", f"127.0.0.1:{house.server.port}")
    program: dict[str, Any] = {}
    exec(code.rsplit("asyncio.run", 1)[0], program)
    person = await house.rummy()
    bot = asyncio.ensure_future(program["main"](person.code))
    try:
        await person.until("lobby")
        await person.send("start")
        for _ in range(3):
            await person.my_turn()
            await person.play_turn()
    finally:
        bot.cancel()
        with suppress(asyncio.CancelledError):
            await bot


def test_every_link_of_the_readme_leads_somewhere() -> None:
    for target in re.findall(r"\]\(([^)#]+)", README):
        assert (Path(__file__).parents[1] / target).exists(), target
