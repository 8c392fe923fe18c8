"""The operator's page of a house of two nodes: whichever answers, it is the same page."""

from __future__ import annotations

from parlour.server.admin.operators import new_link
from parlour.server.config import Config
from parlour.server.orders import signing_key
from tests.support import Opener, soon

OPERATOR = "/api/operator"


async def test_the_operator_has_one_page_whichever_node_answers(
    open_node: Opener, database: str
) -> None:
    house, other = await open_node(node="a"), await open_node(node="b")
    link = {"order": new_link(await signing_key(Config(store=database)))}
    operator, second = await house.visitor(), await other.visitor()
    assert (await operator.call("POST", f"{OPERATOR}/session", link))[0] == 200
    assert (await second.call("POST", f"{OPERATOR}/session", link))[0] == 403
    here = await house.rummy()

    # The same cookie at the other node.
    operator.base = other.base

    async def may() -> bool:
        return (await operator.call("GET", OPERATOR))[0] == 200

    await soon(may)
    _, told = await operator.call("GET", f"{OPERATOR}/open")
    assert [table["code"] for table in told["tables"]] == [here.code]
    lock = {"what": "lock", "table": here.code}
    assert (await operator.call("POST", f"{OPERATOR}/act", lock))[0] == 200
    await soon(lambda: house.tables[0].roster.locked)
    # A message to everybody is told at both.
    reader = await house.rummy("?extras=notice")
    await reader.expect("lobby")
    assert (await operator.call("PUT", f"{OPERATOR}/notice", {"text": "Soon."}))[0] == 200
    while (told := await reader.event())["type"] != "extras_notice":
        pass
    assert told["text"] == "Soon."

    _, told = await operator.call("GET", f"{OPERATOR}/nodes")
    tables = {node["name"]: node["tables"] for node in told["nodes"]}
    assert tables == {"a": 2, "b": 0}
    assert all(node["lease"] > 0 for node in told["nodes"])
    drain = {"node": "a", "what": "drain"}
    assert (await operator.call("POST", f"{OPERATOR}/nodes", drain))[0] == 200
    await soon(lambda: len(other.tables) == 2)
    status, no = await operator.call("POST", f"{OPERATOR}/nodes", {**drain, "node": "b"})
    assert (status, no["error"]["code"]) == (409, "bad-order")
