"""The record's format in PostgreSQL: one script per version, and how an older one is changed.

A process that runs tables is a *node*: a row in `nodes`, with a lease that it renews. Every table
has an owner, a node; each time that changes, `epoch` is one more. A batch of writes is one call of
`commit_batch`, which begins by writing its number into the node's row. A process that has lost its
row (`parlour.store.lease`), or that writes to a table with another epoch than the current one, gets
an error, and nothing of the batch is kept. After a connection was lost, the number in the row says
whether the last batch was kept.
"""

from __future__ import annotations

from typing import Final

import asyncpg

from parlour.store import StoreTrouble

SUPERSEDED: Final = "PL409"
"""The error code of a batch by a node that does not own the tables it writes to."""
FACTS: Final = "parlour_facts"
"""The channel for notifications of changed facts: the node that changed one, and its key."""
_LOCK: Final = 0x7061726C
"""The lock with which two processes that start on an empty database wait for each other."""

MIGRATIONS: tuple[str, ...] = (
    """
    CREATE TABLE nodes (
        no bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        address bigint NOT NULL UNIQUE,
        runs_tables boolean NOT NULL,
        expires timestamptz NOT NULL,
        batch bigint NOT NULL DEFAULT 0
    ) WITH (fillfactor = 20);
    CREATE TABLE tables (
        no bigint PRIMARY KEY, id text NOT NULL UNIQUE, code text NOT NULL,
        game text NOT NULL, opened bigint NOT NULL, closed bigint
    );
    CREATE INDEX live_codes ON tables (code) WHERE closed IS NULL;
    CREATE TABLE owners (
        "table" bigint PRIMARY KEY, node bigint NOT NULL, epoch bigint NOT NULL
    );
    CREATE INDEX owned ON owners (node);
    CREATE TABLE entries (
        "table" bigint NOT NULL, seq bigint NOT NULL, at bigint NOT NULL, data bytea NOT NULL,
        sum bigint, PRIMARY KEY ("table", seq)
    );
    CREATE TABLE codes (code text PRIMARY KEY, node bigint NOT NULL);
    CREATE TABLE facts (key text COLLATE "C" PRIMARY KEY, value bytea NOT NULL);

    CREATE FUNCTION commit_batch(
        me bigint, number bigint,
        opened_nos bigint[], opened_ids text[], opened_codes text[], opened_games text[],
        opened_ats bigint[],
        rewritten bigint[],
        entry_tables bigint[], entry_epochs bigint[], entry_seqs bigint[], entry_ats bigint[],
        entry_datas bytea[], entry_sums bigint[],
        closed_ids text[], closed_ats bigint[], forgotten_ids text[],
        fact_keys text[], fact_values bytea[]
    ) RETURNS void LANGUAGE plpgsql AS $$
    DECLARE
        kept bigint;
    BEGIN
        UPDATE nodes SET batch = number WHERE no = me;
        IF NOT FOUND THEN
            RAISE EXCEPTION 'node % has lost its lease', me USING ERRCODE = 'PL409';
        END IF;
        IF cardinality(opened_nos) > 0 THEN
            INSERT INTO tables (no, id, code, game, opened)
                SELECT * FROM unnest(
                    opened_nos, opened_ids, opened_codes, opened_games, opened_ats
                );
            INSERT INTO owners ("table", node, epoch) SELECT no, me, 1 FROM unnest(opened_nos) no;
        END IF;
        -- What is written anew follows among the entries, which must be of the current epoch.
        DELETE FROM entries WHERE "table" = ANY (rewritten);
        IF cardinality(entry_tables) > 0 THEN
            INSERT INTO entries ("table", seq, at, data, sum)
                SELECT e."table", e.seq, e.at, e.data, e.sum
                FROM unnest(
                    entry_tables, entry_epochs, entry_seqs, entry_ats, entry_datas, entry_sums
                ) AS e ("table", epoch, seq, at, data, sum)
                JOIN owners o
                    ON o."table" = e."table" AND o.node = me AND o.epoch = e.epoch;
            GET DIAGNOSTICS kept = ROW_COUNT;
            IF kept <> cardinality(entry_tables) THEN
                RAISE EXCEPTION 'node % writes to a table of another node', me
                    USING ERRCODE = 'PL409';
            END IF;
        END IF;
        IF cardinality(closed_ids) > 0 THEN
            UPDATE tables SET closed = c.at
                FROM unnest(closed_ids, closed_ats) AS c (id, at) WHERE tables.id = c.id;
            DELETE FROM owners USING tables
                WHERE owners."table" = tables.no AND tables.id = ANY (closed_ids);
            DELETE FROM codes USING tables
                WHERE codes.code = tables.code AND tables.id = ANY (closed_ids);
        END IF;
        IF cardinality(forgotten_ids) > 0 THEN
            DELETE FROM entries USING tables
                WHERE entries."table" = tables.no AND tables.id = ANY (forgotten_ids);
            DELETE FROM owners USING tables
                WHERE owners."table" = tables.no AND tables.id = ANY (forgotten_ids);
            DELETE FROM codes USING tables
                WHERE codes.code = tables.code AND tables.id = ANY (forgotten_ids);
            DELETE FROM tables WHERE id = ANY (forgotten_ids);
        END IF;
        IF cardinality(fact_keys) > 0 THEN
            -- In one order everywhere, so that no two nodes wait for each other.
            INSERT INTO facts (key, value)
                SELECT key, value FROM unnest(fact_keys, fact_values) AS f (key, value)
                WHERE value IS NOT NULL ORDER BY key COLLATE "C"
                ON CONFLICT (key) DO UPDATE SET value = EXCLUDED.value;
            DELETE FROM facts USING unnest(fact_keys, fact_values) AS f (key, value)
                WHERE facts.key = f.key AND f.value IS NULL;
            PERFORM pg_notify('parlour_facts', me || ' ' || key) FROM unnest(fact_keys) AS key;
        END IF;
    END
    $$;
    """,
    """
    -- A name of the table whose code is `holder`, and gone with that.
    ALTER TABLE codes ADD COLUMN holder text REFERENCES codes (code) ON DELETE CASCADE;
    CREATE INDEX held_names ON codes (holder) WHERE holder IS NOT NULL;
    """,
    """
    ALTER TABLE nodes
        ADD COLUMN name text NOT NULL DEFAULT '',
        ADD COLUMN role text NOT NULL DEFAULT 'both',
        ADD COLUMN ordered text NOT NULL DEFAULT 'run',
        ADD COLUMN connections bigint NOT NULL DEFAULT 0;
    CREATE TABLE seats (
        visitor text COLLATE "C" NOT NULL, game text COLLATE "C" NOT NULL, "table" bigint NOT NULL,
        PRIMARY KEY (visitor, game)
    );
    CREATE INDEX seats_of_table ON seats ("table");

    -- Beside `commit_batch`, in one statement with it: where visitors sat down, and which tables
    -- nobody sits at any more.
    CREATE FUNCTION keep_seats(
        visitors text[], games text[], tables bigint[], done bigint[],
        seated_visitors text[], seated_games text[], seated_tables bigint[]
    ) RETURNS void LANGUAGE plpgsql AS $$
    BEGIN
        INSERT INTO seats (visitor, game, "table")
            SELECT * FROM unnest(visitors, games, tables) AS s (visitor, game, "table")
            ORDER BY visitor COLLATE "C", game COLLATE "C"
            ON CONFLICT (visitor, game) DO UPDATE SET "table" = EXCLUDED."table";
        -- Who sat there before it was kept where: they may sit elsewhere since.
        INSERT INTO seats (visitor, game, "table")
            SELECT * FROM unnest(seated_visitors, seated_games, seated_tables)
                AS s (visitor, game, "table")
            ORDER BY visitor COLLATE "C", game COLLATE "C"
            ON CONFLICT (visitor, game) DO NOTHING;
        DELETE FROM seats WHERE "table" = ANY (done);
    END
    $$;
    """,
    """
    ALTER TABLE nodes
        ADD COLUMN key bytea NOT NULL DEFAULT '',
        ADD COLUMN speaks int[] NOT NULL DEFAULT '{}';
    """,
    """
    -- Logs of closed tables, each in one record: see `postgres_compact.py`.
    CREATE TABLE packed (
        "table" bigint NOT NULL, closed bigint NOT NULL, count bigint NOT NULL,
        size bigint NOT NULL, data bytea NOT NULL, sum bigint NOT NULL,
        PRIMARY KEY ("table", closed)
    ) PARTITION BY RANGE (closed);
    """,
)
"""One script per format; format n is the first n of them applied in order."""

