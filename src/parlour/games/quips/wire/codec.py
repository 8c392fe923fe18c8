"""Quips' protocol as both generations of existing clients speak it, and with our extensions.

`events.py` says which event is told by which message; their order is the rules'.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Final, TypeAlias

import msgspec

from parlour.games.quips import actions as act
from parlour.games.quips import events
from parlour.games.quips.deck import CUSTOM, custom_id, custom_text
from parlour.games.quips.lobby import SPECTATOR
from parlour.games.quips.picture import Picture
from parlour.games.quips.settings import Settings
from parlour.games.quips.wire import messages, telling
from parlour.kit import Illegal
from parlour.protocol import Applaud, Codec, InContext, Manner, Question, Request, Told, union_of
from parlour.table import Player, Roster
from parlour.table import events as tell
from parlour.table import inputs as do

_encode = msgspec.json.Encoder().encode

_Event: TypeAlias = Told[events.Event]
_LOBBY_EVENTS: Final = (tell.LobbyChanged, tell.WentAway, tell.CameBack)
_OLDER_CUSTOM: Final = "custom: "


class NewerQuips(Codec[messages.FromExtended, Settings, events.Event, Picture]):
    """The newer generation."""

    incoming: Any = union_of(messages.FromClient)
    outgoing: Any = union_of(messages.ToNewer)
    snapshot_on: ClassVar[frozenset[type[object]]] = frozenset({tell.Renamed})
    """Events told by what they change (`Manner.SNAPSHOT`)."""
    not_told: ClassVar[frozenset[type[object]]] = frozenset({events.Turned})
    """Events that these clients know no message for."""

    # -- in ---------------------------------------------------------------------------

    def request(self, message: messages.FromExtended) -> Request:
        match message:
            case messages.PlayCards():
                # Nearly every message.
                return InContext(message)
            case messages.JudgeCards(play_index=index):
                return do.Act(do.ME, act.Judge(index))
            case messages.Turn(play_index=index):
                return do.Act(do.ME, act.Turn(index))
            case messages.VoteSkip(voted=voted):
                return do.Act(do.ME, act.VoteSkip(voted))
            case messages.ChatMessage(body=body):
                return do.Say(do.ME, body)
            case messages.ReadyUp(status=status):
                return do.Ready(do.ME, status)
            case messages.GetAllCards():
                return Question("cards")
            case _:
                return InContext(message)

    def answer(
        self, question: Question, picture: Picture, roster: Roster, me: Player | None
    ) -> bytes:
        return telling.all_cards(roster)

    def understand(
        self, message: messages.FromExtended, picture: Picture, roster: Roster, me: Player | None
    ) -> Request:
        """A card is named by its id here, and by its slot in the hand in the rules."""
        if isinstance(message, messages.Applaud):
            # A player's applause is chat, which is logged; a spectator's is not.
            return Applaud(message.cheer) if me is None else do.Say(do.ME, message.cheer)
        if me is None:
            raise Illegal("watching", "You are watching, not playing.")
        if isinstance(message, messages.UpdateInfo):
            asked = message.userinfo.name
            return do.Rename(do.ME, me.name if asked is None else asked)
        if not roster.running:
            raise Illegal("no-round", "No round is running.")
        match message:
            case messages.PlayCards(cards=cards):
                named = picture.name([self.card_from(card or "") for card in cards or ()])
                return do.Act(do.ME, act.Play(named))
            case messages.DiscardCard(card_id=card):
                return do.Act(do.ME, act.Discard(picture.slot(card or "")))
            case messages.UpgradeCard(card_id=card):
                return do.Act(do.ME, act.Upgrade(picture.slot(card or "")))
            case _:
                raise NotImplementedError(type(message).__name__)

    def set_right(
        self, message: messages.FromExtended, picture: Picture, me: Player | None
    ) -> Sequence[bytes]:
        """Spec: without its hand, a client leaves the card it asked about unclickable; and
        `s_clientinfo` comes after every `c_updateinfo`."""
        if me is not None and isinstance(message, messages.UpdateInfo):
            return (_encode(telling.client_info(me)),)
        if me is None or not isinstance(message, messages.OfHand):
            return ()
        return (self._hand(picture.hand, picture.blanks, picture.discards),)

    # -- out --------------------------------------------------------------------------

    def manner(self, event: _Event) -> Manner:
        """Personal: spectators are not asked to be ready, and have no hand to be emptied."""
        kind = type(event)
        if kind in self.snapshot_on:
            return Manner.SNAPSHOT
        personal = kind in _LOBBY_EVENTS or kind is events.Over
        return Manner.PERSONAL if personal else Manner.SHARED

    def encode(self, event: _Event, roster: Roster, me: Player | None) -> Sequence[bytes]:
        if type(event) in self.not_told:
            return ()
        match event:
            case events.StateChanged():
                return (_encode(telling.game_state(event, roster, self.card_to)),)
            case events.HandChanged(cards=cards, blanks=blanks, discards=discards):
                return (self._hand(cards, blanks, discards),)
            case events.PlayShown(cards=cards):
                return (self._played(cards),)
            case events.PlayersChanged(players=players):
                return (self._players(roster, players),)
            case events.PointsChanged(points=points):
                return (_encode(messages.SendAuxClientData(points)),)
            case events.Turned(plays=plays):
                return (_encode(messages.SendTurned(plays)),)
            case events.Skipped(skipped=skipped, replacement=replacement):
                return (_encode(messages.SendNotifySkipped(skipped, replacement)),)
            case events.Over():
                # In `game_starting` a player has no points, hand or play.
                nothing = self._hand([], 0, 0), self._played([])
                return () if me is None else (_encode(messages.SendAuxClientData(0)), *nothing)
            case tell.Said(place=place, text=text):
                author = roster.at(place)
                name = "" if author is None else author.name
                return (_encode(messages.SendChatMessage(name, text)),)
            case tell.Applauded(text=text):
                return (_encode(messages.SendChatMessage(SPECTATOR, text)),)
            case tell.NotDealt(code=code, sentence=sentence):
                return (self.refuse(code, sentence),)
            case tell.Configured() | tell.Pinned():
                return (telling.all_cards(roster),)
            case tell.LobbyChanged() | tell.WentAway() | tell.CameBack():
                return () if roster.running else self._lobby(roster, me)
            case _:
                return ()

    def snapshot(
        self, event: _Event | None, picture: Picture, roster: Roster, me: Player | None, now: int
    ) -> Sequence[bytes]:
        """Somebody is called something else, or somebody else may be the host."""
        told: list[bytes] = []
        if isinstance(event, tell.Renamed) and me is not None and me.place == event.place:
            told.append(_encode(telling.client_info(me)))
        if roster.running:
            told.append(self._players(roster, picture.players))
        elif event is not None:
            told += self.encode(event, roster, me)
        return told

    def greet(self, picture: Picture, roster: Roster, me: Player | None, now: int) -> list[bytes]:
        """In the order of the spec's "Walk". Spectators have no hand, play or points."""
        if roster.running and picture.state is not None:
            players = self._players(roster, picture.players)
            state = self.encode(picture.state, roster, me)
        else:
            players, *state = self._lobby(roster, me)
        if picture.turned:
            state = [*self.encode(events.Turned(picture.turned), roster, me), *state]
        cards = telling.all_cards(roster)
        if me is None:
            return [players, cards, *state]
        return [
            _encode(telling.client_info(me)),
            players,
            cards,
            self._hand(picture.hand, picture.blanks, picture.discards),
            *state,
            _encode(messages.SendAuxClientData(picture.points)),
            self._played(picture.played),
        ]

    def refuse(self, code: str, sentence: str) -> bytes:
        return _encode(messages.SendError(code, sentence))

    def _players(self, roster: Roster, entries: list[events.Entry] | None) -> bytes:
        """`s_players`, as clients of this kind read it; None: in `game_starting`."""
        return _encode(messages.SendPlayers(telling.players(roster, entries)))

    def _lobby(self, roster: Roster, me: Player | None) -> tuple[bytes, bytes]:
        return self._players(roster, None), _encode(telling.starting(roster, me))

    def _hand(self, cards: list[tuple[int, str]], blanks: int, discards: int) -> bytes:
        return _encode(messages.SendHand(blanks, discards, [card for _, card in cards]))

    def _played(self, cards: list[str]) -> bytes:
        return _encode(messages.SendCardsPlayed([self.card_to(card) for card in cards]))

    # -- cards ------------------------------------------------------------------------

    def card_from(self, card: str) -> str:
        """A card's id, as a client wrote it."""
        return card

    def card_to(self, card: str) -> str:
        """A card's id, as a client reads it."""
        return card


