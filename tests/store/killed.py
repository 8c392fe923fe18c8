"""`python -m tests.store.killed STEP BACKUP DATA [aside]`: a restore, killed at one of its steps.

Steps are the calls that change names in a folder. One is killed before an even number, behind an
odd one. Exit code 0: it came to its end; 1: it was refused; 9: killed.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from parlour.store import StoreTrouble
from parlour.store.backup import restore

KILLED = 9


def main() -> None:
    step, backup, data, *aside = sys.argv[1:]
    left = int(step)

    def deadly(call: Callable[..., Any]) -> Callable[..., Any]:
        def called(*args: Any, **options: Any) -> Any:
            nonlocal left
            if left == 0:
                os._exit(KILLED)
            answer = call(*args, **options)
            if left == 1:
                os._exit(KILLED)
            left -= 2
            return answer

        return called

    for name in ("rename", "replace", "mkdir", "rmdir", "unlink"):
        setattr(os, name, deadly(getattr(os, name)))
    try:
        restore(Path(backup), Path(data), aside=bool(aside))
    except StoreTrouble as wrong:
        sys.exit(str(wrong))


if __name__ == "__main__":
    main()
