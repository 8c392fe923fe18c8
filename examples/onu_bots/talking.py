"""A bot that talks about its moves: `python talking.py ws://localhost:3000 CHANNEL USER`.

Replace `think` by a call to a language model, for example. It is awaited, so the bot keeps
receiving messages meanwhile. A table waits for a minute; if the next player is asked before that,
the bot drops its answer.
"""

from __future__ import annotations

import os
import sys

from parlour.onu import GREEN, NONE, RED, SPECIAL, YELLOW, Action, Bot, Card, Turn

COLORS = {RED: "red", YELLOW: "yellow", GREEN: "green"}
EFFECTS = ("", "reverse", "skip", "pick two", "wild", "wild pick four")


async def think(situation: str) -> str:
    """One line to say aloud. Replace it by a call to your model."""
    return situation


class TalkingBot(Bot):
    """Plays the first card that fits, and says so."""

    async def choose(self, turn: Turn) -> Action:
        playable = turn.playable()
        if not playable:
            self.say(await think(f"Nothing for {name_of(turn.top)}. I have to draw."))
            return Action.draw()
        card = turn.hand[playable[0]]
        left = len(turn.hand) - 1
        self.say(await think(f"{name_of(card).capitalize()}! That leaves me with {left}."))
        return Action.play(playable[0], turn.commonest_color())

    def won(self, name: str) -> None:
        self.say("I knew it!" if name == self.name else f"Well played, {name}.")


def name_of(card: Card) -> str:
    """ "red 7", "wild"."""
    symbol = str(card.Number) if card.Effect == NONE else EFFECTS[card.Effect]
    return symbol if card.Color == SPECIAL else f"{COLORS.get(card.Color, 'blue')} {symbol}"


if __name__ == "__main__":
    url, channel, user = sys.argv[1:4]
    TalkingBot().run(url, channel, user, os.environ.get("PARLOUR_WCP_PASSWORD", ""))
