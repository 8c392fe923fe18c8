"""The messages of Quips' protocol, as they are sent (spec: "Client messages", "Server messages").

Clients' begin with `c_`, ours with `s_`; `msg` says which one it is.
"""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

import msgspec
from msgspec import UNSET, Meta, UnsetType

from parlour.games.quips.packtexts import Texts

PlayerId: TypeAlias = Annotated[int, Meta(ge=0)]
PlayerIdOrNone: TypeAlias = Annotated[int, Meta(ge=-1)]
CardId: TypeAlias = str
"""`w_...`, `b_...`, or `custom_` and the text in Base64 (`custom: ` and the text, for the older
generation)."""

# Client to server. These bounds are for safety: the rules cut or refuse what is too long.

Text: TypeAlias = Annotated[str, Meta(max_length=16_384)]


class FromExtended(msgspec.Struct, tag_field="msg"):
    """The root of messages of clients with our extensions."""


class FromClient(FromExtended):
    """The root of messages of all clients."""


class PlayCards(FromClient, tag="c_playcards"):
    """Play these cards of the hand, in the order of the gaps."""

    cards: Annotated[list[Text | None], Meta(max_length=256)] | None = None


class JudgeCards(FromClient, tag="c_judgecards"):
    """The judge's choice, as an index of `plays`."""

    play_index: int


class UserInfo(msgspec.Struct):
    """The changes that players can make about themselves."""

    name: Text | None = None


class UpdateInfo(FromClient, tag="c_updateinfo"):
    """Be called something else; always answered with `s_clientinfo`."""

    userinfo: UserInfo


class UpgradeCard(FromClient, tag="c_upgradecard"):
    """Spend points on the next tier of a card in the hand."""

    card_id: Text | None = None


class DiscardCard(FromClient, tag="c_discardcard"):
    """Throw a card of the hand away and draw another."""

    card_id: Text | None = None


class VoteSkip(FromClient, tag="c_vote_skip"):
    """For another black card, or no longer."""

    voted: bool


class ChatMessage(FromClient, tag="c_chat_msg"):
    """Say something to everybody."""

    body: Text


class ReadyUp(FromClient, tag="c_ready_up"):
    """Ready for the next game, or not any more."""

    status: bool


class GetAllCards(FromClient, tag="c_getallcards"):
    """Asks for `s_allcards`."""


OfHand: TypeAlias = PlayCards | UpgradeCard | DiscardCard
"""Messages about cards of one's own."""


# Server to client


class ToNewer(msgspec.Struct, tag_field="msg", frozen=True):
    """The root of messages to existing clients."""


class ToOlder(ToNewer, frozen=True):
    """The root of those that the older generation knows, too."""


class SendClientInfo(ToOlder, tag="s_clientinfo", frozen=True):
    """The reader's own place and name. The token brings them back to their seat."""

    player_id: PlayerId
    player_name: str
    player_token: str


class PlayerEntry(msgspec.Struct, frozen=True):
    """Somebody at the table."""

    name: str
    id: PlayerId
    score: int
    upgrade_points: int
    voted_skip: bool
    idle: bool
    is_bot: bool
    ready_up: bool


class SendPlayers(ToOlder, tag="s_players", frozen=True):
    """Everybody at the table, at every change of an entry."""

    players: list[PlayerEntry]


class SentTrophy(msgspec.Struct, frozen=True):
    """Texts are by language: the bare one, `en`, and tags that browsers are set to."""

    id: str
    name: Texts
    desc: Texts
    trophy_grade: int


class SentCard(msgspec.Struct, frozen=True):
    """A white card (`tier`, `tier_cost`, `next_tier_id`) or a black one (`pick`, `draw`)."""

    id: CardId
    content: Texts
    flags: tuple[str, ...]
    tier: int | UnsetType = UNSET
    tier_cost: int | UnsetType = UNSET
    next_tier_id: str | UnsetType = UNSET
    """Another white card that is sent; empty: none."""
    pick: int | UnsetType = UNSET
    draw: int | UnsetType = UNSET


class SentPack(msgspec.Struct, frozen=True):
    """One pack in use."""

    id: str
    name: str
    accent: str
    accent_color: str
    accent_background: str
    cards: list[SentCard]
    trophies: list[SentTrophy]


class SendAllCards(ToOlder, tag="s_allcards", frozen=True):
    """Every card in use: at connect, when they change, and in answer to `c_getallcards`."""

    packs: list[SentPack]


