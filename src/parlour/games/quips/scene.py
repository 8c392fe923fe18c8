"""How a game of Quips looks to one viewer, and what happens in it, in words.

Cards are texts, in English: every card has one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from parlour.choices import Choices
from parlour.games.quips.deck import CUSTOM, custom_text, tier_of
from parlour.games.quips.events import (
    GAME_END,
    JUDGING,
    PLAYING,
    ROUND_END,
    Dealt,
    Entry,
    Event,
    Over,
    PlayersChanged,
    PlayShown,
    Skipped,
    StateChanged,
)
from parlour.games.quips.packs import Shelf
from parlour.games.quips.packtexts import ENGLISH
from parlour.games.quips.picture import Picture
from parlour.kit import Seat
from parlour.scenes import Scene, SeatInfo, Thing, Zone


def scene(picture: Picture, choices: Choices) -> Scene:
    """The black card and the plays in the middle; the viewer's own cards before them."""
    state, viewer = picture.state, picture.viewer
    if state is None:
        return Scene(viewer=viewer, seats=[], zones=[], prompt="The game is over.")
    return Scene(
        viewer=viewer,
        seats=[_seat(entry, state) for entry in picture.players],
        zones=list(_zones(picture, state)),
        prompt=_prompt(picture, state, choices),
        awaits=_awaits(picture, state),
        counters=_counters(picture, state),
        targets=_targets(len(state.plays)) if _plays(picture) else {},
        choices=choices,
    )


def _plays(picture: Picture) -> bool:
    """Whether the viewer is one of the players, and has not left."""
    return picture.viewer is not None and picture.entry(picture.viewer) is not None


def _zones(picture: Picture, state: StateChanged) -> Iterator[Zone]:
    shelf, viewer = picture.shelf, picture.viewer
    card = shelf.blacks[state.black]
    marks = (f"{card.draw} more drawn",) if card.draw else ()
    black = Thing(f"black {state.round} {state.black}", _black(shelf, state.black), marks=marks)
    yield Zone("black", "Black card", "text", [black], deck="text")
    for number, play in enumerate(state.plays):
        wins = number == state.winning_play
        label = f"{{{state.winning_player}}} wins with" if wins else f"Play {number + 1}"
        mark = "wins" if wins else _turned(picture, number) if state.stage == JUDGING else ""
        things = _whites(shelf, f"play {state.round} {number}", play, mark)
        yield Zone(f"play {number}", label, "row", things, deck="text", name=number)
    for entry in picture.players:
        seat = entry.seat
        if cards := picture.plays.get(seat):
            things = _whites(shelf, f"played {state.round} {seat}", cards)
            yield Zone(f"played {seat}", f"{{{seat}}} played", "row", things, seat, deck="text")
        if held := picture.hands.get(seat):
            things = [_slot(shelf, f"{seat} slot {slot}", card) for slot, card in held]
            yield Zone(f"hand {seat}", f"{{{seat}}}'s cards", "row", things, seat, deck="text")
    if not _plays(picture):
        return
    if picture.played:
        mine = _whites(shelf, f"mine {state.round}", picture.played)
        yield Zone("mine", "You played", "row", mine, viewer, deck="text")
    hand = [_slot(shelf, f"slot {slot}", card, slot) for slot, card in picture.hand]
    yield Zone("hand", "Your cards", "row", hand, viewer, deck="text", sortable=True)


def _whites(shelf: Shelf, name: str, cards: Sequence[str], mark: str = "") -> list[Thing]:
    marks = (mark,) if mark else ()
    return [
        Thing(f"{name} {at}", _white(shelf, card), marks=marks + _kind(shelf, card))
        for at, card in enumerate(cards)
    ]


def _slot(shelf: Shelf, name: str, card: str, slot: int | None = None) -> Thing:
    return Thing(name, _white(shelf, card), slot, _kind(shelf, card))


def _kind(shelf: Shelf, card: str) -> tuple[str, ...]:
    """A white card's mark: how much more it counts, or that a player wrote it."""
    if card.startswith(CUSTOM):
        return ("handwritten",)
    tier = tier_of(shelf, card)
    return (f"+{tier}",) if tier else ()


def _turned(picture: Picture, number: int) -> str:
    if number not in picture.turned:
        return ""
    return "being read" if number == picture.turned[-1] else "turned over"


def _targets(plays: int) -> dict[str, Sequence[str]]:
    hand, shown = ["hand"], [f"play {number}" for number in range(plays)]
    return {
        "play.cards": hand,
        "discard.slot": hand,
        "upgrade.slot": hand,
        "judge.index": shown,
        "turn.index": shown,
    }


def _seat(entry: Entry, state: StateChanged) -> SeatInfo:
    results = state.results
    marks = {
        "winner": results is not None and entry.seat in results.winners,
        "judge": state.stage != GAME_END and entry.seat == state.judge,
        "still to play": entry.seat in state.pending,
        "idle": entry.idle,
        "wants another black card": entry.voted_skip,
    }
    trophies = [] if results is None else dict(results.trophies).get(entry.seat, [])
    return SeatInfo(
        entry.seat,
        {"score": entry.score},
        [
            *(mark for mark, holds in marks.items() if holds),
            *(trophy.name[ENGLISH] for trophy in trophies),
        ],
    )


