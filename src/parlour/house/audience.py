"""The connections of a table, and the messages that each of them gets.

No clock, no sockets: it returns letters, which the journal sends. Longer than most modules: the
order of these messages is decided here alone.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from parlour.bus import ConnectionId, JoinRequest, gateway_of
from parlour.house.journal import Letter
from parlour.house.pictures import Pictures
from parlour.house.scenes import Scenes
from parlour.kit import Millis, Story
from parlour.marks import PartlySecret, Private
from parlour.protocol import Codec, Manner, Scope, Wire, extras
from parlour.protocol import extras_messages as say
from parlour.protocol.attending import ATTENDING, Shown
from parlour.table import Player, Table
from parlour.table.events import ASIDE, LOBBY_EVENTS, Dealt, Happened, Said, Sealed
from parlour.table.notes import notes_of

MOST_TOLD = 1500
"""Events of the longest match whose whole story is sent to a newcomer."""
LONGEST_STORY = 200_000
"""The same in bytes."""

MOST_APPLAUSE: Final = 20
APPLAUSE_TIME: Final[Millis] = 10_000
"""At most so much applause in so much time, from all spectators of a table."""


@dataclass(slots=True, eq=False)
class Attachment:
    """One connection at one table: as a player, or (without a place) watching."""

    request: JoinRequest
    """The request with which it joined."""
    wire: Wire
    visitor: str
    """Its own visitor, or that of the player whose key it has shown."""
    place: int | None = None
    connection: ConnectionId = field(init=False)
    applauded: tuple[Millis, ...] = ()
    """When it last applauded."""
    answered_until: Millis = 0
    """When its answers so far would have been sent at `ANSWER_RATE` (`Requests`)."""

    def __post_init__(self) -> None:
        self.connection = self.request.connection


class Audience:
    """The connections of one table."""

    def __init__(self, table: Table, clock: Callable[[], Millis]) -> None:
        self.table = table
        self._clock = clock
        self.pictures = Pictures(table)
        self.attachments: list[Attachment] = []
        """Changed by `attach` and `detach` alone."""
        self._with_extras: list[Attachment] = []
        self._with_scenes: list[Attachment] = []
        self._counting: list[Attachment] = []
        """Those that are told how far they got."""
        self._counted = table.version
        """The version that they were told of last."""
        self.scenes = Scenes(table)
        self.applauded: deque[Millis] = deque(maxlen=MOST_APPLAUSE)
        """When spectators last applauded."""
        self._by_wire: list[tuple[Codec, list[Attachment], list[ConnectionId]]] = []
        """Without those who attend in this process."""
        self._attending: list[Attachment] = []
        self._grouped = True
        """Whether nobody has come or gone since connections were grouped. Thousands may leave at
        once, so they are grouped again only when there is something to tell."""

    def attach(self, attachment: Attachment) -> None:
        self.attachments.append(attachment)
        self._grouped = False

    def follow(self, attachment: Attachment) -> None:
        """The same, for a connection that has been told all up to now."""
        self.attach(attachment)
        if self._sees_scenes(attachment):
            self.scenes.greet(self.player(attachment))

    def detach(self, attachment: Attachment) -> None:
        self.attachments.remove(attachment)
        self._grouped = False
        if not self.attachments:
            # Nobody will be told anything: let go of the last group, and of the scenes.
            self._group()

    def at_place(self, place: int) -> list[Attachment]:
        return [a for a in self.attachments if a.place == place]

    def connected(self, place: int, to_play: bool = False) -> bool:
        """Whether this place has a connection; `to_play`: one that shows more than the lobby."""
        return any(not (to_play and a.wire.scope is Scope.LOBBY) for a in self.at_place(place))

    def player(self, attachment: Attachment) -> Player | None:
        return None if attachment.place is None else self.table.roster.at(attachment.place)

    def _group(self) -> None:
        """By wire and gateway. New lists every time: letters on their way still hold the old."""
        groups: dict[tuple[Wire, int], list[Attachment]] = {}
        self._attending = [a for a in self.attachments if a.wire is ATTENDING]
        for a in self.attachments:
            if a.wire is not ATTENDING:
                groups.setdefault((a.wire, gateway_of(a.connection)), []).append(a)
        self._with_extras = [a for a in self.attachments if a.request.extras is not None]
        self._with_scenes = [a for a in self._with_extras if self._sees_scenes(a)]
        if not self._with_scenes:
            self.scenes.forget()
        self._counting = [a for a in self.attachments if a.request.since is not None]
        self._by_wire = [
            (wire.codec, group, [a.connection for a in group])
            for (wire, _), group in groups.items()
        ]
        self._grouped = True

    def _sees_scenes(self, attachment: Attachment) -> bool:
        return self.table.game.scene is not None and attachment.request.asks("scene")

    # -- telling ----------------------------------------------------------------------

    def greet(self, attachment: Attachment) -> list[Letter]:
        """The first messages of a new connection."""
        player = self.player(attachment)
        codec = attachment.wire.codec
        picture = self.table.picture(player, Story) if codec.retells else self.pictures.of(player)
        greeting = codec.greet(picture, self.table.roster, player, self._clock())
        if attachment.request.extras is not None:
            greeting = [*greeting, *self._extras(attachment, player)]
        if self._asks_deals(attachment):
            # First: a client that starts a match as soon as it is greeted has answered it by then.
            greeting = [self._promised(), *greeting]
        if attachment.request.since is not None:
            greeting.insert(0, self._here(attachment.place, len(greeting), whole=True))
        return [([attachment.connection], data) for data in greeting]

    def _extras(self, attachment: Attachment, player: Player | None) -> list[bytes]:
        """The messages after a greeting for a connection with extras."""
        table = self.table
        events: list[bytes] = []
        if attachment.request.asks("story") and len(table.story) <= MOST_TOLD:
            codec = attachment.wire.codec
            notes = deque(table.notes)
            for position, event in enumerate(table.story):
                while notes and notes[0][0] <= position:
                    events.append(extras.encode(say.Noted(*notes.popleft()[1])))
                if codec.manner(event) is Manner.SNAPSHOT:
                    continue
                viewed = table.view(event, player)
                if viewed is not None:
                    events += codec.encode(viewed, table.roster, player)
            events += [extras.encode(say.Noted(*noted)) for _, noted in notes]
            if sum(map(len, events)) > LONGEST_STORY:
                events = []
        return [
            extras.table(table.roster, table.game.lobby, attachment.visitor, self._clock()),
            extras.story(table.spoken, events),
            *([self.scenes.greet(player)] if self._sees_scenes(attachment) else ()),
        ]

    def tell(self, happened: Happened) -> list[Letter]:
        """Letters for these events, encoded once for all who see the same."""
        if not self._grouped:
            self._group()
        out: list[Letter] = []
        followed: Happened = []
        view, roster = self.table.view, self.table.roster
        if self._attending:
            out.append(self._show(happened))
        for event in happened if self._by_wire else ():
            public = None if isinstance(event, Private) else view(event, None)
            for codec, attachments, connections in self._by_wire:
                manner = codec.manner(event)
                if manner is not Manner.SHARED:
                    if manner.followed:
                        followed.append(event)
                    if manner is not Manner.FOLLOWED:
                        self._tell_each(event, manner, codec, attachments, out)
                        continue
                # An event that spectators see whole, everybody sees whole: nearly every one.
                if public is not event:
                    if isinstance(event, PartlySecret):
                        connections = self._tell_owner(event, codec, attachments, out)
                    else:
                        connections = self._tell_privy(event, public, codec, attachments, out)
                if public is not None and connections:
                    for data in codec.encode(public, roster, None):
                        out.append((connections, data))
        if followed:
            self._tell_snapshots(followed, out)
        if self._with_extras:
            self._tell_extras(happened, out)
        if self._with_scenes:
            out += self.scenes.tell(happened, self._viewers())
        if self._counting and self.table.version != self._counted:
            # Applause is no input: nobody is told of it later.
            out = [*self._heres(out), *out]
        self._counted = self.table.version
        return out

    def _heres(self, letters: list[Letter]) -> list[Letter]:
        """For connections that ask for it: how far they are with these messages."""
        lists = {id(to): to for to, _ in letters}
        times = Counter(id(to) for to, data in letters if type(data) is bytes)
        messages: Counter[ConnectionId] = Counter()
        for each, count in times.items():
            for connection in lists[each]:
                messages[connection] += count
        groups: dict[tuple[int | None, int, int], list[ConnectionId]] = {}
        for a in self._counting:
            if a.connection in messages:
                key = a.place, messages[a.connection], gateway_of(a.connection)
                groups.setdefault(key, []).append(a.connection)
        return [(to, self._here(place, count)) for (place, count, _), to in groups.items()]

    def _here(self, place: int | None, messages: int, whole: bool = False) -> bytes:
        table = self.table
        ago = 0 if whole else max(0, self._clock() - table.last_at)
        return extras.at(table.version, table.last_at, place, messages, whole, ago)

    def _show(self, happened: Happened) -> Letter:
        """All that happened, for those who attend in this process."""
        view, roster = self.table.view, self.table.roster
        players = {player.place: player for player in roster.players}
        shown = Shown()
        shown.events = []
        for event in happened:
            public = view(event, None)
            more: dict[ConnectionId, object] = {}
            if public is not event:
                for attachment in self._attending:
                    if attachment.place in players:
                        viewed = view(event, players[attachment.place])
                        if viewed is not public:
                            more[attachment.connection] = viewed
            shown.events.append((public, more))
        changed = any(type(event) in LOBBY_EVENTS for event in happened)
        shown.roster = roster.copy() if changed else None
        return [a.connection for a in self._attending], shown

    def _viewers(self) -> list[tuple[Player | None, list[ConnectionId]]]:
        """The viewers of scenes, with their connections by gateway."""
        found: dict[tuple[int | None, int], list[ConnectionId]] = {}
        for a in self._with_scenes:
            found.setdefault((a.place, gateway_of(a.connection)), []).append(a.connection)
        at = self.table.roster.at
        return [(None if place is None else at(place), told) for (place, _), told in found.items()]

    def _tell_extras(self, happened: Happened, out: list[Letter]) -> None:
        table = self.table
        changed = False
        for event in happened:
            kind = type(event)
            if isinstance(event, Dealt | Sealed):
                self._tell_deals(event, out)
            if kind is Said:
                name, text, at = table.spoken[-1]
                data = extras.encode(say.Said(name, text, at))
                for _, attachments, _ in self._by_wire:
                    told = [a.connection for a in attachments if a.request.extras is not None]
                    if told:
                        out.append((told, data))
            elif kind in LOBBY_EVENTS or kind in ASIDE:
                changed = True
        if changed and not table.closed:
            now = self.table.last_at
            noted = notes_of(happened, table.roster)
            notes = [extras.encode(say.Noted(*each)) for each in noted]
            for attachment in self._with_extras:
                data = extras.table(table.roster, table.game.lobby, attachment.visitor, now)
                out += [([attachment.connection], message) for message in (*notes, data)]

    def _asks_deals(self, attachment: Attachment) -> bool:
        return bool(self.table.opening.deals) and attachment.request.asks("deals")

    def _promised(self) -> bytes:
        """The commitment for the next match."""
        number = self.table.roster.round + 1
        return extras.encode(
            say.Promised(self.table.match_name(number), self.table.promise(number))
        )

    def _tell_deals(self, event: Dealt | Sealed, out: list[Letter]) -> None:
        """After a deal, the commitment for the next one; after a match, the head of the chain."""
        told = [a.connection for a in self._with_extras if self._asks_deals(a)]
        if isinstance(event, Sealed):
            data = extras.encode(say.Sealed(event.match, event.head))
        else:
            data = self._promised()
        out += [([connection], data) for connection in told]

    def _tell_snapshots(self, followed: Happened, out: list[Letter]) -> None:
        """A snapshot for everybody who was told of one of these events."""
        view, roster, now = self.table.view, self.table.roster, self.table.last_at
        for codec, attachments, _ in self._by_wire:
            events = [event for event in followed if codec.manner(event).followed]
            for attachment in attachments:
                player = self.player(attachment)
                if any(view(event, player) is not None for event in events):
                    picture = self.pictures.of(player)
                    told = codec.snapshot(None, picture, roster, player, now)
                    out += [([attachment.connection], data) for data in told]

    def _tell_owner(
        self,
        event: PartlySecret,
        codec: Codec,
        attachments: list[Attachment],
        out: list[Letter],
    ) -> list[ConnectionId]:
        """Tell an event to the connections of its seat; returns the others."""
        roster = self.table.roster
        owner = roster.at(roster.seating[event.seat].place)
        place = None if owner is None else owner.place
        theirs: list[ConnectionId] = []
        others: list[ConnectionId] = []
        for a in attachments:
            if a.place is not None and a.place == place:
                theirs.append(a.connection)
            else:
                others.append(a.connection)
        viewed = self.table.view(event, owner) if theirs else None
        if viewed is not None:
            for data in codec.encode(viewed, roster, owner):
                out.append((theirs, data))
        return others

    def _tell_privy(
        self,
        event: object,
        public: object,
        codec: Codec,
        attachments: list[Attachment],
        out: list[Letter],
    ) -> list[ConnectionId]:
        """Tell an event to those who may see more of it than spectators; returns the others."""
        view, roster = self.table.view, self.table.roster
        players = {player.place: player for player in roster.players}
        others: list[ConnectionId] = []
        privy: list[tuple[object, Player | None, list[ConnectionId]]] = []
        for attachment in attachments:
            player = None if attachment.place is None else players.get(attachment.place)
            viewed = public if player is None else view(event, player)
            if viewed is public:
                others.append(attachment.connection)
            elif viewed is not None:
                for same, _, connections in privy:
                    if same is viewed:
                        connections.append(attachment.connection)
                        break
                else:
                    privy.append((viewed, player, [attachment.connection]))
        for viewed, player, connections in privy:
            for data in codec.encode(viewed, roster, player):
                out.append((connections, data))
        return others

    def _tell_each(
        self,
        event: object,
        manner: Manner,
        codec: Codec,
        attachments: list[Attachment],
        out: list[Letter],
    ) -> None:
        """Tell an event to each connection separately."""
        table, roster = self.table, self.table.roster
        for attachment in attachments:
            player = self.player(attachment)
            viewed = table.view(event, player)
            if viewed is None:
                continue
            if manner is Manner.SNAPSHOT:
                picture = self.pictures.of(player)
                told = codec.snapshot(event, picture, roster, player, self.table.last_at)
            else:
                told = codec.encode(viewed, roster, player)
            out += [([attachment.connection], data) for data in told]
