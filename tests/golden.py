"""Records our golden files again (`make golden`)."""

from __future__ import annotations

from pathlib import Path

from parlour.battery.golden import record
from tests.cambia.trial import CAMBIA
from tests.mo.trial import MO
from tests.onu.trial import ONU
from tests.quips.trial import QUIPS
from tests.rummy.trial import RUMMY

if __name__ == "__main__":
    for trial in (RUMMY, CAMBIA, QUIPS, ONU, MO):
        for written in record(trial):
            print(written.relative_to(Path.cwd()))
