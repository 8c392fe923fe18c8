"""Breaks a game, and says whether a test of the battery notices."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from parlour.battery import Battery, Trial
from parlour.kit import Setup
from parlour.rng import Rng

SHOWN = "test_nobody_is_shown_what_they_cannot_know"
BYTES = "test_what_a_seat_cannot_know_changes_no_byte_it_is_sent"
GREETING = "test_a_greeting_tells_only_what_is_known_now"
BOTS = "test_bots_are_shown_what_their_seats_are"
ALONE = "test_everybody_is_told_what_they_would_be_told_alone"
NEWCOMER = "test_a_newcomer_is_greeted_with_what_was_told"
REPLAY = "test_folding_the_log_gives_the_same_table_and_the_same_bytes"
PLACES = "test_every_card_is_in_exactly_one_place_after_every_action"
NO_TRACE = "test_a_refused_action_leaves_no_trace"
GOLDEN = "test_golden_files_are_what_the_code_makes_of_them"
ENDS = "test_bot_games_of_every_size_end"
ELSEWHERE = "test_another_process_folds_the_log_to_the_same_table"
CHOICES = "test_choices_are_what_can_be_done_and_nothing_else"
SCENE = "test_a_scene_names_only_what_there_is"
VIEW = "test_view_leaves_events_as_they_are"
PRESETS = "test_every_preset_is_a_valid_patch_of_the_settings"
LESSONS = "test_every_lesson_can_be_taught"


def broken(trial: Trial, **changes: Any) -> Trial:
    return replace(trial, game=replace(trial.game, **changes))


def fails(trial: Trial, test: str) -> bool:
    """Whether a test of the battery fails on this game, and says so."""
    suite = type("Broken", (Battery,), {"trial": trial})()
    try:
        getattr(suite, test)()
    except AssertionError:
        return True
    return False


def match_of(kind: type[Any], trial: Trial) -> Trial:
    """The same game, with matches of a subclass."""

    def other(setup: Setup, rng: Rng, now: int) -> Any:
        match, events = trial.game.deal(setup, rng, now)
        match.__class__ = kind
        return match, events

    return broken(trial, deal=other)


def raises(*_: object) -> Any:
    raise ValueError("no idea what this looks like")
