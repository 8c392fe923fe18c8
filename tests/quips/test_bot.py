"""Computer players: they take their time, keep to their picture, and learn what wins."""

from __future__ import annotations

from math import sqrt
from random import Random

import pytest

from parlour.games.quips import experience as experience_module
from parlour.games.quips.actions import Action, Judge, Play, Upgrade
from parlour.games.quips.bot import BOTS, QuipsBot
from parlour.games.quips.events import JUDGING, Event, view
from parlour.games.quips.experience import Experience
from parlour.games.quips.picture import Picture, Verdict
from parlour.games.quips.rules import Quips, deal
from parlour.games.quips.settings import Settings
from parlour.kit import Setup
from parlour.rng import FastRng
from tests.quips.tools import START, StackedRng, Table, mixed_cards, pack, plain_cards

BLACKS = [(1, 0)] * 9 + [(2, 0)] * 3
CONTENT = pack(plain_cards(60, BLACKS))


def taste(black_card: str, play: list[str]) -> float:
    """What judges like, and nobody says: some cards always, most of all in certain places."""
    liking = [Random(card).random() + 2 * Random(f"{black_card} {card}").random() for card in play]
    return sum(liking)


class Evening:
    """Games of two people and two bots in a row. People play at random and judge by taste."""

    def __init__(self, experience: Experience, seed: int) -> None:
        self.experience = experience
        self.rng = FastRng(seed)
        self.settings = Settings(
            max_rounds=12, max_points=1000, max_players=4, hand_size=7, enable_upgrades=False
        )
        self.rounds = 0
        self.won_by_bots = 0

    def game(self, learn: bool) -> None:
        setup = Setup(self.settings, ["a", "b", "c", "d"], frozenset((2, 3)), None, CONTENT)
        match, events = deal(setup, self.rng, START)
        pictures = {seat: Picture(seat) for seat in range(4)}
        watching = Picture(None)
        bots = {seat: QuipsBot(pictures[seat], self.rng, self.experience) for seat in (2, 3)}
        now = START
        while match.over is None:
            for event in events:
                watching.see(event)
                for seat, picture in pictures.items():
                    shown = view(event, seat)
                    if shown is not None:
                        bots[seat].show(shown) if seat in bots else picture.see(shown)
            if match.outcome() is not None:
                break
            events, now = self._step(match, bots, pictures, now)
        if learn:
            self.experience.learn(watching)

    def _step(
        self, match: Quips, bots: dict[int, QuipsBot], pictures: dict[int, Picture], now: int
    ) -> tuple[list[Event], int]:
        board = match.board
        for seat in board.awaited():
            action: Action
            if seat in bots:
                plan = bots[seat].plan(match.legal(seat), now)
                assert plan is not None
                now, action = max(now, plan.at), plan.action
            elif board.stage == JUDGING:
                plays = [[held.card for held in board.players[s].play] for s in board.order]
                best = max(range(len(plays)), key=lambda i: taste(board.black, plays[i]))
                self.rounds += 1
                self.won_by_bots += board.order[best] in bots
                action = Judge(best)
            else:
                legal = [a for a in match.legal(seat) if isinstance(a, Play)]
                legal = [a for a in legal if not isinstance(a.cards[0], str)]
                action = legal[self.rng.below(len(legal))]
            return match.apply(seat, action, self.rng, now), now
        due = match.due()
        assert due is not None
        return match.tick(self.rng, due), due

    def share(self) -> tuple[float, float, float]:
        """The bots' share of wins, with its 99 % confidence interval (Wilson)."""
        n, z = self.rounds, 2.576
        p = self.won_by_bots / n
        middle = (p + z * z / (2 * n)) / (1 + z * z / n)
        width = z * sqrt(p * (1 - p) / n + z * z / (4 * n * n)) / (1 + z * z / n)
        return p, middle - width, middle + width


@pytest.fixture(scope="module")
def taught() -> bytes:
    """What bots have learnt from 40 games."""
    experience = Experience(None)
    school = Evening(experience, 12)
    for _ in range(40):
        school.game(learn=True)
    return experience.dump()