_AUTHENTICATED: Final = 4
"""The first format in which nodes have keys."""


async def migrate(connection: asyncpg.Connection) -> None:
    """Bring the database to the newest format; one of a newer version is refused."""
    async with connection.transaction():
        await connection.execute("SELECT pg_advisory_xact_lock($1)", _LOCK)
        await connection.execute("CREATE TABLE IF NOT EXISTS format (version int NOT NULL)")
        version: int = await connection.fetchval("SELECT max(version) FROM format") or 0
        if version > len(MIGRATIONS):
            raise StoreTrouble(
                "The database was written by a newer Parlour "
                f"(data format {version}; this one knows {len(MIGRATIONS)})."
            )
        for number in range(version, len(MIGRATIONS)):
            if number == _AUTHENTICATED - 1:
                await _check_stopped(connection)
            await connection.execute(MIGRATIONS[number])
            await connection.execute("INSERT INTO format VALUES ($1)", number + 1)


async def _check_stopped(connection: asyncpg.Connection) -> None:
    """`StoreTrouble` while nodes without a key run: they could not read packets of the others."""
    running = await connection.fetchval(
        "SELECT name FROM nodes WHERE role <> 'alone' AND expires > clock_timestamp() LIMIT 1"
    )
    if running is not None:
        raise StoreTrouble(
            f"Node {running} is of an earlier version, which does not authenticate other nodes: "
            "stop all nodes before you start this version."
        )


async def check_version(connection: asyncpg.Connection) -> None:
    """`StoreTrouble` unless the database is of the newest format: a command does not migrate it."""
    known = await connection.fetchval("SELECT to_regclass('format') IS NOT NULL")
    if not known or await connection.fetchval("SELECT max(version) FROM format") != len(MIGRATIONS):
        raise StoreTrouble("The database is of another version: start a node of this one once.")
