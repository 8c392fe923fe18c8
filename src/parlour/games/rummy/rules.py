"""Super Rummy: draw, meld and lay, discard. The first player without cards wins the round.

Rules only: no clock, no sockets, no JSON. `moves.py` has the actions and events and says who
may see what, `melds.py` knows what a meld is, `wire.py` speaks the protocol. "Spec" in the
docstrings is the project's page on Super Rummy.

`allow_draw_choice` (look at the deck card, then perhaps take the discard instead) needs no
action of its own: the player who is to draw is told the top card of the deck in their `Turned`,
and `view` hides it from everybody else. Existing clients see the turns and moves they always saw.

Longer than most modules: actions, turns and ends change the same piles, and are read together.
"""

from __future__ import annotations

from collections.abc import Sequence

from parlour.cards import Face, deck
from parlour.choices import Choices, factored
from parlour.games.rummy import moves
from parlour.games.rummy.choices import lays
from parlour.games.rummy.melds import (
    Card,
    arrange,
    meld_rules,
    melds_in,
    place_in_hand,
    room_on,
    value_of,
)
from parlour.games.rummy.moves import Action, Event
from parlour.games.rummy.settings import Settings, in_force
from parlour.kit import Illegal, Match, Millis, Outcome, Seat, Setup
from parlour.rng import Rng