def _awaits(picture: Picture, state: StateChanged) -> list[Seat]:
    awaited = [state.judge] if state.stage == JUDGING else state.pending
    return [entry.seat for entry in picture.players if entry.seat in awaited and not entry.idle]


def _counters(picture: Picture, state: StateChanged) -> dict[str, int | str]:
    pick = picture.shelf.blacks[state.black].pick
    counters: dict[str, int | str] = {"round": state.round, "cards to play": pick}
    if _plays(picture):
        counters["your blank cards"] = picture.blanks
        counters["your discards"] = picture.discards
        counters["your points for upgrades"] = picture.points
    return counters


def _prompt(picture: Picture, state: StateChanged, choices: Choices) -> str:
    needed = [choice.action for choice in choices if not choice.optional]
    if "judge" in needed:
        return "Which play wins?"
    if "play" in needed:
        return "Fill the gaps of the black card."
    match state.stage:
        case "playing":
            you = "You judge this round. " if state.judge == picture.viewer else ""
            return f"{you}{_waits(_awaits(picture, state))}"
        case "judging":
            return f"{{{state.judge}}} reads the plays and says which one wins."
        case "round_end":
            return f"The round goes to {{{state.winning_player}}}{_verdict(state)}."
        case "game_end":
            return "The game is over."


def _waits(seats: Sequence[Seat]) -> str:
    if len(seats) > 3:
        return f"Waiting for {len(seats)} players."
    names = [f"{{{seat}}}" for seat in seats]
    some = ", ".join(names[:-1])
    listed = " and ".join([*([some] if some else []), *names[-1:]])
    return f"Waiting for {listed}." if names else "One moment."


def _verdict(state: StateChanged) -> str:
    return ", by their own verdict" if state.judge_voted_self else ""


def words(event: Event, picture: Picture) -> str:
    """A sentence about the event; `{0}` is the name of the player at seat 0."""
    match event:
        case Dealt():
            return "The game begins."
        case PlayShown(seat, [*cards]) if cards:
            played = " / ".join(_white(picture.shelf, card) for card in cards)
            return f"{{{seat}}} plays {_spoken(played)}."
        case PlayersChanged(players) if picture.players:
            return _came_and_went(players, picture.players)
        case StateChanged():
            return _happened(event, picture)
        case Skipped():
            return "The black card before was voted away."
        case Over("too-few"):
            return "The game is over: too few players are left."
        case Over():
            return "The game is over."
        case _:
            return ""


def _came_and_went(players: Sequence[Entry], before: Sequence[Entry]) -> str:
    now, then = [entry.seat for entry in players], [entry.seat for entry in before]
    joined = [f"{{{seat}}} joins." for seat in now if seat not in then]
    return " ".join([*joined, *(f"{{{seat}}} leaves." for seat in then if seat not in now)])


def _happened(state: StateChanged, picture: Picture) -> str:
    """The sentence for a new state, compared with the one in the picture."""
    before, judge = picture.state, state.judge
    shelf = picture.shelf
    if before is None or (before.round, before.black) != (state.round, state.black):
        return f"Round {state.round}: {{{judge}}} judges. {_spoken(_black(shelf, state.black))}"
    if state.results is not None and before.results is None:
        who = " and ".join(f"{{{seat}}}" for seat in state.results.winners)
        return f"The game goes to {who}."
    if state.stage == ROUND_END and before.stage == JUDGING:
        text = _filled(shelf, state.black, state.plays[state.winning_play])
        return f"{{{state.winning_player}}} wins the round{_verdict(state)}: {_spoken(text)}"
    if state.stage == JUDGING and before.stage == PLAYING:
        return f"{{{judge}}} is to judge {len(state.plays)} plays."
    if judge != before.judge:
        return f"{{{judge}}} is the judge now."
    played = [seat for seat in before.pending if seat not in state.pending]
    # Somebody who left has not played.
    return " ".join(f"{{{seat}}} has played." for seat in played if picture.entry(seat))


# Texts of cards


def _black(shelf: Shelf, card: str) -> str:
    return shelf.blacks[card].content[ENGLISH]


def _white(shelf: Shelf, card: str) -> str:
    return custom_text(card) if card.startswith(CUSTOM) else shelf.whites[card].content[ENGLISH]


def _filled(shelf: Shelf, black: str, play: Sequence[str]) -> str:
    """A black card with white cards in its gaps; those without a gap come after it."""
    answers = [_white(shelf, card) for card in play]
    text = re.sub(r"__+", lambda gap: answers.pop(0) if answers else gap[0], _black(shelf, black))
    return " ".join([text, *(f"{answer}." for answer in answers)])


def _spoken(text: str) -> str:
    """A card's text in a sentence, where braces would stand for players."""
    return text.replace("{", "(").replace("}", ")")
