"""What the pages on the relay, on ONU and on writing bots say is so."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import msgspec
import pytest

from parlour.games.onu import messages as say
from parlour.games.onu.host.host import action_in
from parlour.games.onu.settings import Settings
from parlour.onu import Bot, Turn
from parlour.wcp.message import read

ROOT = Path(__file__).parents[2]
ONU = (ROOT / "docs/protocols/onu.md").read_text()
WCP = (ROOT / "docs/protocols/wcp.md").read_text()
BOTS = (ROOT / "docs/write-a-bot.md").read_text()


def blocks(page: str, language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", page, re.DOTALL)


def test_the_messages_shown_are_messages() -> None:
    turn, action, state = blocks(ONU, "json")
    msgspec.convert(json.loads(turn), say.TurnInfo, strict=True)
    assert set(json.loads(turn)) == set(say.TurnInfo.__struct_fields__)
    assert Turn.read(turn) is not None
    assert action_in(action) is not None
    msgspec.convert(json.loads(state), say.State, strict=True)
    assert set(json.loads(state)) == set(say.State.__struct_fields__)
    (message,) = blocks(WCP, "json")
    assert json.loads(read(message).encode()) == json.loads(message)


def test_every_label_and_every_setting_is_on_the_page() -> None:
    labels = [value for value in vars(say).values() if str(value).startswith("onu-")]
    assert len(labels) == 10
    for name in (*labels, *Settings.__struct_fields__):
        assert f"`{name}`" in ONU, name


def test_every_error_code_is_on_the_page() -> None:
    sources = [
        *(ROOT / "src/parlour/games/onu").glob("*.py"),
        ROOT / "src/parlour/relay/hosting.py",
    ]
    text = "".join(path.read_text() for path in (*sources, ROOT / "src/parlour/relay/routes.py"))
    codes = set(re.findall(r'Illegal\(\s*"([a-z-]+)"', text))
    assert "does-not-fit" in codes
    assert [code for code in sorted(codes) if f"`{code}`" not in ONU + WCP] == ["no-such-table"]


def test_every_route_is_on_the_page() -> None:
    document = json.loads((ROOT / "docs/protocols/wcp.openapi.json").read_text())
    for path, methods in document["paths"].items():
        for method in methods:
            assert f"`{method.upper()} {path}`" in WCP, path


def test_the_bot_of_the_page_plays() -> None:
    code = blocks(BOTS, "python")[0]
    ran: list[Any] = []

    def run(self: Bot, *where: str) -> None:
        ran.append((self, where))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Bot, "run", run)
        exec(code, {})
    ((bot, where),) = ran
    assert where == ("ws://localhost:3000", "lounge", "ann", "x")
    turn = Turn.read(blocks(ONU, "json")[0])
    assert turn is not None
    assert bot.choose(turn).card_index == 0


@pytest.mark.parametrize("page", ["protocols/wcp.md", "protocols/onu.md", "write-a-bot.md"])
def test_every_link_leads_somewhere(page: str) -> None:
    path = ROOT / "docs" / page
    for target in re.findall(r"\]\(([^)#]+)\)", path.read_text()):
        assert (path.parent / target).exists(), target
