"""Duplicate matches: equal agents score exactly 0, luck cancels, games and their mirrors."""

import json
from typing import Any

import numpy as np
import pytest
import torch

from hpenv.actions import BID, N_ACTIONS, PASS
from hpenv.agents.agent import play_deals, streams_for
from hpenv.agents.learned import Learned
from hpenv.agents.network import Network
from hpenv.agents.uniform import Uniform
from hpenv.batch import Batch
from hpenv.compiled import lowest_bit
from hpenv.errors import IllegalAction
from hpenv.rulebook import AUCTION
from hpenv.rules import PRESETS, Rules
from hpenv.training.benchmark.matches import deal_tables, duplicate_match, game_match
from hpenv.training.benchmark.outcomes import A, B
from hpenv.training.benchmark.results import games_sentence
from hpenv.training.benchmark.situations import by_situation
from scripted import Scripted, highest, lowest, nth_legal

# ---- duplicate deals --------------------------------------------------------------------------


@pytest.mark.parametrize("preset", PRESETS)
def test_equal_agents_score_exactly_zero_on_every_deal(preset: str) -> None:
    match = duplicate_match("uniform", "uniform", preset, 300, seed=5)
    assert not match.values.any()
    assert (match.mean, match.low, match.high) == (0.0, 0.0, 0.0)
    assert match.contracts(A) == match.contracts(B)
    assert match.contracts(A).contracts > 0


def test_equal_agents_score_zero_even_if_they_act_by_their_place_in_the_batch() -> None:
    # A network's last bits may depend on the batch it is asked with: both tables must ask alike.
    first, second = Scripted("first", nth_legal), Scripted("second", nth_legal)
    match = duplicate_match(first, second, "house", 150, chunk=64)
    assert not match.values.any()
    assert np.ptp(match.outcomes["points"]) > 0


def test_equal_networks_score_zero() -> None:
    torch.manual_seed(2)
    network = Network(N_ACTIONS, [32])
    first, second = (Learned(network, name, sample=True) for name in ("first", "second"))
    match = duplicate_match(first, second, "standard", 300, chunk=128)
    assert not match.values.any()
    assert match.contracts(A).contracts > 0


def test_one_object_on_both_sides_scores_zero() -> None:
    agent = Uniform()
    assert not duplicate_match(agent, agent, "set_bid", 100).values.any()


@pytest.mark.parametrize("preset", ["standard", "house"])
def test_swapping_the_agents_negates_every_value(preset: str) -> None:
    there = duplicate_match("uniform", lowest(), preset, 200)
    back = duplicate_match(lowest(), "uniform", preset, 200)
    assert there.values.any()
    assert np.array_equal(there.values, -back.values)
    assert there.mean == -back.mean
    assert there.interval == (-back.high, -back.low)
    assert there.low < there.mean < there.high
    assert there.contracts(A) == back.contracts(B)


def test_a_deal_is_the_same_however_many_are_played_and_however_they_are_chunked() -> None:
    whole = duplicate_match("uniform", lowest(), "standard", 200)
    assert whole.values.any()
    for deals, chunk in ((200, 64), (200, 7), (50, 1024), (1, 1)):
        part = duplicate_match("uniform", lowest(), "standard", deals, chunk=chunk)
        assert np.array_equal(part.outcomes, whole.outcomes[:deals]), (deals, chunk)


def test_seeds_differ_and_repeat() -> None:
    one, again, other = (duplicate_match("uniform", lowest(), "pepper", 50, s) for s in (1, 1, 2))
    assert np.array_equal(one.outcomes, again.outcomes)
    assert not np.array_equal(one.values, other.values)


def test_every_seat_deals_in_turn_and_any_deal_can_be_dealt_alone() -> None:
    tables = deal_tables(Rules(), 1, 0, 40)
    assert tables["dealer"].tolist() == [0, 1, 2, 3] * 10
    assert np.array_equal(deal_tables(Rules(), 1, 33, 7), tables[33:])
    assert len(np.unique(tables["pack"], axis=0)) == 40


def test_training_with_the_same_seed_never_meets_the_deals_of_the_benchmark() -> None:
    benchmark = {pack.tobytes() for pack in deal_tables(Rules(), 1, 0, 2000)["pack"]}
    training = {pack.tobytes() for pack in Batch(2000, seed=1).tables["pack"]}
    assert len(benchmark) == len(training) == 2000
    assert not benchmark & training


