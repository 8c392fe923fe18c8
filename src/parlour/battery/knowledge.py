"""The cards that each seat knew at each step, according to the trial (and not to `view`)."""

from __future__ import annotations

from dataclasses import dataclass, field

from parlour.battery.dealing import Key, Marker
from parlour.battery.derive import leaves
from parlour.battery.night import Night
from parlour.battery.trial import Trial
from parlour.kit import Match, Seat
from parlour.table import Table
from parlour.table import events as tell
from parlour.table import inputs as do


@dataclass
class Knowledge:
    """The cards that each viewer knew in one night."""

    decks: list[list[object]]
    """The numbers drawn, and the cards after each shuffle."""
    drawn: set[Key] = field(default_factory=set)
    """The numbers that are cards, of all that were drawn."""
    now: dict[Seat | None, set[Key]] = field(default_factory=dict)
    ever: dict[Seat | None, set[Key]] = field(default_factory=dict)
    excess: list[str] = field(default_factory=list)
    """Sentences: which card somebody was shown and must not know."""
    fixed: list[object] = field(default_factory=list)
    """Hidden cards that were neither shuffled nor drawn."""
    happened: list[tell.Happened] = field(default_factory=list)
    """By input, its events with their cards marked."""
    actions: dict[int, object] = field(default_factory=dict)
    """By number of the log entry: actions that name cards, with their cards marked."""
    marker: Marker = field(default_factory=lambda: Marker(lambda thing: True))

    @property
    def everything(self) -> set[Key]:
        shuffled = {(k, p) for k, deck in enumerate(self.decks) for p in range(len(deck)) if k}
        return shuffled | self.drawn

    def secrets_of_others(self, seat: Seat | None) -> set[Key]:
        """Cards that somebody else knows now, and `seat` never knew."""
        others = set[Key]().union(*self.now.values())
        return others - self.ever[seat]

    def looks_like_one_of(self, key: Key, known: set[Key]) -> bool:
        """Whether a card is one of these, or of the same shuffle and just like one of them."""
        deck, card = key[0], self.decks[key[0]][key[1]]
        return key in known or any(k == deck > 0 and self.decks[k][p] == card for k, p in known)

    def may_be_told_again(self, seat: Seat | None) -> set[Key]:
        """The cards that a seat knows now, that everybody was shown, and of earlier deals."""
        return self.now[seat] | self.ever[None] | (self.ever[seat] & self.marker.past)


def knowledge_of(night: Night) -> Knowledge:
    """Fold a night again with marked cards, and ask the trial at every step who knows what."""
    trial = night.trial
    marker = Marker(trial.is_card)
    knows = Knowledge(marker.decks, marker=marker)
    opening = do.decode(night.log[0][1])
    assert isinstance(opening, do.Open)
    library = night.table.library
    with trial.dealt_by(marker):
        table = Table(trial.game, opening, night.log[0][0], library)
        for number, (at, data) in enumerate(night.log):
            entry = do.decode(data)
            if number:
                if type(entry) is do.Act:
                    _mark_action(table, number, entry, knows)
                draws = len(marker.decks[0])
                knows.happened.append(table.receive(entry, at))
                if len(marker.decks[0]) > draws and table.match is not None:
                    _note_dice(trial, table.match, knows)
                _note(night, table, knows.happened[-1], number, knows)
    return knows


def _fixed(trial: Trial, match: Match, marker: Marker) -> list[object]:
    """The cards that spectators may not know and that chance did not deal. If `cards` lists no
    faces (but ids, say), this can't be told."""
    cards = list(trial.cards(match))
    open_cards = list(trial.knows(match, None))
    missing = [card for card in cards if next(marker.keys(card), None) is None]
    return [c for c in missing if c not in open_cards] if len(missing) < len(cards) else []


def _mark_action(table: Table, number: int, entry: do.Act, knows: Knowledge) -> None:
    """Replace the cards that an action names by the marked ones."""
    player, match = table.roster.at(entry.place), table.match
    if player is None or player.seat is None or match is None or not knows.decks:
        return
    action = do.unpack(entry.action, table.action_types)
    if not knows.drawn and next(knows.marker.keys_of_cards(leaves(action)), None) is None:
        return
    for listed in match.legal(player.seat):
        if listed == action and next(knows.marker.keys(listed), None) is not None:
            knows.actions[number] = entry.action = listed
            return


def _note_dice(trial: Trial, match: Match, knows: Knowledge) -> None:
    """Note which of the numbers that were drawn are cards; those that were before are past."""
    lying = {key for card in trial.cards(match) for key in knows.marker.keys(card) if not key[0]}
    knows.marker.past |= knows.drawn - lying
    knows.drawn |= lying


def _note(
    night: Night, table: Table, happened: tell.Happened, number: int, knows: Knowledge
) -> None:
    """Note who knows what after an input, and whether anybody was shown more."""
    roster, match, trial = table.roster, table.match, night.trial
    if not roster.running or match is None:
        return
    events = [event for event in happened if type(event) not in tell.TABLE_EVENTS]
    marker = knows.marker
    if any(type(event) is tell.Dealt for event in happened):
        knows.fixed += _fixed(trial, match, marker)
    revealed = {key for e in events for key in marker.keys_of_cards(trial.reveals(e))}
    before = knows.now
    knows.now = {}
    for seat in (None, *range(len(roster.seating))):
        known = set(marker.keys_of_cards(trial.knows(match, seat)))
        # A player who joins later may know all that spectators were shown.
        ever = knows.ever.setdefault(seat, set(knows.ever.get(None, ())))
        ever |= known | revealed
        knows.now[seat] = known
        may = ever if trial.remembers else known | revealed | before.get(seat, set())
        player = None if seat is None else roster.seating[seat]
        for event in events:
            viewed = table.view(event, player)
            for key in set(marker.keys(viewed)) - may:
                is_card = key[0] or key in knows.drawn
                if is_card and not knows.looks_like_one_of(key, may):
                    card = knows.decks[key[0]][key[1]]
                    knows.excess.append(
                        f"entry {number}: seat {seat} was shown {card!r} in {viewed!r}"
                    )