def test_bots_win_more_than_by_lot_with_judges_who_have_a_taste(taught: bytes) -> None:
    """Two of three plays are a bot's, so by lot they would win two thirds of all rounds.

    With what 40 games taught them they win 0.88 of 480 (99 % interval: 0.84 to 0.91).
    """
    evening = Evening(Experience(taught), 13)
    for _ in range(40):
        evening.game(learn=False)
    share, low, _ = evening.share()
    assert evening.rounds == 480
    assert low > 2 / 3
    assert share > 0.8


def test_without_experience_they_win_as_by_lot() -> None:
    evening = Evening(Experience(None), 11)
    for _ in range(40):
        evening.game(learn=False)
    _, low, high = evening.share()
    assert low < 2 / 3 < high


def test_they_judge_with_the_same_sense(taught: bytes) -> None:
    experience = Experience(taught)
    table = Table(5, content=CONTENT, max_players=5, computers=[0], bot_czars=True)
    state = table.state
    rnd = Random(3)
    agreed = 0
    for number in range(300):
        state.stage, state.judge = JUDGING, 0
        state.black = rnd.choice([*table.match.shelf.blacks])
        pick = table.match.shelf.blacks[state.black].pick
        cards = rnd.sample(table.match.shelf.dealt(), 4 * pick)
        state.plays = [cards[i * pick : (i + 1) * pick] for i in range(4)]
        plan = QuipsBot(table.pictures[0], FastRng(number), experience).plan([], START)
        assert plan is not None
        best = max(range(4), key=lambda i: taste(state.black, state.plays[i]))
        agreed += plan.action == Judge(best)
    # By lot: 75 of 300, and less than 105 in 9999 of 10000 cases.
    assert agreed > 105


# Experience


def picture_of(*verdicts: Verdict) -> Picture:
    picture = Picture(None)
    picture.shelf = Table(3, content=pack(mixed_cards()), max_players=4).match.shelf
    picture.verdicts = list(verdicts)
    return picture


def won(*plays: list[str], by_person: bool = True) -> Verdict:
    """The first of these plays won with `b_0`."""
    return Verdict("b_0", list(plays), 0, by_person)


def test_a_winner_fits_better_and_a_loser_worse_most_of_all_with_the_same_card() -> None:
    experience = Experience(None)
    picture = picture_of(won(["w_1"], ["w_2"]))
    experience.learn(picture)

    def fit(black_card: str, card: str) -> float:
        return experience.fit(black_card, card, picture.shelf)

    assert fit("b_0", "w_1") > fit("b_1", "w_1") > 1 > fit("b_1", "w_2") > fit("b_0", "w_2") > 0
    assert fit("b_0", "w_4") == fit("b_1", "custom_YQ==") == 1


def test_upgrades_are_learnt_as_the_card_they_were() -> None:
    experience = Experience(None)
    picture = picture_of(won(["w_3_2"], ["w_1"]))
    experience.learn(picture)
    fits = {experience.fit("b_0", card, picture.shelf) for card in ("w_3", "w_3_1", "w_3_2")}
    assert len(fits) == 1
    assert fits.pop() > 1


@pytest.mark.parametrize(
    "verdict",
    [
        won(["w_1"], ["w_2"], by_person=False),
        won(["w_1"]),
        won(["custom_YQ=="], ["custom_Yg=="]),
    ],
    ids=["a bot's own", "without a choice", "what people wrote"],
)
def test_some_verdicts_teach_nothing(verdict: Verdict) -> None:
    experience = Experience(None)
    experience.learn(picture_of(verdict))
    assert experience.dump() == Experience(None).dump()


def test_what_is_kept_comes_back_the_same(taught: bytes) -> None:
    assert Experience(taught).dump() == taught
    assert taught != Experience(None).dump()


@pytest.mark.parametrize("data", [b"", b"\xc1", b"\x92\x80\xa1x", b"\x93"])
def test_what_can_not_be_read_is_as_nothing(data: bytes) -> None:
    assert Experience(data).dump() == Experience(None).dump()


