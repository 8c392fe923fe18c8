"""`python -m simulation`: play evenings in simulated time, and say what became of them."""

from __future__ import annotations

import os
import sys

if os.environ.get("PYTHONHASHSEED") != "0":
    # The order of sets depends on it, and with it everything that a seed is to repeat.
    os.environ["PYTHONHASHSEED"] = "0"
    os.execv(sys.executable, [sys.executable, "-m", "simulation", *sys.argv[1:]])

from simulation.machine import install

install()

from simulation.command import main  # noqa: E402 - everything else must find simulated time

main()
