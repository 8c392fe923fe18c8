"""What was changed behind the log's back is found, and named by table and number."""

from __future__ import annotations

import asyncio
import pickle
import sqlite3
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from parlour.store import Damaged, TableRow, schema
from parlour.store.checksum import checksum
from parlour.store.sqlite import SqliteStore
from tests.support import Opener

numbers = st.integers(-(2**63), 2**63 - 1)
entries = st.tuples(numbers, numbers, numbers, st.binary(max_size=50))


@given(entries, st.data())
def test_no_bit_of_an_entry_changes_without_its_checksum(
    entry: tuple[int, int, int, bytes], data: st.DataObject
) -> None:
    place, content = list(entry[:3]), bytearray(entry[3])
    which = data.draw(st.integers(0, 3 if content else 2))
    if which < 3:
        place[which] ^= 1 << data.draw(st.integers(0, 62))
    else:
        content[data.draw(st.integers(0, len(content) - 1))] ^= 1 << data.draw(st.integers(0, 7))
    assert checksum(place[0], place[1], place[2], bytes(content)) != checksum(*entry)


def test_a_checksum_is_the_same_in_every_version() -> None:
    """Whatever was written with it must be read by later versions."""
    assert checksum(7, 12, 1_700_000_000_000, b'{"type":"wake"}') == 2736114049


changes = st.sampled_from(
    [
        ("data", 'CAST(\'{"type":"wake" }\' AS BLOB)'),
        ("data", "CAST(data AS TEXT)"),
        ("at", "at + 1"),
        ("at", "'noon'"),
        ("sum", "sum + 1"),
        ("sum", "NULL"),
        ('"table"', '3 - "table"'),
    ]
)


@settings(max_examples=30, deadline=None)
@given(st.integers(1, 4), changes, st.booleans())
def test_a_changed_entry_is_named_wherever_it_lies(
    seq: int, change: tuple[str, str], moved: bool
) -> None:
    with TemporaryDirectory() as folder:
        asyncio.run(_a_changed_entry_is_named(Path(folder) / "log", seq, change, moved))


async def _a_changed_entry_is_named(
    path: Path, seq: int, change: tuple[str, str], moved: bool
) -> None:
    store = SqliteStore(path)
    await store.start()
    for name, length in (("a", 6), ("b", seq)):
        store.open_table(TableRow(name, name * 6, "rummy", 1))
        for number in range(length):
            store.append(name, number, 1000, b'{"type":"wake"}')
    await store.stop()
    if moved:
        await SqliteStore(path).stop()
    db = sqlite3.connect(path)
    where = "entries" if moved else "staging"
    db.execute(
        f'UPDATE {where} SET {change[0]} = {change[1]} WHERE "table" = 1 AND seq = ?', (seq,)
    )
    db.commit()
    db.close()
    again = SqliteStore(path)
    with pytest.raises(Damaged) as damage:
        await again.entries("a")
    assert (damage.value.table, damage.value.seq) == ("a", seq)
    assert str(damage.value) == f"Entry {seq} of table a {damage.value.what}."
    # Who reads it in another process is told the same, and hands it over whole.
    with pytest.raises(Damaged) as elsewhere:
        list(again.reader("a").entries())
    handed_over = pickle.loads(pickle.dumps(elsewhere.value))
    assert str(handed_over) == str(elsewhere.value) == str(damage.value)
    assert (handed_over.table, handed_over.seq, handed_over.what) == ("a", seq, damage.value.what)
    if change[0] == '"table"':
        with pytest.raises(Damaged, match=f"Entry {seq} of table b is not what was written"):
            await again.entries("b")
    else:
        assert len(await again.entries("b")) == seq
    await again.stop()


async def test_entries_from_before_checksums_are_taken_as_they_are(tmp_path: Path) -> None:
    path = tmp_path / "parlour.sqlite"
    db = sqlite3.connect(path)
    for script in schema.MIGRATIONS[:4]:
        db.executescript(script)
    db.execute("PRAGMA user_version = 4")
    db.execute("INSERT INTO tables (no, id, code, game, opened) VALUES (7, 'a', '123456', 'mo', 1)")
    db.executemany("INSERT INTO entries VALUES (7, ?, 1, ?)", [(0, b"old"), (1, b"older")])
    db.execute("INSERT INTO staging VALUES (7, 2, 1, ?)", (b"staged",))
    db.commit()
    db.close()
    store = SqliteStore(path)
    await store.start()
    store.append("a", 3, 2, b"new")
    await store.stop()
    again = SqliteStore(path)
    assert [entry.data for entry in await again.entries("a")] == [
        b"old",
        b"older",
        b"staged",
        b"new",
    ]
    db = sqlite3.connect(path)
    assert [has for (has,) in db.execute("SELECT sum IS NOT NULL FROM log")] == [0, 0, 0, 1]
    db.close()
    await again.stop()


@pytest.mark.parametrize("summed", [True, False])
async def test_the_house_says_which_entry_of_which_table_is_damaged(
    open_house: Opener, tmp_path: Path, caplog: pytest.LogCaptureFixture, summed: bool
) -> None:
    """With a checksum even where the entry would be legal; without, where it makes no sense."""
    house = await open_house()
    visitor = await house.visitor()
    client = await visitor.rummy(f"?token={await visitor.token()}")
    await client.expect("lobby")
    await client.send("name", name="Ada")
    await client.expect("lobby")
    await house.shut(client)
    other, changed = (b"Ada", b"Eva") if summed else (b'"name":"Ada"', b'"name":0')
    db = sqlite3.connect(tmp_path / "data" / "parlour.sqlite")
    rows = db.execute("SELECT seq, data FROM staging").fetchall()
    ((seq, data),) = [row for row in rows if other in row[1]]
    sum_too = "" if summed else ", sum = NULL"
    db.execute(f"UPDATE staging SET sum = NULL WHERE seq < {seq}")
    db.execute(
        f"UPDATE staging SET data = ?{sum_too} WHERE seq = {seq}", (data.replace(other, changed),)
    )
    table = db.execute("SELECT id FROM tables").fetchone()[0]
    db.commit()
    db.close()
    house = await open_house()
    assert house.tables == []
    assert f"Entry {seq} of table {table} " in caplog.text
