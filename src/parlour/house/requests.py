"""Requests of connections at a live table: inputs, questions, to sit down, to leave."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Final

import msgspec

from parlour.choices import action_of, name_of
from parlour.house.audience import APPLAUSE_TIME, MOST_APPLAUSE, Attachment
from parlour.house.journal import Farewell
from parlour.house.lookalikes import check_visible, skeletons
from parlour.house.moving import move
from parlour.house.services import Services
from parlour.kit import Illegal, Millis, OpenMatch
from parlour.protocol import (
    GUESSED_WRONG,
    Answer,
    Applaud,
    Attempt,
    Choose,
    InContext,
    MoveTo,
    Question,
    Quit,
    Request,
    SitDown,
    StopWaiting,
    WaitForSeat,
    extras,
)
from parlour.protocol import extras_messages as say
from parlour.table import events as tell
from parlour.table import inputs as do
from parlour.table.phase import MOST_REMEMBERED

if TYPE_CHECKING:
    from parlour.house.live import LiveTable

NOT_FROM_OUTSIDE = (do.Fumble, do.Stir, do.Pin)
"""Inputs of players that only the house makes."""
ANSWER_RATE = 1024
"""Bytes of answers per millisecond and connection."""
ANSWERS_AHEAD: Final[Millis] = 4_000
"""How far a connection may be ahead of that rate when it asks again."""
FAULT = "fault"
"""The code of a refusal because the table has failed."""


class Requests:
    """Does what connections ask of one live table, or tells them why not."""

    def __init__(self, live: LiveTable, services: Services) -> None:
        self._live = live
        self._services = services
        self._journal = services.journal
        self._notes: dict[int | None, object] = {}
        """By place (None: all spectators): notes of the last answer for the next question."""

    def submit(self, attachment: Attachment, request: Request) -> None:
        """Do what a connection asks for, or tell it why not."""
        context: InContext | None = None
        try:
            if isinstance(request, InContext):
                context = request
                request = self._understand(attachment, context.message)
            place = attachment.place
            if type(request) is do.Act and place is not None:
                # Nearly every message. The place is the attachment's, whatever the message claims.
                request.place = place
                words = self._services.words
                if words.pattern is not None:
                    talk = self._live.game.lobby.talk
                    request.action = talk.written(request.action, words.starred)
                self._live.receive(request, counted=True)
                return
            self._do(attachment, place, request)
            if type(request) is Attempt:
                return
        except Illegal as no:
            if context is not None and no.code != FAULT:
                self._set_right(attachment, context.message)
            self.refuse(attachment, no)
        self._woken(attachment)

    def refuse(self, attachment: Attachment, no: Illegal) -> None:
        """Tell a connection that its request is refused, and why."""
        hooks = self._services.hooks
        hooks.refused(self._live.game.id, no.code)
        if no.code in GUESSED_WRONG:
            hooks.charge_miss(attachment.request.address)
        answer = attachment.wire.codec.refuse(no.code, no.sentence)
        if answer is None and attachment.request.extras is not None:
            answer = extras.encode(say.Refused(no.code, no.sentence))
        self._answer(attachment, answer)

    def _understand(self, attachment: Attachment, message: object) -> Request:
        """The request in a message that depends on its sender's picture."""
        player = self._live.audience.player(attachment)
        picture = self._live.audience.pictures.of(player)
        return attachment.wire.codec.understand(message, picture, self._live.roster, player)

    def _set_right(self, attachment: Attachment, message: object) -> None:
        """Show the sender of a refused message again what it should have known."""
        player = self._live.audience.player(attachment)
        picture = self._live.audience.pictures.of(player)
        self._answer(attachment, attachment.wire.codec.set_right(message, picture, player))

    def _woken(self, attachment: Attachment) -> None:
        """A player who sends anything is awake, even if the message was refused."""
        player = self._live.audience.player(attachment)
        match = self._live.table.match
        if player is None or player.seat is None or not self._live.roster.running:
            return
        if isinstance(match, OpenMatch) and match.asleep(player.seat):
            self._live.note(do.Stir(player.place))

    def _do(self, attachment: Attachment, place: int | None, request: Request) -> None:
        if isinstance(request, Answer | Question):
            if attachment.answered_until > self._journal.clock() + ANSWERS_AHEAD:
                raise Illegal("too-fast", "That was too fast: slow down.")
            if isinstance(request, Answer):
                self._answer(attachment, request)
            else:
                self._ask(attachment, request)
        elif isinstance(request, MoveTo):
            move(self._services, self._live, attachment, request.code)
        elif place is None:
            self._do_watching(attachment, request)
        elif isinstance(request, Attempt):
            self._attempt(place, request.action)
        elif isinstance(request, Choose):
            self.submit(attachment, do.Act(place, self._chosen(place, request)))
        elif isinstance(request, Quit):
            self._quit(place)
        elif isinstance(request, do.Nonce):
            # Too late for its match, it is no use, and the next commitment was told: no answer.
            with suppress(Illegal):
                self._live.receive(do.Nonce(place, request.nonce, request.commitment))
        elif isinstance(request, do.Placed) and not isinstance(request, NOT_FROM_OUTSIDE):
            request.place = place
            if isinstance(request, do.RemoveBot):
                # By its place: ids follow from the table's seed, which is never published.
                ids = {bot.id: bot.place for bot in self._live.roster.bots}
                request.bot = ids.get(str(request.bot), request.bot)
            if isinstance(request, do.Say):
                request.text = self._services.words.starred(request.text)
            elif isinstance(request, do.Rename):
                request.name = self._services.words.starred(request.name)
                self._check_look(attachment, request)
            self._live.receive(request, counted=True)
        elif isinstance(request, SitDown | WaitForSeat | StopWaiting):
            raise Illegal("already-here", "You sit at this table already.")
        else:
            raise Illegal("not-yours", "That is for the house to do.")

    def _do_watching(self, attachment: Attachment, request: Request) -> None:
        if isinstance(request, SitDown):
            self._sit_down(attachment)
        elif isinstance(request, Applaud):
            self._applaud(attachment, request.text)
        elif isinstance(request, WaitForSeat):
            self._wait_for_seat(attachment, request.key)
        elif isinstance(request, StopWaiting):
            self._live.receive(do.Unqueue(attachment.visitor))
        else:
            raise Illegal("watching", "You are watching, not playing.")

    def _applaud(self, attachment: Attachment, text: str) -> None:
        """Send a spectator's applause to everybody. It is no input, and not in the log."""
        live, now = self._live, self._journal.clock()
        told = live.audience.applauded
        text = live.game.lobby.talk.words(live.roster, text, attachment.applauded, now)
        if len(told) == MOST_APPLAUSE and now - told[0] < APPLAUSE_TIME:
            raise Illegal("too-fast", "The applause is loud enough already.")
        attachment.applauded = (*attachment.applauded, now)[-MOST_REMEMBERED:]
        told.append(now)
        self._journal.say(live.audience.tell([tell.Applauded(text)]))

    def _check_look(self, attachment: Attachment, request: do.Rename) -> None:
        """Refuse a name with invisible characters, or one that looks like somebody else's."""
        check_visible(request.name)
        # As the lobby will write it, without blanks around it.
        name = self._live.game.lobby.names.good(request.name)
        if self._services.hooks.name_held(name, (attachment.visitor, attachment.request.person)):
            raise Illegal("name-taken", "That is the name of somebody's account.")
        roster = self._live.roster
        me = roster.at(request.place)
        for player in roster.players:
            alike = player is not me and not skeletons(player.name).isdisjoint(skeletons(name))
            # The lobby itself handles names that differ in case alone: it may add a number.
            if alike and player.name.casefold() != name.casefold():
                raise Illegal("name-taken", "Somebody here has a name that looks the same.")

    def _attempt(self, place: int, action: object) -> None:
        """An action or, if it is refused, a fumble."""
        if action is not None:
            with suppress(Illegal):
                self._live.receive(do.Act(place, action), counted=True)
                return
        self._live.receive(do.Fumble(place), counted=True)

    def _chosen(self, place: int, request: Choose) -> object:
        """The action that a request names, if it is among what its sender may do now."""
        table = self._live.table
        player = table.player(place)
        if player.seat is None or not table.roster.running:
            raise Illegal("no-round", "No round is running.")
        kinds = {name_of(kind): kind for kind in table.game.actions}
        choices = self._live.audience.scenes.choices(player)
        action: object = action_of(choices, kinds, request.action, request.fields)
        if action is None:
            raise Illegal("not-offered", "That can't be done now.")
        return action

    def _sit_down(self, attachment: Attachment) -> None:
        self._live.detach(attachment)
        try:
            attachment.place = self._live.newcomers.sit(attachment)
        finally:
            if not self._live.table.closed:
                self._live.greet(attachment)

    def _wait_for_seat(self, attachment: Attachment, key: str | None) -> None:
        if key is not None and not self._services.hooks.may_look(attachment.request.address):
            raise Illegal("too-fast", "That was too fast: slow down.")
        self._live.newcomers.check_entry(attachment.visitor, key)
        self._live.receive(
            do.Queue(
                attachment.visitor,
                self._live.newcomers.seen(attachment),
                attachment.wire.name,
                self._live.table.mark(attachment.request.address),
                attachment.request.seek.language,
            )
        )

    def _quit(self, place: int) -> None:
        """Leave the table, on all connections of this player."""
        leaving = self._live.audience.at_place(place)
        for attachment in leaving:
            self._live.detach(attachment)
        self._live.receive(do.Leave(place))
        self._journal.say([([a.connection], Farewell(1000, "goodbye")) for a in leaving])

    def _ask(self, attachment: Attachment, question: Question) -> None:
        audience, roster = self._live.audience, self._live.roster
        player = audience.player(attachment)
        question = msgspec.structs.replace(question, notes=self._notes.get(attachment.place))
        if not question.slow:
            picture = audience.pictures.of(player)
            answer = attachment.wire.codec.answer(question, picture, roster, player)
            self._answer(attachment, answer)
            return
        # Another process answers while the table goes on.
        picture, still = self._live.table.picture(player), roster.copy()
        me = None if player is None else still.at(player.place)
        self._services.slow_answers.ask(
            attachment, question, (picture, still, me), lambda data: self._answer(attachment, data)
        )

    def _answer(
        self, attachment: Attachment, data: Answer | bytes | Sequence[bytes] | None
    ) -> None:
        if isinstance(data, Answer):
            if data.notes is not None:
                self._note(attachment.place, data.notes)
            data = data.data
        if data is None or attachment not in self._live.audience.attachments:
            return
        messages = (data,) if isinstance(data, bytes) else data
        size = sum(map(len, messages))
        began = max(attachment.answered_until, self._journal.clock())
        attachment.answered_until = began + size // ANSWER_RATE
        self._journal.say([([attachment.connection], message) for message in messages])

    def _note(self, place: int | None, notes: object) -> None:
        """Keep notes for this asker alone: they may contain what others have not seen."""
        at = self._live.roster.at
        self._notes = {p: n for p, n in self._notes.items() if p is None or at(p) is not None}
        self._notes[place] = notes