def test_memory_is_bounded_and_the_oldest_is_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(experience_module, "_MOST", 4)
    experience = Experience(None)
    picture = picture_of(
        won(["w_1"], ["w_2"]), won(["w_4"], ["w_5"]), won(["w_1"], ["w_7"]), won(["w_8"], ["w_10"])
    )
    experience.learn(picture)
    fits = [experience.fit("b_0", f"w_{n}", picture.shelf) for n in (1, 2, 4, 5, 7, 8, 10)]
    assert [fit == 1 for fit in fits] == [False, True, True, True, False, False, False]


# Manners


def bot_table(**settings: object) -> tuple[Table, dict[int, QuipsBot]]:
    table = Table(4, FastRng(9), pack(mixed_cards()), range(4), max_players=5, **settings)
    bots = {seat: QuipsBot(table.pictures[seat], FastRng(seat)) for seat in range(4)}
    return table, bots


def play_to_the_end(table: Table, bots: dict[int, QuipsBot]) -> list[tuple[int, int, Action]]:
    log: list[tuple[int, int, Action]] = []
    while table.match.over is None:
        plans = []
        for seat, bot in bots.items():
            plan = bot.plan(table.match.legal(seat), table.now)
            if plan is not None:
                assert bot.plan(table.match.legal(seat), table.now + 1) == plan
                plans.append((plan.at, seat, plan.action))
        if plans:
            at, seat, action = min(plans, key=lambda plan: plan[:2])
            table.now = max(table.now, at)
            table.do(seat, action)
            log.append((table.now, seat, action))
        else:
            due = table.match.due()
            assert due is not None
            table.wait((due - table.now) / 1000)
    return log


def test_a_table_of_bots_plays_to_the_end_and_never_votes() -> None:
    log = play_to_the_end(*bot_table())
    kinds = {type(action) for _, _, action in log}
    assert kinds == {Play, Judge, Upgrade}


def test_the_same_seed_plays_the_same_game() -> None:
    assert play_to_the_end(*bot_table()) == play_to_the_end(*bot_table())


def test_they_take_the_time_that_people_take() -> None:
    table, bots = bot_table(enable_upgrades=False)
    began = last = START
    for at, _, action in play_to_the_end(table, bots):
        if isinstance(action, Judge):
            assert at - last >= 2_500
            began = at + table.settings.round_end_timeout
        else:
            assert 3_000 <= at - began <= 20_000
            last = at


def test_a_card_is_upgraded_before_it_is_played() -> None:
    rng = StackedRng("b_0", "b_4", *(f"w_{3 * n}" for n in range(27)))
    table = Table(3, rng, pack(mixed_cards()), [1], max_players=4)
    bot = QuipsBot(table.pictures[1], FastRng(1))
    table.play_all()
    table.judge(1)
    table.wait(5)
    assert table.state.judge == 2
    first = bot.plan(table.match.legal(1), table.now)
    assert first is not None
    assert isinstance(first.action, Upgrade)
    table.do(1, first.action)
    then = bot.plan(table.match.legal(1), table.now)
    assert then is not None
    assert then.action == Play([first.action.slot])
    assert then.at > first.at


def test_they_have_nothing_to_do_when_it_is_not_their_turn() -> None:
    table = Table(4, computers=[0, 1])
    bot = QuipsBot(table.pictures[1], FastRng(1))
    assert table.state.judge == 2
    plan = bot.plan(table.match.legal(1), table.now)
    assert plan is not None
    table.do(1, plan.action)
    assert bot.plan(table.match.legal(1), table.now) is None
    assert QuipsBot(Picture(1), FastRng(1)).plan([], START) is None


def test_what_the_house_is_told_of_them() -> None:
    assert BOTS.experience is not None
    picture = Picture(1)
    bot = BOTS.make(picture, FastRng(1), BOTS.experience(None))
    assert bot.picture is picture
    assert len(set(BOTS.names)) == len(BOTS.names)
    assert all(0 < len(name) <= 32 for name in BOTS.names)