class OlderQuips(NewerQuips):
    """The older generation: custom cards in plain text; no chat, no skips, no ready-up."""

    outgoing = union_of(messages.ToOlder)
    not_told = frozenset({events.Turned, events.Skipped, tell.Said, tell.Applauded})

    def card_from(self, card: str) -> str:
        if not card.startswith(_OLDER_CUSTOM):
            return card
        return custom_id(card.removeprefix(_OLDER_CUSTOM))

    def card_to(self, card: str) -> str:
        if not card.startswith(CUSTOM):
            return card
        # It reads one line.
        return _OLDER_CUSTOM + " ".join(custom_text(card).splitlines())


class ExtendedQuips(NewerQuips):
    """With our extensions, for clients that ask for them (`?extended=1`), as our own page does.

    Existing clients are sent nothing of these: who the host is, which plays the judge has turned
    over, that somebody was put out and may come back. Spectators may also applaud.
    """

    incoming = union_of(messages.FromExtended)
    outgoing = messages.ToExtended
    # After the last two, somebody else may be the host.
    snapshot_on = frozenset({tell.Renamed, tell.DroppedOut, tell.CameBack})
    not_told = frozenset()

    def _players(self, roster: Roster, entries: list[events.Entry] | None) -> bytes:
        return _encode(messages.SendPlayersExtended(telling.extended_players(roster, entries)))
