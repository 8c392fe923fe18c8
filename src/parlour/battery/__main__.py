"""`python -m parlour.battery MODULE...`: record golden files anew, of every trial in a module."""

from __future__ import annotations

import sys
from importlib import import_module

from parlour.battery.golden import record
from parlour.battery.trial import Trial

for name in sys.argv[1:]:
    for thing in vars(import_module(name)).values():
        if isinstance(thing, Trial):
            for written in record(thing):
                print(written)
