"""Running a table: settings, content, computer players, starting, and putting people out."""

from __future__ import annotations

from mypy_extensions import mypyc_attr

from parlour.kit import Illegal, Millis
from parlour.table import events as tell
from parlour.table import inputs as do
from parlour.table.lobby import Lobby
from parlour.table.roster import Player, Roster
from parlour.table.steps import Steps

MOST_INVITED = 50


@mypyc_attr(allow_interpreted_subclasses=True)
class Management(Steps):
    """Takes the inputs of those who run a table, and the votes where nobody in particular does."""

    # Settings

    def configure(self, entry: do.Configure, now: Millis) -> tell.Happened:
        game, roster = self.table.game, self.roster
        self.table.check_may_run(entry.place)
        self.table.phase.check_between_matches()
        patch = self.lobby.options.changes(roster.settings, entry.settings, len(roster.players))
        settings = game.configure(roster.settings, patch)
        least, most = game.seats(settings)
        if most < len(roster.players):
            raise Illegal("too-many", "More people sit here than these settings have seats for.")
        roster.settings = settings
        roster.min_seats, roster.max_seats = least, most
        return self.table.settle([tell.Configured()], now)

    def target(self, entry: do.Target, now: Millis) -> tell.Happened:
        self.table.check_may_run(entry.place)
        self.table.phase.check_between_matches()
        most = self.lobby.most_points
        if not most:
            raise Illegal("no-target", "The matches of this game do not add up.")
        if not 0 <= entry.points <= most:
            raise Illegal("bad-target", f"A match is played for up to {most} points.")
        self.roster.series.target = entry.points
        return [tell.TargetSet()]

    def pin(self, entry: do.Pin, now: Millis) -> tell.Happened:
        self.table.check_may_run(entry.place)
        # A match uses the settings that everybody has been shown.
        self.table.phase.check_between_matches()
        self.table.pin(entry.content)
        return self.table.settle([tell.Pinned()], now)

    def share(self, entry: do.Share, now: Millis) -> tell.Happened:
        self.table.check_may_run(entry.place)
        if entry.name not in self.roster.brought:
            raise Illegal("no-such-content", "Nobody has brought that to this table.")
        self.roster.brought[entry.name] = entry.shared
        return self.table.settle([], now)

    def lock(self, entry: do.Lock, now: Millis) -> tell.Happened:
        self.table.check_may_run(entry.place)
        self.roster.locked = entry.locked
        return self.table.settle([], now)

    def start(self, entry: do.Start, now: Millis) -> tell.Happened:
        self.table.check_may_run(entry.place)
        self.table.phase.check_between_matches()
        self.lobby.start.check(self.roster, self.lobby.here(self.roster))
        return self.table.settle(self.table.deal(now), now)

    def invite(self, entry: do.Invite, now: Millis) -> tell.Happened:
        self.table.player(entry.place)
        invited = [v for v in self.roster.invited if v != entry.visitor]
        self.roster.invited = [*invited, entry.visitor][-MOST_INVITED:]
        return []

    # Computer players

    def add_bot(self, entry: do.AddBot, now: Millis) -> tell.Happened:
        self.table.check_may_run(entry.place)
        bots = self.table.game.bots
        if bots is None:
            raise Illegal("no-bots", "This game has no computer players.")
        if entry.strength and entry.strength not in bots.strengths:
            offered = ", ".join(bots.strengths)
            raise Illegal("bad-strength", f"Computer players of this game are: {offered}.")
        if entry.instead is not None:
            if not self.lobby.seating.stand_ins:
                raise Illegal("no-stand-ins", "In this game nobody plays for people who are away.")
            return self.table.phase.stand_in(self.table.player(entry.instead), entry.strength, now)
        self.table.phase.check_between_matches(self.lobby.seating.open)
        self.lobby.seating.check(self.roster)
        edition = self.table.opening.edition
        _, names = self.lobby.options.computers(self.roster.settings, bots.names, edition)
        player = self.table.new_player(self.table.bot_name(names), None, False)
        player.strength = entry.strength
        happened = self.table.phase.seat_player(player, now)
        return self.table.settle(happened + self.table.phase.counted_down(now), now)

    def remove_bot(self, entry: do.RemoveBot, now: Millis) -> tell.Happened:
        self.table.check_may_run(entry.place)
        self.table.phase.check_between_matches(self.lobby.seating.open)
        bots = [b for b in self.roster.bots if entry.bot in (None, b.place, b.id)]
        if not bots:
            raise Illegal("no-bot", "There is no computer player to send away.")
        return self.table.settle(self.table.phase.departed(bots[-1], "left", now), now)

    # Time

    def ask_for_time(self, entry: do.AskForTime, now: Millis) -> tell.Happened:
        player = self.table.player(entry.place)
        if not self.lobby.options.timed(self.roster.settings):
            raise Illegal("no-timers", "Nobody has to hurry at this table.")
        player.unhurried = entry.longer
        return [tell.AskedForTime()]

    # Putting people out

    def kick(self, entry: do.Kick, now: Millis) -> tell.Happened:
        self.table.check_may_run(entry.place)
        player = self.table.player(entry.who)
        if entry.ban and player.visitor is not None:
            self.roster.ban(player.visitor, player.key, player.address)
        # By the host or by the operator: it reads the same.
        reason, sentence = "kicked", "You were put out of this table."
        if entry.ban:
            reason, sentence = "banned", "You were put out of this table for good."
        return self.table.settle(self.table.phase.thrown_out(player, reason, sentence, now), now)

    def vote_out(self, entry: do.VoteOut, now: Millis) -> tell.Happened:
        voter, player = self.table.player(entry.place), self.table.player(entry.who)
        needed = votes_needed(self.roster, self.lobby, voter, player)
        if needed is None:
            raise Illegal("no-vote", "There is no vote about that player at this table.")
        others = [place for place in player.against if place != voter.place]
        player.against = (*others, voter.place) if entry.out else tuple(others)
        if votes_against(self.roster, player) < needed:
            return [tell.VotesChanged()]
        if not player.present:
            return self.table.settle(self.table.phase.departed(player, "voted", now), now)
        # Their address stays welcome: other players may share it.
        self.roster.ban(player.visitor, player.key)
        happened = self.table.phase.thrown_out(
            player, "banned", "The others have voted you out.", now
        )
        return self.table.settle(happened, now)


def votes_needed(roster: Roster, lobby: Lobby, voter: Player, player: Player) -> int | None:
    """How many votes it takes to go on without `player`, with `voter`'s; None: `voter` has no vote.

    More than half of the others who are here. The person who runs the table decides alone about
    people who are away. At a table without a host, two or more may also vote somebody out who
    is here.
    """
    if not (voter.human and player.human) or voter is player:
        return None
    host = lobby.entry.host(roster)
    if not player.present and voter is host:
        return 1
    if player.present and host is not None:
        return None
    others = sum(1 for p in roster.people if p.present and p is not player)
    return max(others // 2 + 1, 2 if player.present else 1)


def votes_against(roster: Roster, player: Player) -> int:
    """How many of those who are here want to go on without `player`."""
    return sum(1 for p in roster.people if p.present and p.place in player.against)