class SendHand(ToOlder, tag="s_hand", frozen=True):
    """The reader's hand: at every change, and in answer to a refused play, discard or upgrade."""

    blanks: Annotated[int, Meta(ge=0)]
    discards: Annotated[int, Meta(ge=0)]
    hand: list[CardId]


class TrophyWinner(msgspec.Struct, frozen=True):
    id: PlayerId
    trophies: list[SentTrophy]


class GameResults(msgspec.Struct, frozen=True):
    """How a game ended; several winners share the top score."""

    winners: list[PlayerId]
    trophy_winners: list[TrophyWinner]


class SendGameState(ToOlder, tag="s_gamestate", frozen=True, kw_only=True):
    """Where the game stands, at every change. Every key is there in every stage."""

    stage: Literal["game_starting", "playing", "judging", "round_end", "game_end"]
    ready_up: bool
    round: int
    black_card: CardId | None
    judge: PlayerIdOrNone
    pending_players: list[PlayerId]
    plays: list[list[CardId]]
    """Empty until `judging`; the order says nothing about who played what."""
    winning_play: Annotated[int, Meta(ge=-1)]
    winning_player: PlayerIdOrNone
    judge_voted_self: bool
    game_results: GameResults | None
    """Not null in `game_end` alone."""


class SendAuxClientData(ToOlder, tag="s_auxclientdata", frozen=True):
    """The points that the reader can spend on upgrades."""

    aux_points: Annotated[int, Meta(ge=0)]


class SendCardsPlayed(ToOlder, tag="s_cardsplayed", frozen=True):
    """The cards that the reader has played in this round."""

    selection: list[CardId]


class SendNotifySkipped(ToNewer, tag="s_notify_skipped", frozen=True):
    """A black card was voted away. Not sent to the older generation."""

    skipped_id: CardId
    replacement_id: CardId


class SendChatMessage(ToNewer, tag="s_chat_msg", frozen=True):
    """Somebody said something. Not sent to the older generation."""

    author: str
    body: str


Reason: TypeAlias = Literal[
    "reject_server_full",
    "reject_bad_password",
    "reject_duplicate",
    "reject_banned",
    "reject_afk",
    "reject_no_such_table",
]
"""The last one is our extension, for a `table` that is not there."""


class SendRejectClient(ToOlder, tag="s_rejectclient", frozen=True):
    """The last message before the connection is closed with 1000."""

    reason: Reason
    desc: str


class SendError(ToOlder, tag="s_error", frozen=True):
    """Our extension: something was refused, to the sender only."""

    code: str
    desc: str


# Our extensions, between us and clients that ask for them

Cheer: TypeAlias = Literal["Bravo!", "Ha ha!", "Ouch!", "What?!"]


class Turn(FromExtended, tag="c_turn"):
    """The judge turns a play over, as an index of `plays`, for all to read."""

    play_index: int


class Applaud(FromExtended, tag="c_applaud"):
    """Call something out; spectators may, too."""

    cheer: Cheer


class SendTurned(msgspec.Struct, tag_field="msg", tag="s_turned", frozen=True):
    """Which of `plays` the judge has turned over so far, as indexes; empty: none any more."""

    plays: list[Annotated[int, Meta(ge=0)]]


class ExtendedEntry(PlayerEntry, frozen=True):
    """Somebody at the table, and more about them."""

    host: bool
    """Runs the table."""
    turns: bool
    """Their client sends `c_turn` when they judge. Nobody waits for a judge whose client
    does not."""


class SendPlayersExtended(msgspec.Struct, tag_field="msg", tag="s_players", frozen=True):
    """Everybody at the table, at every change of an entry."""

    players: list[ExtendedEntry]


class SendRejectExtended(msgspec.Struct, tag_field="msg", tag="s_rejectclient", frozen=True):
    """The last message before the connection is closed with 1000."""

    reason: Reason | Literal["reject_kicked"]
    """`reject_kicked`: put out by the host, and free to come back."""
    desc: str


ToExtended: TypeAlias = (
    SendClientInfo
    | SendPlayersExtended
    | SendAllCards
    | SendHand
    | SendTurned
    | SendGameState
    | SendAuxClientData
    | SendCardsPlayed
    | SendNotifySkipped
    | SendChatMessage
    | SendRejectExtended
    | SendError
)
