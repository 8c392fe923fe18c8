"""Our own packs, one JSON file each; they come with Parlour like its source code.

The shell and the tests ask here for their bytes. The rules are given them.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files


@cache
def ours() -> dict[str, bytes]:
    """The bytes of our own packs by file name, in the order of the names."""
    found = [file for file in files(__name__).iterdir() if file.name.endswith(".json")]
    return {file.name: file.read_bytes() for file in sorted(found, key=lambda file: file.name)}
