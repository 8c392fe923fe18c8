"""MO once more, as plainly and slowly as the rules read, to hold the fast board against.

It shares nothing with `parlour.games.mo`: piles are lists by name, lanes are walked on the
grid, a card is a pair of a value and a suit letter ("*" for a joker).
"""

from __future__ import annotations

Card = tuple[int, str]

RED = "HD"
BLACK = "CS"
INNER = ["b2", "c2", "d2", "b3", "c3", "d3", "b4", "c4", "d4"]
OUTER = ["b1", "c1", "d1", "a2", "e2", "a3", "e3", "a4", "e4", "b5", "c5", "d5"]
VALUES = {"A": 1, "J": 11, "Q": 12, "K": 13}


def card(text: str) -> Card:
    """ "10H", "KC", or "*" for a joker."""
    if text == "*":
        return (0, "*")
    return (VALUES.get(text[:-1]) or int(text[:-1]), text[-1])


def colour(of: Card) -> str:
    if of[1] in RED:
        return RED
    return BLACK if of[1] in BLACK else "no colour"


def lane(outer: str) -> list[str]:
    """The three inner piles from an outer one straight across the grid."""
    column, row = outer[0], outer[1]
    if row == "1":
        return [column + r for r in "234"]
    if row == "5":
        return [column + r for r in "432"]
    if column == "a":
        return [c + row for c in "bcd"]
    return [c + row for c in "dcb"]


class Reference:
    """A position and its history, as lists; index 0 is a pile's top."""

    def __init__(self, profile: str, deck: list[Card]) -> None:
        self.profile = profile
        self.piles: dict[str, list[Card]] = {name: [] for name in INNER + OUTER}
        self.face_down: set[str] = set()
        self.draw = list(deck)
        royals: list[Card] = []
        for name in INNER:
            if name == "c3":
                continue
            while not self.piles[name]:
                met = self.draw.pop(0)
                if met[0] > 10:
                    royals.append(met)
                else:
                    self.piles[name].append(met)
        self.draw = royals + self.draw
        self.reason = ""
        self.stood = [self.snapshot()]

    def snapshot(self) -> object:
        piles = {name: list(cards) for name, cards in self.piles.items()}
        return piles, set(self.face_down), list(self.draw)

    # What the rules ask about a position

    def top(self, name: str) -> Card | None:
        return self.piles[name][0] if self.piles[name] else None

    def royal(self, outer: str) -> Card | None:
        for one in self.piles[outer]:
            if one[0] > 10:
                return one
        return None

    def total(self, outer: str) -> int:
        return sum(value for value, _ in self.piles[outer])

    def living(self) -> list[str]:
        return [o for o in OUTER if self.royal(o) and o not in self.face_down]

    def valid(self) -> list[str]:
        if self.reason or not self.draw:
            return []
        new = self.draw[0]
        if new[0] > 10:
            return self.placements(new)
        if new[0] == 1:
            return list(INNER)
        if new[0] == 0:
            return self.joker_targets()
        fits = []
        for name in INNER:
            top = self.top(name)
            if top is None or top[0] <= new[0]:
                fits.append(name)
        return fits or self.armour_targets(new)

    def placements(self, new: Card) -> list[str]:
        """Beside the most similar inner top with a free outer neighbour."""
        sides: list[tuple[str, Card]] = []
        for outer in OUTER:
            beside = self.top(lane(outer)[0])
            if self.royal(outer) is None and beside is not None:
                sides.append((outer, beside))

        def same_suit(beside: Card) -> bool:
            joker_matches = self.profile == "printed" and beside[1] == "*"
            return beside[1] == new[1] or joker_matches

        suited = [side for side in sides if same_suit(side[1])]
        coloured = [side for side in sides if colour(side[1]) == colour(new)]
        for group in (suited, coloured, sides):
            if group:
                highest = max(beside[0] for _, beside in group)
                return [outer for outer, beside in group if beside[0] == highest]
        return []

    def joker_targets(self) -> list[str]:
        tops: dict[str, int] = {}
        for name in INNER:
            top = self.top(name)
            if self.profile == "printed":
                tops[name] = top[0] if top else 0
            elif top is not None and top[1] != "*":
                tops[name] = top[0]
        return [name for name, value in tops.items() if value == min(tops.values())]

    def armour_targets(self, new: Card) -> list[str]:
        living = self.living()
        if self.profile == "classic":
            return [o for o in living if self.total(o) + new[0] < 21]
        if not living:
            return self.placements(new)
        royals = [(o, self.royal(o) or (0, "*")) for o in living]
        suited = [pair for pair in royals if pair[1][1] == new[1]]
        coloured = [pair for pair in royals if colour(pair[1]) == colour(new)]
        for group in (suited, coloured, royals):
            if group:
                lowest = min(royal[0] for _, royal in group)
                return [o for o, royal in group if royal[0] == lowest]
        return []

    # A turn

    def play(self, to: str) -> tuple[list[Card], list[str]]:
        """What went back to the draw pile, and which royals fell."""
        new = self.draw.pop(0)
        recycled: list[Card] = []
        fallen: list[str] = []
        if to in INNER and new[0] <= 1:
            recycled = self.piles[to]
            self.draw.extend(recycled)
            self.piles[to] = []
        self.piles[to] = [new, *self.piles[to]]
        if to in INNER:
            for outer in self.living():
                near, middle, far = lane(outer)
                if far == to and self.falls(outer, self.top(near), self.top(middle)):
                    fallen.append(outer)
        self.face_down.update(fallen)
        self.reason = self.end()
        self.stood.append(self.snapshot())
        return recycled, fallen

    def falls(self, outer: str, near: Card | None, middle: Card | None) -> bool:
        royal = self.royal(outer)
        if royal is None or near is None or middle is None:
            return False
        if royal[0] == 12 and not colour(near) == colour(middle) == colour(royal):
            return False
        if royal[0] == 13 and not near[1] == middle[1] == royal[1]:
            return False
        return near[0] + middle[0] >= self.total(outer)

    def end(self) -> str:
        if len(self.face_down) == 12:
            return "won"
        if any(self.total(o) > 20 for o in OUTER):
            return "too-strong"
        if not self.draw:
            return "out-of-cards"
        self.reason = ""
        if not self.valid():
            return "no-place"
        if self.stood.count(self.snapshot()) >= 2:
            return "repeated"
        return ""
