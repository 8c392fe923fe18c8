"""Quips' server messages, made of what happened or of a picture of it."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Final, cast

import msgspec

from parlour.games.quips.deck import assemble
from parlour.games.quips.events import Entry, Results, StateChanged
from parlour.games.quips.lobby import EXTENDED, LOBBY, OLDER, counts_as_ready, enough, here
from parlour.games.quips.packcards import Pack, Trophy
from parlour.games.quips.packs import Shelf
from parlour.games.quips.packtexts import Texts, bare, with_tag
from parlour.games.quips.settings import Settings
from parlour.games.quips.wire import messages as out
from parlour.table import Content, Player, Roster

Translate = Callable[[str], str]
"""A card's id as this generation of clients knows it."""

BROWSERS: Final = tuple("en-US en-GB en-CA en-AU en-NZ en-IE en-IN en-ZA de-DE de-AT de-CH".split())
"""The commonest languages of browsers: clients look a trophy's texts up by the exact tag."""


def client_info(me: Player) -> out.SendClientInfo:
    return out.SendClientInfo(me.place, me.name, me.key)


# Cards


def all_cards(roster: Roster) -> bytes:
    """`s_allcards`, which is long and the same for everybody."""
    return _all_cards(tuple(roster.content.values()), roster.settings)


@lru_cache(maxsize=32)
def shelf_of(content: tuple[Content, ...], settings: Settings) -> Shelf:
    """The cards that are, or will be, played with at a table."""
    return assemble([each.data for each in content], settings)


@lru_cache(maxsize=32)
def _all_cards(content: tuple[Content, ...], settings: Settings) -> bytes:
    packs = [_pack(pack) for pack in shelf_of(content, settings).packs]
    return msgspec.json.encode(out.SendAllCards(packs))


def _pack(pack: Pack) -> out.SentPack:
    return out.SentPack(
        id=pack.id,
        name=pack.name,
        accent=pack.accent,
        accent_color=pack.accent_color,
        accent_background=pack.accent_background,
        # Cards are encoded as they are: they have the fields of `SentCard`, in its order.
        cards=cast(list[out.SentCard], pack.cards),
        trophies=[_trophy(trophy, ()) for trophy in pack.trophies],
    )


def _trophy(trophy: Trophy, languages: tuple[str, ...]) -> out.SentTrophy:
    return out.SentTrophy(
        trophy.id,
        _tagged(trophy.name, languages),
        _tagged(trophy.desc, languages),
        trophy.trophy_grade,
    )


def _tagged(texts: Texts, languages: tuple[str, ...]) -> Texts:
    for tag in BROWSERS:
        if bare(tag) in texts:
            texts = with_tag(texts, tag)
    for tag in languages:
        texts = with_tag(with_tag(texts, bare(tag)), tag)
    return texts


# Players


def players(roster: Roster, entries: list[Entry] | None) -> list[out.PlayerEntry]:
    """The players of a game; None: those of `game_starting`, where nobody has a score yet."""
    if entries is None:
        fresh = [(p, Entry(-1, 0, 0, False, False, not p.human)) for p in here(roster)]
        return [_player(player, entry, counts_as_ready(player)) for player, entry in fresh]
    seated = [(roster.seating[entry.seat], entry) for entry in entries]
    # Having been ready for this game does not count for the next.
    return [_player(p, entry, entry.computer or p.wire == OLDER) for p, entry in seated]


def _player(player: Player, entry: Entry, ready: bool) -> out.PlayerEntry:
    return out.PlayerEntry(
        name=player.name,
        id=player.place,
        score=entry.score,
        upgrade_points=entry.points,
        voted_skip=entry.voted_skip,
        idle=entry.idle,
        is_bot=entry.computer,
        ready_up=ready,
    )


def extended_players(roster: Roster, entries: list[Entry] | None) -> list[out.ExtendedEntry]:
    """The same with what existing clients are not told."""
    host = LOBBY.entry.host(roster)
    extended: list[out.ExtendedEntry] = []
    for entry in players(roster, entries):
        player = roster.at(entry.id)
        extended.append(
            out.ExtendedEntry(
                **msgspec.structs.asdict(entry),
                host=host is not None and host.place == entry.id,
                turns=player is not None and player.wire == EXTENDED,
            )
        )
    return extended


# The state


def starting(roster: Roster[Settings], me: Player | None) -> out.SendGameState:
    """`game_starting`. Existing clients that watch crash at `ready_up`."""
    asked = me is not None and roster.settings.enable_game_ready_up and enough(roster)
    return out.SendGameState(
        stage="game_starting",
        ready_up=asked,
        round=0,
        black_card=None,
        judge=-1,
        pending_players=[],
        plays=[],
        winning_play=-1,
        winning_player=-1,
        judge_voted_self=False,
        game_results=None,
    )


def game_state(state: StateChanged, roster: Roster, translate: Translate) -> out.SendGameState:
    places = [player.place for player in roster.seating]
    return out.SendGameState(
        stage=state.stage,
        ready_up=False,
        round=state.round,
        black_card=state.black,
        judge=places[state.judge],
        pending_players=[places[seat] for seat in state.pending],
        plays=[[translate(card) for card in play] for play in state.plays],
        winning_play=state.winning_play,
        winning_player=places[state.winning_player] if state.winning_player >= 0 else -1,
        judge_voted_self=state.judge_voted_self,
        game_results=None if state.results is None else _results(state.results, roster),
    )


def _results(results: Results, roster: Roster) -> out.GameResults:
    places = [player.place for player in roster.seating]
    languages = tuple(dict.fromkeys(p.language for p in roster.seating if p.language))
    return out.GameResults(
        winners=[places[seat] for seat in results.winners],
        trophy_winners=[
            out.TrophyWinner(places[seat], [_trophy(trophy, languages) for trophy in trophies])
            for seat, trophies in results.trophies
        ],
    )
