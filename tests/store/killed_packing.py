"""`python -m tests.store.killed_packing STEP DATA`: packing, killed before its nth statement.

Exit code 0: it came to its end; 9: killed.
"""

from __future__ import annotations

import os
import sqlite3
import sys
from pathlib import Path
from typing import Any

from parlour.store.compact import compact
from tests.store.killed import KILLED


def main() -> None:
    step, data = sys.argv[1:]
    left = int(step)
    connect = sqlite3.connect

    def count(statement: str) -> None:
        nonlocal left
        if left == 0:
            os._exit(KILLED)
        left -= 1

    def deadly(*args: Any, **options: Any) -> sqlite3.Connection:
        db = connect(*args, **options)
        db.set_trace_callback(count)
        return db

    sqlite3.connect = deadly  # type: ignore[assignment]
    compact(Path(data))


if __name__ == "__main__":
    main()
