"""The worth of every choice and what it lost: against deals worked out by hand, against trying
everything, and against the count at the end of the deal."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import minimax
from hand_solved import ONE_TRICK, TWO_TRICKS, finished_deals, up_to
from hpenv.actions import ACTION_TEXT
from hpenv.cards import set_cards
from hpenv.double_dummy import OBJECTIVES
from hpenv.double_dummy_search import new_memory
from hpenv.hindsight import Losses, action_values, losses
from hpenv.notation import RecordError, parse_record, record_text, replay
from hpenv.rulebook import AUCTION, DEAL_OVER, PLAY, legal_actions
from hpenv.view import view_of
from random_deals import RULES, copy_of, positions
from table_talk import red


def worths(found: Losses, column: int) -> list[tuple[str, str, int, int]]:
    """Seat, choice, its worth and the best worth, in tricks (0) or points (1)."""
    return [
        ("NESW"[seat], ACTION_TEXT[action], int(worth[column]), int(best[column]))
        for seat, action, worth, best in zip(
            found.seats, found.actions, found.worth, found.best, strict=True
        )
    ]


def test_one_trick_worked_out_by_hand() -> None:
    """Only going alone without a trump loses: the trick, and minus one instead of plus one."""
    found = losses(parse_record(ONE_TRICK))
    assert worths(found, 0) == [
        ("N", "trump H", 1, 1),
        ("N", "Jo", 1, 1),
        ("N", "alone", 0, 1),
        ("E", "with partner", 1, 1),
        ("W", "with partner", 1, 1),
        ("E", "JD", 1, 1),
        ("W", "JS", 1, 1),
        ("N", "JC", 0, 0),
    ]
    assert [worth for *_, worth, _ in worths(found, 1)] == [1, 1, -1, 1, 1, 1, 1, -1]
    assert found.lost.tolist() == [[0, 0], [0, 0], [1, 2], *[[0, 0]] * 5]
    assert found.at.tolist() == list(range(1, 9))
    assert found.tricks.tolist() == [0, 0, 0, 0, 0, 1, 1, 1]
    assert found.by_seat().tolist() == [[0, 0]] * 4
    assert found.by_seat(in_play=False).tolist() == [[1, 2], [0, 0], [0, 0], [0, 0]]


def test_two_tricks_worked_out_by_hand() -> None:
    """North's AC loses a trick, and minus two instead of plus two; West's ruff keeps what it gives."""
    found = losses(parse_record(TWO_TRICKS))
    lead = 3  # after trump, discard and the answer
    assert worths(found, 0)[lead : lead + 5] == [
        ("N", "AC", 1, 2),
        ("E", "JC", 1, 1),
        ("S", "JS", 1, 1),
        ("W", "JH", 1, 1),
        ("W", "AD", 0, 0),
    ]
    assert worths(found, 1)[lead : lead + 4] == [
        ("N", "AC", -2, 2),
        ("E", "JC", 2, 2),
        ("S", "JS", -2, -2),
        ("W", "JH", 2, 2),
    ]
    assert found.by_seat().tolist() == [[1, 4], [0, 0], [0, 0], [0, 0]]
    assert found.by_seat(in_play=False).tolist() == [[0, 0]] * 4
    best = {place: set_cards(int(found.best_actions[place, 1])) for place in (lead, lead + 2, lead + 3)}
    assert {place: [ACTION_TEXT[a] for a in cards] for place, cards in best.items()} == {
        lead: ["Jo"],
        lead + 2: ["JS", "AS"],
        lead + 3: ["JH"],
    }
    passive = up_to(TWO_TRICKS, 7) | {"actions": [*TWO_TRICKS["actions"][:7], "AD"]}
    assert losses(parse_record(passive)).lost[-1].tolist() == [1, 4]  # West lets AC hold


@pytest.mark.parametrize("name", RULES)
def test_what_was_lost_adds_up_to_the_result(name: str) -> None:
    """The best of the first choice, less what the makers lost, and with what the defenders lost, is
    what the deal came to, in tricks and in points: loners, pepper and small hands included."""
    memory = new_memory()
    for record in finished_deals(name, 21, 12):
        found, end = losses(record, memory), replay(record).table
        makers = int(end.maker) & 1
        sign = np.where((found.seats & 1) == makers, -1, 1)
        came = found.best[0] + (sign[:, None] * found.lost).sum(axis=0)
        apart = int(end.points[makers] - end.points[1 - makers])
        assert came.tolist() == [int(end.tricks[makers]), apart], record_text(record)
        assert (found.lost >= 0).all()
        total = found.by_seat() + found.by_seat(in_play=False)
        assert total.sum(axis=0).tolist() == found.lost.sum(axis=0).tolist()
        for i, action in enumerate(found.actions.tolist()):
            for column in range(2):
                best = int(found.best_actions[i, column]) >> action & 1
                assert best == (found.lost[i, column] == 0)


def test_loners_and_their_answers_are_among_those_deals() -> None:
    counts = {"alone": 0, "two loners": 0}
    for record in finished_deals("standard", 21, 12) + finished_deals("house", 21, 12):
        lone = int(replay(record).table.alone).bit_count()
        counts["alone"] += lone == 1
        counts["two loners"] += lone == 2
    assert min(counts.values()) > 0


def tried(table: Any, objective: str, already: int) -> int:
    """What North-South get beyond the tricks they had already, or in points, every choice tried: the
    cards by the oracle, what comes before them here."""
    if table.phase in (PLAY, DEAL_OVER):
        payoffs = minimax.payoffs(table, objective)
        over = table.phase == DEAL_OVER
        value = payoffs[table.tricks[0]] if over else minimax.value(table, payoffs)
        return value + (int(table.tricks[0]) - already if objective == "tricks" else 0)
    values = []
    for action in set_cards(legal_actions(table)):
        after = copy_of(table)
        after.step(action)
        values.append(tried(after, objective, already))
    return max(values) if table.to_act % 2 == 0 else min(values)


@pytest.mark.parametrize("objective", OBJECTIVES)
@pytest.mark.parametrize("name", ["mini2", "mini3", "one card", "house"])
def test_every_choice_against_trying_everything(name: str, objective: str) -> None:
    """From the naming of trump on; of six-card hands only what little remains to be tried."""
    phases, checked = set(), 0
    for table in positions(name, 22, 25):
        left = int(table.hand_size - table.tricks_played)
        if table.phase in (AUCTION, DEAL_OVER) or left > 3:
            continue
        values = action_values(table, objective)
        assert set(np.flatnonzero(~np.isnan(values)).tolist()) == set(set_cards(legal_actions(table)))
        for action in set_cards(legal_actions(table)):
            after = copy_of(table)
            after.step(action)
            value = tried(after, objective, int(table.tricks[0]))
            if table.to_act % 2:
                value = left - value if objective == "tricks" else -value
            assert values[action] == value, f"{table}\n{ACTION_TEXT[action]}"
            checked += 1
        phases.add(int(table.phase))
    assert checked > 50
    assert phases == ({PLAY} if name == "house" else set(range(1, PLAY + 1)))


def test_hindsight_of_deals_without_choices() -> None:
    """A deal thrown in, a deal still in the auction: nothing to tell, and the shapes stay."""
    for actions in (["pass"] * 4, ["pass"], []):
        found = losses(parse_record(up_to(TWO_TRICKS, 0) | {"actions": actions}))
        assert found.lost.shape == found.best_actions.shape == (0, 2)
        assert found.by_seat().tolist() == [[0, 0]] * 4


def test_what_has_no_worth_is_refused() -> None:
    with pytest.raises(ValueError, match="auction"):
        action_values(red("standard", "W"))
    with pytest.raises(ValueError, match="over"):
        action_values(red("standard", "W", "pass, pass, pass, pass"))
    with pytest.raises(ValueError, match="objective='win'"):
        action_values(red("standard", "W", "bid 6, trump H, AC, with partner"), "win")
    with pytest.raises(RecordError, match="R11"):
        losses(parse_record(TWO_TRICKS | {"actions": [*TWO_TRICKS["actions"][:5], "AH"]}))


def test_what_is_no_record_or_table_is_refused() -> None:
    """In a sentence, before anything is solved."""
    table = red("standard", "W", "bid 3, pass, pass, pass")
    with pytest.raises(TypeError, match="a list of losses is made from a Record, not from a dict"):
        losses(ONE_TRICK)  # type: ignore[arg-type]
    for thing in (view_of(table, 0), 5):
        kind = type(thing).__name__
        with pytest.raises(TypeError, match=f"action values is made from a Table, not from a {kind}"):
            action_values(thing)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="objective='win' is not one of tricks, points"):
        action_values(table, "win")
