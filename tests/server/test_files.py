"""The limit of open files, in a process of its own."""

from __future__ import annotations

import resource
import subprocess
import sys

import pytest

_PROGRAM = """
import logging, resource, sys
resource.setrlimit(resource.RLIMIT_NOFILE, ({soft}, {hard}))
logging.basicConfig(format="%(message)s")
from parlour.server.ports import raise_file_limit
raise_file_limit()
print(resource.getrlimit(resource.RLIMIT_NOFILE)[0])
"""


def _limit(soft: int, hard: int) -> tuple[int, str]:
    """The limit afterwards, and what was said."""
    done = subprocess.run(
        [sys.executable, "-c", _PROGRAM.format(soft=soft, hard=hard)],
        check=True,
        capture_output=True,
        text=True,
        timeout=60,
    )
    return int(done.stdout), done.stderr


def test_the_server_raises_its_limit_as_far_as_it_may() -> None:
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    if most != resource.RLIM_INFINITY and most < 5_000:
        pytest.skip("this machine allows few files")
    assert _limit(256, 5_000) == (5_000, "")


def test_the_server_says_so_if_it_may_open_few_files() -> None:
    limit, said = _limit(256, 300)
    assert limit == 300
    assert "may open only 300 files" in said