def test_no_seat_is_better_than_another_for_equal_agents() -> None:
    # Undealt, the first table of each deal: North-South less East-West, within 4 standard errors of 0.
    match = duplicate_match("uniform", "uniform", "set_bid", 20_000, seed=3)
    points = match.outcomes["points"][:, 0].astype(float)
    difference = points[:, A] - points[:, B]
    assert abs(difference.mean()) < 4 * difference.std() / np.sqrt(len(difference))


def test_an_agent_that_only_passes_beats_one_that_overbids_where_bids_cost() -> None:
    # R15: a failed bid of six costs 6. Who always bids six makes it now and then.
    match = duplicate_match(lowest(), highest(), "set_bid", 300)
    assert match.low > 3
    assert match.contracts(A).contracts == 0
    assert match.contracts(B).bids == [0, 0, 0, 0, 0, 0, 600, 0]
    assert match.thrown_in == 0
    assert not duplicate_match(lowest(), lowest(), "set_bid", 20).outcomes["bid"].any()


def test_progress_is_reported_up_to_the_end() -> None:
    seen: list[tuple[int, int]] = []
    duplicate_match("uniform", "uniform", "mini2", 25, progress=lambda *t: seen.append(t), chunk=10)
    assert seen == [(0, 25), (10, 25), (20, 25), (25, 25)]


@pytest.mark.parametrize("deals", [0, -1, 10_000_001, 2.5, True, "many"])
def test_a_number_of_deals_out_of_range_is_refused(deals: Any) -> None:
    kind = ValueError if deals in (0, -1, 10_000_001) else TypeError
    with pytest.raises(kind, match="deals: "):
        duplicate_match("uniform", "uniform", deals=deals)
    with pytest.raises(kind, match="games: "):
        game_match("uniform", "uniform", games=deals)


def test_deals_and_seed_may_be_numpys_integers() -> None:
    match = duplicate_match("uniform", lowest(), "standard", np.int64(60), seed=np.uint64(5))  # type: ignore[arg-type]
    assert match.as_json() == duplicate_match("uniform", lowest(), "standard", 60, seed=5).as_json()
    assert json.loads(json.dumps(match.as_json()))["seed"] == 5


# ---- whole games -----------------------------------------------------------------------------


def test_equal_agents_win_one_of_each_two_games() -> None:
    games = game_match("uniform", "uniform", "house", 60)
    decided = games.winners[:, 0] >= 0
    assert decided.any()
    assert np.array_equal(games.winners[decided, 0], 1 - games.winners[decided, 1])
    assert np.array_equal(games.lengths[:, 0], games.lengths[:, 1])
    assert games.won == 0.5
    assert games.decided == 2 * decided.sum()


def test_games_end_at_the_target_or_are_truncated() -> None:
    # Who only passes never scores when all pass; an overbidder alone decides the game.
    nobody = game_match(lowest(), lowest(), Rules(max_deals=7), 3)
    assert nobody.decided == 0
    assert (nobody.lengths == 7).all()
    assert nobody.as_json()["won"] is None
    assert (nobody.interval, nobody.as_json()["truncated"]) == ((0.0, 1.0), 6)
    assert "none was decided" in games_sentence(nobody)
    defended = Rules(set_penalty="bid", defenders_score=True)
    games = game_match(lowest(), highest(), defended, 40)
    assert games.won > 0.9
    assert games.interval[0] > 0.8
    assert (games.lengths[games.winners >= 0] < 100).all()
    mirrored = game_match(highest(), lowest(), defended, 40)
    assert mirrored.won == pytest.approx(1 - games.won)


def test_a_game_and_its_mirror_have_the_same_cards_deal_by_deal() -> None:
    seen: list[dict[tuple[int, int], int]] = [{}, {}]

    def watcher(who: int, place: int) -> Scripted:
        def watch(view: Any, i: int) -> int:
            if view.phase == AUCTION:
                hand = seen[who].setdefault((int(view.deals_played), int(view.seat)), int(view.hand))
                assert hand == view.hand
            return nth_legal(view, place)

        return Scripted(f"watcher {who}", watch)

    game_match(watcher(A, 0), watcher(B, 1), Rules(max_deals=8), 1)
    # A sat North and South in the first game, East and West in its mirror; B the other way round.
    both = seen[A].keys() & seen[B].keys()
    assert len(both) > 8
    assert {seat for _, seat in both} == {0, 1, 2, 3}
    assert all(seen[A][key] == seen[B][key] for key in both)