class Rummy(Match[Action, Event]):
    """One round, changed in place; `copy()` is cheap enough to search with."""

    def __init__(self, settings: Settings, players: Sequence[str], starter: Seat) -> None:
        seats = len(players)
        self.settings = settings
        self.players: list[str] = list(players)
        self.rules = meld_rules(settings)
        self.draw_choice: bool = settings.allow_draw_choice
        self.end_discard: bool = settings.require_end_discard
        self.starter: Seat = starter
        self.deck: list[Card] = []
        self.discards: list[Card] = []
        self.hands: list[list[Card]] = [[] for _ in range(seats)]
        self.melds: list[list[Card]] = []
        # Beside each meld the faces it takes; see `room_on`.
        self.room: list[int] = []
        self.active: list[bool] = [True] * seats
        self.turn: Seat = starter
        self.drawn: bool = False
        # The id of the card taken from the discard pile this turn.
        self.taken: str | None = None
        # By seat, whether cards were laid down in an earlier turn; and whether in this turn.
        self.laid: list[bool] = [False] * seats
        self.laid_now: bool = False
        # Turns in a row in which no card was laid, and after how many the round ends.
        self.quiet: int = 0
        self.patience: int = 0
        self.ended: moves.Ended | None = None

    # Legal actions

    def legal(self, seat: Seat) -> list[Action]:
        """Everything worth listing: draws; or melds, single lays and discards.

        Not listed, yet legal: several cards laid at once, and melds that `melds_in` leaves out.
        Never empty for the player in turn.
        """
        actions: list[Action] = []
        if self.ended is not None or seat != self.turn:
            return actions
        if not self.drawn:
            if self.deck:
                actions.append(moves.Draw(self.deck[-1].id))
            if self.discards:
                actions.append(moves.Draw(self.discards[-1].id))
            return actions
        hand = self.hands[seat]
        held = len(hand)
        # Cards that may leave the hand other than by discard.
        free = held - 1 if self.end_discard else held
        if free >= 3:
            for meld in melds_in(hand, self.rules):
                if len(meld) <= free:
                    actions.append(moves.Meld([card.id for card in meld]))
        if free >= 1:
            for number, room in enumerate(self.room):
                if room:
                    for card in hand:
                        if room >> card.face & 1:
                            actions.append(moves.Lay([card.id], number))
        for card in hand:
            if held == 1 or card.id != self.taken:
                actions.append(moves.Discard(card.id))
        return actions

    def choices(self, seat: Seat) -> Choices:
        """Everything: also several cards laid at once, and every meld."""
        single = [
            action for action in self.legal(seat) if isinstance(action, (moves.Draw, moves.Discard))
        ]
        if not single or not self.drawn:
            return factored(single)
        hand = self.hands[seat]
        free = len(hand) - 1 if self.end_discard else len(hand)
        return [*lays(hand, self.melds, free, self.rules), *factored(single)]

    def apply(self, seat: Seat, action: Action, rng: Rng, now: Millis) -> list[Event]:
        if self.ended is not None:
            raise Illegal("round-over", "The round is over.")
        if seat != self.turn:
            raise Illegal("not-your-turn", "It is not your turn.")
        if isinstance(action, moves.Draw):
            return self._draw(seat, action.card_id)
        if not self.drawn:
            raise Illegal("draw-first", "Draw a card first.")
        if isinstance(action, moves.Meld):
            return self._meld(seat, action.card_ids)
        if isinstance(action, moves.Lay):
            return self._lay(seat, action.card_ids, action.meld_number)
        return self._discard(seat, action.card_id, rng)

    def gone(self, seat: Seat, rng: Rng, now: Millis) -> list[Event]:
        """Spec, Rules: stays in the round, every turn skipped; below two active it is over."""
        events: list[Event] = []
        if self.ended is not None or not self.active[seat]:
            return events
        self.active[seat] = False
        if self.active.count(True) < 2:
            self._end(None, "abandoned", events)
        elif seat == self.turn:
            self._pass_on(events, rng)
        return events

    def back(self, seat: Seat, rng: Rng, now: Millis) -> list[Event]:
        """Their next turn is no longer skipped; no event says so."""
        self.active[seat] = True
        return []

    def skip(self, seat: Seat, rng: Rng, now: Millis) -> list[Event]:
        """Spec, Rules: an absent player's turn is skipped; the round goes on."""
        events: list[Event] = []
        if self.ended is None and seat == self.turn:
            self.active[seat] = False
            self._pass_on(events, rng)
            self.active[seat] = True
        return events

    def abandon(self, rng: Rng, now: Millis) -> list[Event]:
        """Spec, Rules: no person is left, so the round ends without a winner."""
        events: list[Event] = []
        if self.ended is None:
            self._end(None, "abandoned", events)
        return events

    def outcome(self) -> Outcome | None:
        """The winner's score is what the losers' hands are worth (protocol, Ending the Round)."""
        ended = self.ended
        if ended is None:
            return None
        scores = dict.fromkeys(range(len(self.players)), 0)
        if ended.winner is None:
            return Outcome((), ended.how, scores)
        scores[ended.winner] = sum(ended.hand_values.values())
        return Outcome((ended.winner,), ended.how, scores)

    # The four actions

    def _draw(self, seat: Seat, card_id: str) -> list[Event]:
        """Spec, Order of events: `move` to the player, then `turn` play."""
        if self.drawn:
            raise Illegal("already-drawn", "You have drawn a card this turn.")
        if self.deck and self.deck[-1].id == card_id:
            card = self.deck.pop()
        elif self.discards and self.discards[-1].id == card_id:
            card = self.discards.pop()
            self.taken = card_id
        else:
            raise Illegal(
                "not-on-top", "Only the top card of the deck or of the discard pile can be drawn."
            )
        self.drawn = True
        return [self._to_hand(seat, card), moves.Turned(seat, moves.PLAY)]

    def _meld(self, seat: Seat, card_ids: list[str]) -> list[Event]:
        """Spec, Order of events: one `move`, sorted, `meld_number` = melds so far. No `turn`."""
        cards = self._picked(seat, card_ids)
        meld = arrange(cards, self.rules)
        if meld is None:
            raise Illegal("not-a-meld", "These cards are neither a set nor a run.")
        self._may_leave_hand(seat, len(cards))
        self._leave_hand(seat, cards)
        self.melds.append(meld)
        self.room.append(room_on(meld, self.rules))
        self.laid_now = True
        events: list[Event] = [moves.Moved(meld, moves.TO_MELD, meld_number=len(self.melds) - 1)]
        if not self.hands[seat]:
            self._end(seat, "out", events)
        return events

    def _lay(self, seat: Seat, card_ids: list[str], number: int) -> list[Event]:
        """Spec, Rules: any number of lays in a turn, on anybody's melds."""
        if number < 0 or number >= len(self.melds):
            raise Illegal("no-such-meld", "There is no such meld on the table.")
        cards = self._picked(seat, card_ids)
        meld = arrange(self.melds[number] + cards, self.rules)
        if meld is None:
            raise Illegal("does-not-fit", "That does not fit on this meld.")
        self._may_leave_hand(seat, len(cards))
        self.laid_now = True
        events: list[Event] = [self._grow(seat, cards, number, meld)]
        if not self.hands[seat]:
            self._end(seat, "out", events)
        return events

    def _discard(self, seat: Seat, card_id: str, rng: Rng) -> list[Event]:
        """Spec, Rules: not the card just taken from the pile, except when it is the only one."""
        card = self._picked(seat, [card_id])[0]
        if card_id == self.taken and len(self.hands[seat]) > 1:
            raise Illegal("just-taken", "You took this card from the discard pile this turn.")
        self._leave_hand(seat, [card])
        self.discards.append(card)
        events: list[Event] = [moves.Moved([card], moves.TO_DISCARDS)]
        if self.hands[seat]:
            self._pass_on(events, rng)
        else:
            self._end(seat, "out", events)
        return events

    # Checks

    def _picked(self, seat: Seat, card_ids: list[str]) -> list[Card]:
        """The cards named, all of them in the seat's hand and none twice."""
        if not card_ids:
            raise Illegal("no-cards", "Name at least one card.")
        cards: list[Card] = []
        for card_id in card_ids:
            for card in self.hands[seat]:
                if card.id == card_id:
                    break
            else:
                raise Illegal("not-in-hand", "You do not hold that card.")
            if card in cards:
                raise Illegal("card-twice", "A card can be laid down only once.")
            cards.append(card)
        return cards

    def _may_leave_hand(self, seat: Seat, count: int) -> None:
        """Spec, Rules: with `require_end_discard` one card stays, to be discarded."""
        if self.end_discard and count == len(self.hands[seat]):
            raise Illegal("keep-a-card", "Keep a card: going out needs a discard at this table.")

    # Cards on their way

    def _to_hand(self, seat: Seat, card: Card) -> moves.Moved:
        hand = self.hands[seat]
        position = place_in_hand(hand, card.face, self.rules)
        right_end = len(hand)
        hand.insert(position, card)
        return moves.Moved([card], moves.TO_HAND, seat, position=position, right_end=right_end)

    def _leave_hand(self, seat: Seat, cards: list[Card]) -> None:
        hand = self.hands[seat]
        for card in cards:
            for at in range(len(hand)):
                if hand[at] is card:
                    del hand[at]
                    break

    def _grow(self, seat: Seat, cards: list[Card], number: int, meld: list[Card]) -> moves.Moved:
        """Spec, Order of events: one card with its final index, several as the whole meld.

        Also one card is told as the whole meld when a joker has to make way for it: the
        index alone would leave the others in a wrong order on the clients' tables.
        """
        before = self.melds[number]
        self._leave_hand(seat, cards)
        self.melds[number] = meld
        self.room[number] = room_on(meld, self.rules)
        if len(cards) == 1:
            at = [card.id for card in meld].index(cards[0].id)
            if meld[:at] + meld[at + 1 :] == before:
                return moves.Moved(cards, moves.TO_MELD, meld_number=number, position=at)
        return moves.Moved(meld, moves.TO_MELD, meld_number=number)

    # The end of a turn, and of the round

    def _pass_on(self, events: list[Event], rng: Rng) -> None:
        """End the turn: end the round or redeck if need be, then find the next active player."""
        if self.laid_now:
            self.laid[self.turn] = True
            self.quiet = 0
        else:
            self.quiet += 1
        self.laid_now = False
        self.drawn = False
        self.taken = None
        if self.quiet >= self.patience or self._stuck():
            self._end(None, "standstill", events)
            return
        if not self.deck:
            if self.settings.deck_exhaust == "end_round":
                self._end(None, "deck-exhausted", events)
                return
            if self._nobody_can_go_out():
                self._end(None, "standstill", events)
                return
            # A deck of one card would only be turned up again: it stays on the pile, and the next
            # player must take it from there.
            if len(self.discards) > 1:
                self._redeck(events, rng)
        seats = len(self.hands)
        self.turn = (self.turn + 1) % seats
        while not self.active[self.turn]:
            self.turn = (self.turn + 1) % seats
        events.append(self._turned_to_draw())

    def _stuck(self) -> bool:
        """Spec, Rules: nobody can move any more.

        Either there is nothing to draw; or no hand can be melded, being too small with the
        card drawn, and no card that is still about fits on the table. Everybody can see that.
        """
        if not self.deck and not self.discards:
            return True
        small = 2 if self.end_discard else 1
        about = 0
        for hand in self.hands:
            if len(hand) > small:
                return False
            for card in hand:
                about |= 1 << card.face
        for pile in (self.deck, self.discards):
            for card in pile:
                about |= 1 << card.face
        return not any(room & about for room in self.room)

    def _nobody_can_go_out(self) -> bool:
        """With `limit_meld_size` 3 no meld takes another card: hands go down in threes.

        The discard makes up for the card drawn, so a hand always keeps what it has over its
        threes. With one over (seven or ten cards, say) it can never go out; with two over, only
        if no discard is needed. The deck is played through once all the same.
        """
        if self.rules.most > 3:
            return False
        for hand in self.hands:
            over = len(hand) % 3
            if over == 0 or (over == 2 and not self.end_discard):
                return False
        return True

    def _turned_to_draw(self) -> moves.Turned:
        look = self.draw_choice and len(self.deck) > 0
        return moves.Turned(self.turn, moves.DRAW, self.deck[-1] if look else None)

    def _redeck(self, events: list[Event], rng: Rng) -> None:
        """Spec, Rules: all discards become the deck under new ids, then one is turned up."""
        faces = [card.face for card in self.discards]
        if self.settings.deck_exhaust == "shuffle_discard":
            rng.shuffle(faces)
        else:
            faces.reverse()
        events.append(moves.Redecked(self._new_deck(faces, rng)))
        events.append(self._turn_up())

    def _new_deck(self, faces: list[Face], rng: Rng) -> list[str]:
        """Make the deck of these faces, bottom to top, under new ids, which are returned."""
        ids = rng.tokens(len(faces))
        self.deck = [Card(ids[i], faces[i]) for i in range(len(faces))]
        return ids

    def _turn_up(self) -> moves.Moved:
        """Begin the discard pile with the top card of the deck."""
        self.discards = [self.deck.pop()]
        return moves.Moved(self.discards[:], moves.TO_DISCARDS)

    def _end(self, winner: Seat | None, how: str, events: list[Event]) -> None:
        """Spec, Rules: hand values; a winner who had laid nothing before this turn doubles them."""
        if self.settings.lay_at_end and how != "abandoned":
            self._lay_off_all(events)
        times = 2 if winner is not None and not self.laid[winner] else 1
        values: dict[Seat, int] = {}
        for seat, hand in enumerate(self.hands):
            if seat != winner:
                values[seat] = times * sum([value_of(card.face, self.rules) for card in hand])
        self.ended = moves.Ended(winner, values, how)
        events.append(self.ended)

    def _lay_off_all(self, events: list[Event]) -> None:
        """Spec, Rules: `lay_at_end`. Absent players lay nothing; a winner has nothing left."""
        seats = len(self.hands)
        before = -1
        # Round and round, because what one player lays can make room for another's card.
        while before < len(events):
            before = len(events)
            for step in range(1, seats + 1):
                seat = (self.turn + step) % seats
                if self.active[seat]:
                    self._lay_off(seat, events)

    def _lay_off(self, seat: Seat, events: list[Event]) -> None:
        """The dearest card that fits first; jokers, which fit most, last."""
        while True:
            best: Card | None = None
            number = worth = -1
            for card in self.hands[seat]:
                value = value_of(card.face, self.rules) if card.face < 52 else 0
                if value > worth:
                    for at, room in enumerate(self.room):
                        if room >> card.face & 1:
                            best, number, worth = card, at, value
                            break
            if best is None:
                return
            grown = arrange([*self.melds[number], best], self.rules)
            assert grown is not None
            events.append(self._grow(seat, [best], number, grown))


