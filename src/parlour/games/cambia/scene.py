"""How a game of Cambia looks to one viewer, and what happens in it, in words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from parlour.choices import Choices
from parlour.games.cambia import events as ev
from parlour.games.cambia.cards import ability_of
from parlour.games.cambia.choices import ABILITIES
from parlour.games.cambia.picture import CambiaPicture, PlayerSeen
from parlour.kit import Millis, Seat
from parlour.scenes import Scene, SeatInfo, Thing, Zone, french


def scene(picture: CambiaPicture, choices: Choices) -> Scene:
    """The piles in the middle; around them the hands, and beside a hand the card just drawn."""
    players = list(enumerate(picture.players))
    return Scene(
        viewer=picture.viewer,
        seats=[
            SeatInfo(seat, _counters(picture, seat), _marks(picture, seat)) for seat, _ in players
        ],
        zones=[
            Zone("stockpile", "Stockpile", "pile", more=picture.stockpile),
            Zone(
                "discards",
                "Discards",
                "pile",
                [Thing(card, french(face)) for card, face in picture.discards[-1:]],
                more=max(len(picture.discards) - 1, 0),
            ),
            *(zone for seat, player in players for zone in _zones(picture, seat, player)),
        ],
        prompt=_prompt(picture, choices),
        awaits=_awaits(picture),
        deadline=_deadline(picture),
        targets=_targets(picture, choices),
        choices=choices,
    )


def _zones(picture: CambiaPicture, seat: Seat, player: PlayerSeen) -> Iterator[Zone]:
    shown = picture.shown_again()
    seen = {card: picture.known[card] for card in picture.turned_up if card in picture.known}
    shown = {**shown, **seen}
    label = "Your cards" if seat == picture.viewer else f"{{{seat}}}'s cards"
    hand = [
        Thing(card, french(shown.get(card)), marks=["picked up"] if card in picture.looked else ())
        for card in player.hand
    ]
    yield Zone(f"hand {seat}", label, "row", hand, seat)
    if player.drawn:
        drawn = Thing(player.drawn, french(player.drawn_face), marks=["just drawn"])
        yield Zone(f"drawn {seat}", "Drawn card", "row", [drawn], seat)


def _counters(picture: CambiaPicture, seat: Seat) -> dict[str, int | str]:
    counters: dict[str, int | str] = {}
    if picture.totals is not None:
        counters["total"] = picture.totals[seat]
    score = picture.result.scores[seat] if picture.result is not None else None
    if score is not None:
        counters["score"] = score
    return counters


def _marks(picture: CambiaPicture, seat: Seat) -> list[str]:
    player = picture.players[seat]
    marks = {
        "called Cambia": seat == picture.caller,
        "away": not player.connected,
        "played by the timer": player.timer_plays,
        "owes a card": player.owes_until is not None,
    }
    return [mark for mark, holds in marks.items() if holds]


def _awaits(picture: CambiaPicture) -> list[Seat]:
    """Whose turn it is, and who owes a card for a snap."""
    if picture.result is not None:
        return []
    return [
        seat
        for seat, player in enumerate(picture.players)
        if seat == picture.current or player.owes_until is not None
    ]


def _deadline(picture: CambiaPicture) -> Millis | None:
    """Until when the turn lasts; or until when the viewer has to hand over a card."""
    if picture.viewer is not None and picture.players:
        owes_until = picture.players[picture.viewer].owes_until
        if owes_until is not None:
            return owes_until
    return picture.deadline


def _targets(picture: CambiaPicture, choices: Choices) -> dict[str, Sequence[str]]:
    """Of what can be done now."""
    viewer = picture.viewer
    if viewer is None or not picture.players:
        return {}
    own, hands = [f"hand {viewer}"], [f"hand {seat}" for seat in range(len(picture.players))]
    everything = {
        "draw_stockpile": ["stockpile"],
        "draw_discard": ["discards"],
        "discard_drawn": ["discards"],
        "replace.card": own,
        "special.card1": hands,
        "special.card2": hands,
        "snap": ["discards"],
        "snap.card": hands,
        "snap_move.card": own,
    }
    now = {choice.action for choice in choices}
    return {where: at for where, at in everything.items() if where.partition(".")[0] in now}


def _prompt(picture: CambiaPicture, choices: Choices) -> str:
    if picture.result is not None:
        return "The game is over."
    if picture.current is None:
        own = picture.viewer is not None
        return (
            "Look at your cards and remember them." if own else "The players look at their cards."
        )
    needed = [choice.action for choice in choices if not choice.optional]
    if "snap_move" in needed:
        return "Hand over a card for the one you snapped."
    if "draw_stockpile" in needed:
        draw = "Draw a card, or take the discard" if "draw_discard" in needed else "Draw a card"
        if "call_cambia" not in needed:
            return f"{draw}. It is your last turn."
        return f"{draw}{',' if draw == 'Draw a card' else ''} or call Cambia."
    if "discard_drawn" in needed and picture.viewer is not None:
        return _to_place(picture.players[picture.viewer])
    if picture.choice is None:
        return f"It is {{{picture.current}}}'s turn."
    if "special" in needed:
        return f"You may {ABILITIES[picture.choice.special]}."
    return f"{{{picture.current}}} may use {french(picture.choice.face)}."


def _to_place(player: PlayerSeen) -> str:
    """The ways to use the card that was drawn, and its ability."""
    ability = ability_of(player.drawn_face) if player.drawn_from == ev.STOCKPILE else None
    use = f" to {ABILITIES[ability]}" if ability else ""
    return f"You drew {french(player.drawn_face)}: discard it{use}, or put it in place of a card."


def words(event: ev.Event, picture: CambiaPicture) -> str:
    """A sentence about the event; `{0}` is the name of the player at seat 0.

    Only faces that everybody sees: the list of moves must not remember for a player.
    """
    match event:
        case ev.PlayerEvent(seat):
            does = _does(event)
            return f"{{{seat}}} {does}." if does else ""
        case ev.PlayStarted():
            return "The game begins."
        case ev.Reshuffled():
            return "The discards are shuffled and go under the stockpile."
        case ev.GameEnded(winners=[]):
            return "The game is over. Nobody wins."
        case ev.GameEnded(winners=winners):
            who = " and ".join(f"{{{seat}}}" for seat in winners)
            return f"The game is over. {who} {'wins' if len(winners) == 1 else 'win'}."
        case _:
            return ""


def _does(event: ev.PlayerEvent) -> str:
    """A sentence about one player."""
    match event:
        case ev.Drew(face=face, source=ev.DISCARDPILE):
            return f"takes {french(face)} from the discards"
        case ev.Discarded(face=face, idx=idx) if idx >= 0:
            return f"keeps the drawn card as card {idx + 1} and discards {french(face)}"
        case ev.Discarded(face=face):
            return f"discards {french(face)}"
        case ev.SpecialChoice(face=face):
            return f"may use {french(face)}"
        case ev.Peeked(card=card):
            return f"looks at {_place(card)}"
        case ev.KingLooked(card1=one, card2=other):
            return f"looks at {_place(one)} and {_place(other)}"
        case ev.Swapped(card1=one, card2=other):
            return f"swaps {_place(one)} and {_place(other)}"
        case ev.SpecialSkipped():
            return "leaves it"
        case ev.CambiaCalled():
            return "calls Cambia"
        case ev.SnapWon(card=card):
            return f"snaps {_place(card)}, {french(card.face)}"
        case ev.SnapFailed(card=card):
            return f"snaps {_place(card)}, {french(card.face)}: wrong"
        case ev.SnapPenalty():
            return "gets a penalty card"
        case ev.SnapMoved(card=card):
            return f"hands a card over to {{{card.owner}}}"
        case ev.AutoPlayChanged(timer_plays=timer_plays):
            return "is played by the timer" if timer_plays else "plays again"
        case _:
            return ""


def _place(card: ev.CardAt) -> str:
    return f"{{{card.owner}}}'s card {card.idx + 1}"