# ---- agents at the table ----------------------------------------------------------------------


def test_an_illegal_action_is_refused_with_the_agents_name_and_the_rule() -> None:
    bidder = Scripted("bidder", lambda view, i: BID + 2)
    with pytest.raises(IllegalAction, match=r"agent bidder: .*must bid more than the standing"):
        duplicate_match(bidder, "uniform", "standard", 10)


@pytest.mark.parametrize(
    ("answer", "complaint"),
    [
        (lambda n: np.full(n, float(PASS)), "float64"),
        (lambda n: np.full(n + 1, PASS), "shape"),
        (lambda n: np.full((n, 1), PASS), "shape"),
        (lambda n: PASS, "shape"),
    ],
)
def test_anything_but_one_whole_number_a_view_is_refused(answer: Any, complaint: str) -> None:
    agent = Uniform("odd")
    agent.act = lambda views, streams: answer(len(views))  # type: ignore[method-assign]
    tables = deal_tables(Rules(), 1, 0, 5)
    with pytest.raises(TypeError, match=rf"agent odd: .*{complaint}"):
        play_deals(tables, [agent] * 4, streams_for(1, 5))


def test_every_decision_takes_the_streams_on_from_where_the_seat_left_them() -> None:
    asked: list[tuple[int, int]] = []

    def act(views: Any, streams: Any) -> Any:
        asked.extend(zip(views["seat"].tolist(), streams.tolist(), strict=True))
        streams += np.uint64(1)
        return np.array([lowest_bit(view.legal) for view in views], np.int64)

    agent = lowest()
    agent.act = act  # type: ignore[method-assign]
    streams = 1000 * np.arange(4, dtype=np.uint64).reshape(1, 4)
    play_deals(deal_tables(PRESETS["house"], 1, 0, 1), [agent, Uniform(), agent, agent], streams)
    for seat in (0, 2, 3):
        mine = [stream for asked_seat, stream in asked if asked_seat == seat]
        assert mine == list(range(1000 * seat, 1000 * seat + len(mine)))
        assert streams[0, seat] == 1000 * seat + len(mine)
    assert streams[0, 1] != 1000


def test_small_and_unsigned_whole_numbers_are_taken() -> None:
    for kind in (np.int8, np.uint8, np.int32, np.uint64):
        agent = lowest()
        agent.act = lambda views, streams, kind=kind: np.array(  # type: ignore[method-assign,misc]
            [lowest_bit(view.legal) for view in views], kind
        )
        tables = deal_tables(Rules(), 1, 0, 5)
        play_deals(tables, [agent] * 4, streams_for(1, 5))
        assert (tables["deals_played"] == 1).all()


def test_every_deal_of_a_game_counts_in_its_situation() -> None:
    games = game_match("rule_based", "uniform", "set_bid", 30)
    rows = {row["situation"]: row for row in games.as_json()["by_situation"]}
    assert sum(row["deals"] for row in rows.values()) == games.lengths.sum()
    assert rows["level"]["deals"] >= games.lengths.size  # the first of every game
    assert rows["ahead by 5 or more"]["low"] > 0
    assert rows["behind by 5 or more"]["deals"] < rows["ahead by 5 or more"]["deals"]
    assert games.margins.sum() > 10 * games.lengths.size  # whoever loses may be below 0
    same = game_match("uniform", "uniform", "set_bid", 30)
    assert same.margins.sum() == same.leads.sum() == 0


def test_a_situation_is_known_by_the_lead() -> None:
    leads = np.array([-9, -5, -4, -1, 0, 1, 4, 5, 20])
    rows = by_situation(leads, np.arange(9))
    assert [row["deals"] for row in rows] == [2, 2, 1, 2, 2]
    assert [row["mean"] for row in rows] == [0.5, 2.5, 4.0, 5.5, 7.5]
    assert by_situation(leads[:0], leads[:0])[0]["mean"] is None