def deal(setup: Setup[Settings], rng: Rng, now: Millis) -> tuple[Rummy, list[Event]]:
    """Spec, Order of events: `start`, the deal card by card, the first discard, `turn`."""
    players = setup.players
    settings = in_force(setup.settings, len(players))
    match = Rummy(settings, players, _starter(settings, players, rng, setup.previous))
    faces: list[Face] = deck(2 if settings.enable_jokers else 0) * settings.deck_count
    rng.shuffle(faces)
    ids = match._new_deck(faces, rng)
    events: list[Event] = [moves.Started(match.players, ids, settings)]
    for _ in range(settings.hand_size):
        for seat in range(len(players)):
            events.append(match._to_hand(seat, match.deck.pop()))
    # So many turns without a card laid end the round, for limits on melds can leave everybody
    # with cards that nobody can ever lay. It is enough for the deck to go by twice.
    match.patience = 100 + 2 * len(match.deck)
    events.append(match._turn_up())
    events.append(match._turned_to_draw())
    return match, events


def _starter(settings: Settings, players: Sequence[str], rng: Rng, previous: object) -> Seat:
    """Spec, Rules: round 1 the first player in the lobby; later rounds by `first_turn`.

    Without a winner the previous starter begins again; a player who has left is followed
    by the next of the old round who is still there.
    """
    if not isinstance(previous, Rummy):
        return 0
    seating = list(players)
    if settings.first_turn == "random":
        return rng.below(len(seating))
    before = previous.starter
    if settings.first_turn == "prev_winner" and previous.ended is not None:
        winner = previous.ended.winner
        before = before if winner is None else winner
    order = previous.players[before:] + previous.players[:before]
    staying = [player for player in order if player in seating]
    if not staying:
        return 0
    seat = seating.index(staying[0])
    if settings.first_turn == "next_player" and staying[0] == order[0]:
        return (seat + 1) % len(seating)
    return seat
