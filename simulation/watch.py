"""Checks of state that must always hold, besides the messages people get: every few seconds.

Tables go on, somebody can act or a deadline runs, no card is lost, and nothing grows without bound.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable
from typing import TYPE_CHECKING, Any, Final

from simulation.checker import Violation
from tests.cambia.trial import CAMBIA
from tests.mo.trial import MO
from tests.onu.trial import ONU
from tests.quips.trial import QUIPS
from tests.rummy.trial import RUMMY

if TYPE_CHECKING:
    from simulation.checker import Followed
    from simulation.evening import Evening
    from simulation.house import Node

EVERY: Final = 5.0
"""Seconds between two looks."""
LONGEST: Final = 60.0
"""Seconds without trouble after which every table must have gone on."""
TASKS_EACH, TIMERS_EACH = 6, 12
"""How many tasks and timers a process may have for each connection and table."""
SOME: Final = 60
"""How many it may have besides."""

TRIALS: Final = {trial.game.id: trial for trial in (RUMMY, CAMBIA, QUIPS, ONU, MO)}


class Watch:
    """Looks at an evening now and then."""

    def __init__(self, evening: Evening) -> None:
        self._evening = evening
        self._trouble_until = 0.0
        self._went_on: dict[str, tuple[int, float]] = {}
        """By table: the length of its log, and for how long it has that, without trouble."""
        self._cards: dict[str, tuple[int, Counter[Hashable]]] = {}
        """By table: the number of its match, and the cards in it."""
        self._over = False

    def begin(self) -> None:
        self._evening.loop.call_later(EVERY, self._look)

    def end(self) -> None:
        """All is quiet: everybody must have heard everything, and the log must have it."""
        self._over = True
        self._evening.checks.unheard(quiet=True)
        self._evening.check_log()

    def troubled_until(self, moment: float) -> None:
        """Until then tables may stand still."""
        self._trouble_until = max(self._trouble_until, moment)

    def _look(self) -> None:
        evening = self._evening
        if self._over:
            return
        evening.loop.call_later(EVERY, self._look)
        try:
            evening.checks.unheard(quiet=False)
            for table, followed in evening.checks.tables.items():
                self._look_at(table, followed)
            for node in evening.house.all:
                if node.ready and node.alive:
                    self._look_at_process(node)
        except Exception as wrong:
            evening.checks.violation = evening.checks.violation or wrong

    # -- tables -----------------------------------------------------------------------

    def _look_at(self, table: str, followed: Followed) -> None:
        length = followed.count
        known, waited = self._went_on.get(table, (-1, 0.0))
        if length != known or self._evening.resting:
            waited = 0.0
        elif self._evening.loop.time() > self._trouble_until:
            waited += EVERY
        self._went_on[table] = length, waited
        if waited > LONGEST:
            raise Violation(
                f"a table of {followed.game.id} has not gone on in {waited:.0f} s "
                "in which nothing was wrong"
            )
        match = followed.table.match
        if match is None or not followed.table.roster.running:
            return
        seats = [player.seat for player in followed.table.roster.players if player.seat is not None]
        if followed.table.due() is None and not any(match.legal(seat) for seat in seats):
            raise Violation(
                f"at a table of {followed.game.id} nobody can act, and no deadline runs"
            )
        self._count_cards(table, followed, match)

    def _count_cards(self, table: str, followed: Followed, match: Any) -> None:
        number = followed.table.roster.round
        cards = Counter(TRIALS[followed.game.id].cards(match))
        before, there = self._cards.get(table, (-1, cards))
        alike = max(cards.values(), default=1) > 1
        if before == number and (cards.total() != there.total() or (alike and there != cards)):
            lost, new = there - cards, cards - there
            raise Violation(
                f"cards of a table of {followed.game.id} were lost ({list(lost)[:3]}) "
                f"or made ({list(new)[:3]})"
            )
        self._cards[table] = number, cards

    # -- processes --------------------------------------------------------------------

    def _look_at_process(self, node: Node) -> None:
        server, config = node.server, node.server.config
        connections = server.gateway.connections
        tables = len(server.house.index)
        most = 2 * len(self._evening.people) + SOME // 3
        self._bound("connections", connections, most)
        # A node of several also has those of the others.
        alone = len(self._evening.house.all) == 1
        attached = connections + SOME // 3 if alone else most
        self._bound("attached connections", len(server.house.services.attachments), attached)
        queued = server.gateway._outgoing.queued
        self._bound("bytes to be sent", queued, config.outgoing_total)
        waiting = server.house.journal._queued
        self._bound("bytes that wait for a commit", waiting, server.house.journal._most_waiting)
        for client in server.gateway._clients.values():
            bound = config.outgoing_bytes + client.connection._largest + 2_048
            self._bound("bytes for one connection", client.connection.queued, bound)
        tasks, timers = self._evening.loop.load(node.machine)
        self._bound("tasks", tasks, SOME + TASKS_EACH * (connections + tables))
        self._bound("timers", timers, SOME + TIMERS_EACH * (connections + tables))

    @staticmethod
    def _bound(what: str, count: int, most: int) -> None:
        if count > most:
            raise Violation(f"a process has {count} {what}; {most} are allowed")
