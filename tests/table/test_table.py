"""One table as a fold: same inputs, same table; a refused input leaves no trace of any kind."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields, is_dataclass, replace
from enum import Enum
from typing import Any

import msgspec
from hypothesis import example, given, settings
from hypothesis import strategies as st

from parlour.kit import Illegal, Millis
from parlour.protocol import Game
from parlour.table import HOSTED, SOLO, STANDING, Lobby, Player, Roster, Table
from parlour.table import events as tell
from parlour.table import inputs as do
from parlour.table.lobby import AtOnceWhenReady, Entry, HostRuns, Start, WhenReady
from parlour.table.management import Management
from parlour.table.phase import Phase
from parlour.table.queue import Queue
from parlour.table.table import EMPTY_FOR
from tests import highcard


class ThreeSeconds(WhenReady):
    """The countdown takes three seconds, whatever clients are used to."""

    def countdown(self, roster: Roster, here: Sequence[Player], usual: Millis) -> Millis | None:
        return super().countdown(roster, here, 3000)


class ReadyOrNot(AtOnceWhenReady):
    check = Start.check


class Again(Start):
    def again(self, match: Any) -> Millis | None:
        return 5000


VARIANTS: dict[str, Game] = {
    "plain": highcard.GAME,
    "hosted": replace(highcard.GAME, lobby=Lobby(entry=HostRuns())),
    "ready": replace(highcard.GAME, lobby=replace(HOSTED, start=ThreeSeconds())),
    "midway": replace(highcard.GAME, lobby=replace(STANDING, entry=Entry(), start=ReadyOrNot())),
    "again": replace(highcard.GAME, lobby=Lobby(start=Again())),
    "alone": replace(highcard.GAME, min_seats=1, max_seats=1, lobby=SOLO, bots=None),
}
variants = st.sampled_from(sorted(VARIANTS))
Timed = tuple[do.Input, Millis]


def opened(variant: str, **settings_: Any) -> Table:
    opening = do.Open(
        id="table", code="123456", game="high", seed="5e" * 32, settings=settings_, opener="v0"
    )
    return Table(VARIANTS[variant], opening, 0)


def fingerprint(thing: Any) -> Any:
    """Everything there is to know about a table, to be compared."""
    if isinstance(thing, Table):
        apart = {"game", "action_types", "_library"}
        return {k: fingerprint(v) for k, v in vars(thing).items() if k not in apart}
    if isinstance(thing, Phase | Queue | Management):
        apart = {"table", "roster", "lobby", "steps"}
        # Compiled, they have no `__dict__`.
        names = getattr(type(thing), "__mypyc_attrs__", None) or vars(thing)
        kept = {k: fingerprint(getattr(thing, k)) for k in names if k not in apart}
        return (type(thing).__name__, kept)
    if isinstance(thing, Enum):
        return thing
    if isinstance(thing, msgspec.Struct):
        return (type(thing).__name__, msgspec.to_builtins(thing))
    if isinstance(thing, (list, tuple)):
        return [fingerprint(each) for each in thing]
    if isinstance(thing, dict):
        return {key: fingerprint(value) for key, value in thing.items()}
    if is_dataclass(thing):
        # What was viewed once is kept with the event; it is no part of the event.
        names = [field.name for field in fields(thing) if field.name != "public"]
        return (type(thing).__name__, [fingerprint(getattr(thing, n)) for n in names])
    if hasattr(thing, "__dict__"):
        return (type(thing).__name__, {k: fingerprint(v) for k, v in vars(thing).items()})
    return thing


# Anything that can be said to a table, sensible or not.

places = st.integers(-1, 6)
visitors = st.sampled_from(["v0", "v1", "v2", "v3", "v4"])
names = st.sampled_from(["Ada", "ada", " Bo ", "", "x" * 20, "x" * 21, "?", "Ada 2"])
patches = st.sampled_from(
    [{"tricks": 2}, {"tricks": 9}, {"think": 700}, {"open_door": False}, {"room": 1}, {}]
)
inputs = st.one_of(
    st.builds(do.Join, visitors, names, st.booleans()),
    st.builds(do.Join, visitors, names, address=st.sampled_from(["here", "there"])),
    st.builds(do.Kick, places, places, st.booleans()),
    st.builds(do.Lock, places, st.booleans()),
    st.builds(do.Pin, places, st.just({})),
    st.builds(do.Stir, places),
    st.builds(do.Leave, places),
    st.builds(do.Away, places),
    st.builds(do.Back, places),
    st.builds(do.Rename, places, names),
    st.builds(do.Configure, places, patches),
    st.builds(do.Ready, places, st.booleans(), st.sampled_from([0, 1000])),
    st.builds(do.AddBot, places),
    st.builds(do.RemoveBot, places, st.none() | places),
    st.builds(do.Start, places),
    st.builds(do.Say, places, names),
    st.builds(do.Invite, places, visitors),
    # By its number in the hand, or no card anybody holds.
    st.builds(do.Act, places, st.integers(0, 3).map(lambda n: ["Lay", n])),
    st.builds(do.Tick),
    st.builds(do.Wake),
)
pauses = st.sampled_from([0, 0, 0, 10, 900, 31_000, 700_000])
# Most tables begin like most tables, or hardly any would ever see a card.
beginnings: st.SearchStrategy[list[do.Input]] = st.sampled_from(
    [
        [],
        [do.Join("v1", "Ada", True), do.Join("v2", "Bo")],
        [do.Join("v1", "Ada", True), do.AddBot(0), do.AddBot(0), do.Start(0)],
        [do.Join("v1", "Ada", True), do.Join("v2", "Bo", True), do.Start(0)],
        [do.Join("v1", "Ada"), do.Join("v2", "Bo"), do.Join("v3", "Ada"), do.Start(1)],
        [do.Join("v1", "Ada"), do.Join("v2", "Bo"), do.Ready(0, True), do.Ready(1, True)],
        [
            do.Configure(do.HOUSE, {"open_door": False}),
            do.Join("v1", "Ada", True),
            do.Join("v2", "Bo", True),
            do.Start(0),
        ],
    ]
)
scripts = st.builds(
    lambda first, rest: [*((entry, 0) for entry in first), *rest],
    beginnings,
    st.lists(st.tuples(inputs, pauses), max_size=60),
)


def timed(table: Table, script: list[tuple[do.Input, Millis]]) -> list[Timed]:
    """The script with moments for pauses, and cards for numbers in a hand, as it was taken."""
    now = 0
    taken: list[Timed] = []
    for entry, pause in script:
        now += pause
        entry = msgspec.structs.replace(entry)
        if isinstance(entry, do.Act):
            entry.action = highcard.Lay(_card(table, entry.place, entry.action[1]))
        before = fingerprint(table)
        try:
            table.receive(entry, now)
        except Illegal as no:
            assert no.code
            assert no.sentence.endswith(".")
            assert fingerprint(table) == before, entry
        else:
            taken.append((entry, now))
    return taken


def _card(table: Table, place: int, number: int) -> int:
    player = table.roster.at(place)
    match = table.match
    if isinstance(match, highcard.HighCard) and player is not None and player.seat is not None:
        if player.seat < len(match.hands) and number < len(match.hands[player.seat]):
            return match.hands[player.seat][number]
    return -1


@settings(deadline=None)
@given(variants, scripts)
def test_a_refused_input_leaves_no_trace(variant: str, script: list[Timed]) -> None:
    timed(opened(variant), script)


@settings(deadline=None)
@given(variants, scripts)
def test_the_same_inputs_make_the_same_table_also_by_way_of_the_log(
    variant: str, script: list[Timed]
) -> None:
    table = opened(variant)
    taken = timed(table, script)
    told: list[list[Any]] = []
    for through_log in (False, True):
        again = opened(variant)
        events = []
        for entry, now in taken:
            if through_log:
                entry = do.decode(do.encode(entry))
            events.append(fingerprint(again.receive(entry, now)))
        assert fingerprint(again) == fingerprint(table)
        told.append(events)
    assert told[0] == told[1]


@settings(deadline=None)
@given(variants, scripts)
def test_what_holds_at_every_table_at_all_times(variant: str, script: list[Timed]) -> None:
    table = opened(variant)
    now, seen_places = 0, set[int]()
    for entry, pause in script:
        now += pause
        if isinstance(entry, do.Act):
            entry = do.Act(entry.place, highcard.Lay(_card(table, entry.place, entry.action[1])))
        running = table.roster.running
        host = table.roster.host
        try:
            happened = table.receive(entry, now)
        except Illegal:
            continue
        roster = table.roster
        kinds = [type(event) for event in happened]
        # Names are worn once, ids and places given out once.
        assert len({p.name.casefold() for p in roster.players}) == len(roster.players)
        assert all(1 <= len(p.name) <= 20 for p in roster.players)
        assert len({p.id for p in roster.players}) == len(roster.players)
        fresh = {e.place for e in happened if isinstance(e, tell.Sat)}
        assert not fresh & seen_places
        seen_places |= fresh
        assert len(roster.players) <= roster.max_seats
        # A lobby is told of last, once, and never in a match.
        assert kinds.count(tell.LobbyChanged) <= 1
        if tell.LobbyChanged in kinds:
            assert kinds[-1] is tell.LobbyChanged
            assert not roster.running
        if running and not roster.running and not table.closed:
            assert kinds.count(tell.Finished) == 1
            assert kinds[-1] is tell.LobbyChanged
        # Seats of a match are dense and belong to its players.
        if roster.running:
            assert table.match is not None
            assert table.match.outcome() is None
            assert [p.seat for p in roster.seating] == list(range(len(roster.seating)))
            assert all(p.seat is None or roster.seating[p.seat] is p for p in roster.players)
        # The host stays the host as long as they are here.
        if host is not None and host in roster.players and not host.gone:
            if roster.opener == "v0" and roster.of_visitor("v0") is None:
                assert roster.host is host
        # Whoever is away in vain has a day on which that ends.
        away = [p for p in roster.people if not p.present and not p.gone]
        if not table.closed:
            assert all(p.until is not None for p in away)
            due = table.due()
            assert due is None or all(due <= p.until for p in away if p.until is not None)
        # Nobody left: closed, unless it has never been visited.
        if table.closed:
            assert roster.people == []
            assert kinds.count(tell.Closed) == 1


# One promise each


def sat(variant: str, *visitors_: str, resumable: bool = True, **settings_: Any) -> Table:
    table = opened(variant, **settings_)
    for visitor in visitors_:
        table.receive(do.Join(visitor, visitor.title(), resumable), 0)
    return table


def refused(table: Table, entry: do.Input, now: Millis = 0) -> str:
    before = fingerprint(table)
    try:
        table.receive(entry, now)
    except Illegal as no:
        assert fingerprint(table) == before
        return no.code
    raise AssertionError("it was not refused")


def kinds(happened: list[Any]) -> list[str]:
    return [type(event).__name__ for event in happened]


def test_the_host_passes_on() -> None:
    table = sat("hosted", "ann", "ben", "cleo")
    assert refused(table, do.Start(1)) == "host-only"
    assert refused(table, do.AddBot(2)) == "host-only"
    table.receive(do.Leave(0), 0)
    assert refused(table, do.Start(2)) == "host-only"
    table.receive(do.Start(1), 0)
    assert table.roster.running


def test_who_opened_the_table_is_host_whenever_they_come() -> None:
    table = sat("hosted", "ann", "v0")
    assert refused(table, do.Start(0)) == "host-only"
    table.receive(do.Start(1), 0)


def test_all_being_ready_counts_down_and_deals() -> None:
    table = sat("ready", "ann", "ben")
    assert refused(table, do.Start(0)) == "not-ready"
    table.receive(do.Ready(0, True), 100)
    assert table.due() is None
    happened = table.receive(do.Ready(1, True), 200)
    assert kinds(happened) == ["Readied", "CountdownSet", "LobbyChanged"]
    assert table.due() == table.roster.countdown == 3200
    assert refused(table, do.Tick(), 3199) == "nothing-due"
    happened = table.receive(do.Tick(), 3200)
    assert kinds(happened)[0] == "Dealt"
    assert table.roster.running


def test_where_the_rules_will_not_deal_a_countdown_ends_in_nothing() -> None:
    def refuse(*_: object) -> Any:
        raise Illegal("no-cards", "There are not enough cards.")

    table = sat("ready", "ann", "ben")
    table.game = replace(table.game, deal=refuse)
    for place in (0, 1):
        table.receive(do.Ready(place, True), 0)
    assert tell.CountdownSet(None) in table.receive(do.Tick(), 3000)
    assert (table.roster.running, table.due()) == (False, None)


@given(st.sampled_from(["unready", "join", "leave", "away", "bot"]))
@example("wake")
def test_a_countdown_is_called_off_when_anything_changes(what: str) -> None:
    table = sat("ready", "ann", "ben")
    for place in (0, 1):
        table.receive(do.Ready(place, True), 0)
    changes: dict[str, do.Input] = {
        "unready": do.Ready(1, False),
        "join": do.Join("cleo", "Cleo"),
        "leave": do.Leave(1),
        "away": do.Away(1),
        "bot": do.AddBot(0),
        "wake": do.Wake(),
    }
    happened = table.receive(changes[what], 1000)
    assert tell.CountdownSet(None) in happened
    # A bot is always ready, so everything starts anew; nobody else is.
    assert table.roster.countdown == (4000 if what == "bot" else None)


def test_being_ready_twice_changes_no_countdown() -> None:
    table = sat("ready", "ann", "ben")
    for place in (0, 1):
        table.receive(do.Ready(place, True), 0)
    table.receive(do.Ready(1, True), 1000)
    assert table.roster.countdown == 3000


def test_a_resumable_player_is_waited_for_and_comes_back() -> None:
    table = sat("plain", "ann", "ben")
    table.receive(do.Start(0), 0)
    assert kinds(table.receive(do.Away(1), 1000)) == ["WentAway"]
    assert table.due() == 31_000
    assert kinds(table.receive(do.Back(1), 20_000)) == ["CameBack"]
    assert table.due() is None


def test_a_deal_nobody_has_touched_is_not_kept_for_long() -> None:
    table = opened("alone")
    table.receive(do.Join("ann", "Ann", True), 0)
    table.receive(do.Away(0), 1000)
    assert table.due() == 1000 + EMPTY_FOR
    table.receive(do.Back(0), 2000)
    table.receive(do.Act(0, highcard.Lay(_card(table, 0, 0))), 3000)
    table.receive(do.Away(0), 4000)
    assert table.due() == 4000 + 30 * 24 * 3_600_000


def test_a_player_waited_for_in_vain_is_given_up_and_may_still_come_back() -> None:
    table = sat("plain", "ann", "ben", "cleo")
    table.receive(do.Start(0), 0)
    table.receive(do.Away(1), 0)
    happened = table.receive(do.Tick(), 30_000)
    assert kinds(happened) == ["Departed", "DroppedOut", "Laid"]
    gone = [p.gone for p in table.roster.players]
    assert gone == [False, True, False]
    table.receive(do.Back(1), 40_000)
    assert [p.gone for p in table.roster.players] == [False, False, False]
    match = table.match
    assert isinstance(match, highcard.HighCard)
    assert match.absent == [False, False, False]


def test_a_player_given_up_leaves_after_the_match_and_no_sooner() -> None:
    table = sat("plain", "ann", "ben", "cleo", resumable=False, tricks=1)
    table.receive(do.Start(0), 0)
    assert "Left" not in kinds(table.receive(do.Away(1), 0))
    table.receive(do.Act(0, highcard.Lay(_card(table, 0, 0))), 0)
    happened = table.receive(do.Act(2, highcard.Lay(_card(table, 2, 0))), 0)
    assert kinds(happened) == ["Laid", "Taken", "Over", "Finished", "Left", "LobbyChanged"]
    assert [p.name for p in table.roster.players] == ["Ann", "Cleo"]
    assert table.receive(do.Start(0), 0)


def test_after_the_house_was_shut_everybody_is_away_with_time_to_come_back() -> None:
    table = sat("plain", "ann", "ben")
    table.receive(do.Join("cleo", "Cleo"), 0)
    table.receive(do.AddBot(0), 0)
    table.receive(do.Start(0), 0)
    table.receive(do.Away(0), 500)
    table.receive(do.Wake(), 1_000_000)
    assert [(p.name, p.present, p.gone) for p in table.roster.people] == [
        ("Ann", False, False),
        ("Ben", False, False),
        ("Cleo", False, True),
    ]
    assert table.roster.running
    assert table.due() == 1_120_000
    happened = table.receive(do.Tick(), 1_120_000)
    assert kinds(happened)[-1] == "Closed"
    assert kinds(happened).count("Over") == 1


def test_a_table_everybody_has_left_is_closed_also_when_bots_are_there() -> None:
    table = sat("plain", "ann", resumable=False)
    table.receive(do.AddBot(0), 0)
    table.receive(do.AddBot(0), 0)
    happened = table.receive(do.Leave(0), 0)
    assert kinds(happened) == ["Departed", "Left", "Closed"]
    assert refused(table, do.Join("ben", "Ben")) == "table-closed"


def test_a_match_that_bots_alone_would_play_on_is_abandoned() -> None:
    table = sat("plain", "ann", resumable=False)
    table.receive(do.AddBot(0), 0)
    table.receive(do.AddBot(0), 0)
    table.receive(do.Start(0), 0)
    happened = table.receive(do.Away(0), 0)
    assert kinds(happened) == [
        "Departed",
        "DroppedOut",
        "Laid",
        "Over",
        "Finished",
        "Left",
        "Closed",
    ]
    assert table.match is not None
    assert table.match.outcome() is not None


def test_bots_play_among_themselves_where_nobody_has_sat_down_yet() -> None:
    table = opened("plain", tricks=1)
    for _ in range(2):
        table.receive(do.AddBot(do.HOUSE), 0)
    table.receive(do.Start(do.HOUSE), 0)
    happened: list[Any] = []
    for place in (0, 1):
        happened = table.receive(do.Act(place, highcard.Lay(_card(table, place, 0))), 0)
    assert kinds(happened)[-2:] == ["Finished", "LobbyChanged"]
    assert not table.closed
    # But nobody keeps an empty table for ever.
    assert table.due() == 600_000
    assert kinds(table.receive(do.Tick(), 600_000))[-1] == "Closed"


def test_bots_do_not_run_the_table() -> None:
    table = sat("plain", "ann")
    table.receive(do.AddBot(0), 0)
    assert refused(table, do.Start(1)) == "people-only"
    assert refused(table, do.RemoveBot(1)) == "people-only"


def test_a_game_for_one_is_dealt_at_once() -> None:
    table = opened("alone")
    assert "Dealt" in kinds(table.receive(do.Join("ann", "Ann"), 0))
    assert table.roster.running
    assert refused(table, do.AddBot(0)) == "no-bots"


def test_who_cannot_be_dealt_to_at_once_is_not_let_in() -> None:
    def refuse(*_: object) -> Any:
        raise Illegal("no-cards", "There are not enough cards.")

    table = opened("alone")
    table.game = replace(table.game, deal=refuse)
    assert refused(table, do.Join("ann", "Ann")) == "no-cards"


def test_a_latecomer_is_let_in_or_refused_as_the_game_has_it() -> None:
    table = sat("midway", "ann", "ben")
    table.receive(do.Start(0), 0)
    happened = table.receive(do.Join("cleo", "Cleo"), 0)
    assert kinds(happened) == ["Sat", "Dealt"]
    table = sat("midway", "ann", "ben", open_door=False)
    table.receive(do.Start(0), 0)
    assert refused(table, do.Join("cleo", "Cleo")) == "door-shut"
    table = sat("plain", "ann", "ben")
    table.receive(do.Start(0), 0)
    assert refused(table, do.Join("cleo", "Cleo")) == "round-running"


def test_the_next_match_starts_by_itself_where_the_game_says_so() -> None:
    table = sat("again", "ann", "ben", tricks=1)
    table.receive(do.Start(0), 0)
    happened: list[Any] = []
    for place in (0, 1):
        happened = table.receive(do.Act(place, highcard.Lay(_card(table, place, 0))), 1000)
    [finished] = [e for e in happened if isinstance(e, tell.Finished)]
    assert finished.again_in == 5000
    assert table.due() == 6000
    assert kinds(table.receive(do.Tick(), 6000))[0] == "Dealt"
    assert table.roster.round == 2


def test_a_deadline_of_the_match_is_the_tables() -> None:
    table = sat("plain", "ann", "ben", think=700, tricks=1)
    table.receive(do.Start(0), 100)
    assert table.due() == 800
    happened = table.receive(do.Tick(), 800)
    assert kinds(happened) == ["Laid", "Laid", "Taken", "Over", "Finished", "LobbyChanged"]
    assert table.due() is None


def test_nobody_is_shown_what_the_view_hides() -> None:
    table = sat("plain", "ann", "ben")
    table.receive(do.Start(0), 0)
    ann, ben = table.roster.players
    shown: dict[str, list[Any]] = {}
    look: list[tuple[str, Any]] = [("ann", ann), ("ben", ben), ("nobody", None)]
    for who, player in look:
        shown[who] = [e.cards for e in table.picture(player).shown]
    hidden = [highcard.HIDDEN] * 3
    assert shown["ann"][1] == shown["ben"][0] == hidden
    assert shown["nobody"] == [hidden, hidden]
    assert hidden not in (shown["ann"][0], shown["ben"][1])


def test_every_match_has_a_seed_of_its_own_and_the_tables_is_none_of_them() -> None:
    table = opened("plain")
    seeds = [table.match_seed(number) for number in range(50)]
    assert len(set(seeds)) == 50
    assert bytes.fromhex(table.opening.seed) not in seeds
