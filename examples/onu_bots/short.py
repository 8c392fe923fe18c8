"""A bot in fifteen lines: `python short.py ws://localhost:3000 CHANNEL USER`."""

import os
import sys

from parlour.onu import Action, Bot, Turn


class ShortBot(Bot):
    def choose(self, turn: Turn) -> Action:
        for index in turn.playable():
            return Action.play(index, turn.commonest_color())
        return Action.draw()


if __name__ == "__main__":
    ShortBot().run(*sys.argv[1:4], os.environ.get("PARLOUR_WCP_PASSWORD", ""))
