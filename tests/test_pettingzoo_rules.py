"""The PettingZoo environment played along by the slow oracle, and beside a batch with the same seed."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

from episodes import OFFICIAL, SEAT_OF, complaints, decisions, flat, infos, mask_of, play
from hpenv.actions import action_text
from hpenv.batch import Batch
from hpenv.cards import NO_CARD, set_cards, set_text
from hpenv.hasenpfeffer_v0 import env, raw_env
from hpenv.rulebook import DEAL_OVER
from naive_rules import ACTIONS, PRESETS, SEATS, NaiveGame, full_rules


class Oracle:
    """The slow rules playing along with an environment, from the cards lying on its table."""

    def __init__(self, game: Any, rules: Any, score: tuple[int, int] = (0, 0)) -> None:
        self.table = game.unwrapped.table
        self.naive = NaiveGame(full_rules(rules), SEATS[self.table.dealer], self.cards)
        self.naive.score = list(score)

    def cards(self, n: int) -> tuple[dict[str, list[str]], str]:
        assert self.table.deals_played == n
        hands = {seat: set_text(self.table.hands[i]).split() for i, seat in enumerate(SEATS)}
        return hands, action_text(int(self.table.widow))


def play_along(game: Any, rules: Any, rng: random.Random, score: tuple[int, int] = (0, 0)) -> Any:
    """One episode with the oracle beside it: turn, mask and the deals' points must agree. Returns the
    oracle, each seat's sum of rewards from `last()`, and the seats that sat a deal out."""
    oracle = Oracle(game, rules, score)
    naive = oracle.naive
    returns, sat_out, after = [0.0] * 4, set(), list(score)
    for agent in game.agent_iter():
        observation, reward, terminated, truncated, _ = game.last()
        seat = SEAT_OF[agent]
        returns[seat] += reward
        if terminated or truncated:
            assert not mask_of(game, observation).any()
            assert (terminated, truncated) == (naive.winner is not None, naive.truncated)
            game.step(None)
            continue
        assert naive.turn == SEATS[seat]
        legal = [ACTIONS[a] for a in mask_of(game, observation).nonzero()[0]]
        assert legal == naive.legal(), f"{game.unwrapped.table}"
        assert SEATS[seat] not in naive.deal.sitting_out
        sat_out |= set(naive.deal.sitting_out)
        word = rng.choice(legal)
        game.step(ACTIONS.index(word))
        naive.do(word)
        assert all(type(reward) is float for reward in game.rewards.values())
        difference = (naive.score[0] - after[0]) - (naive.score[1] - after[1])
        after = list(naive.score)
        assert list(game.rewards.values()) == [difference, -difference] * 2, f"{game.unwrapped.table}"
        assert set(game.terminations.values()) == {naive.winner is not None}
        assert set(game.truncations.values()) == {naive.truncated}
    return naive, returns, sat_out


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("preset", OFFICIAL)
def test_the_oracle_agrees_and_each_seat_is_paid_its_sides_score(preset: str, seed: int) -> None:
    rng = random.Random(seed)
    game = raw_env(preset, score=(4, -3))
    game.reset(seed=seed)
    naive, returns, sat_out = play_along(game, preset, rng, (4, -3))
    change = (naive.score[0] - 4) - (naive.score[1] + 3)
    assert returns == [change, -change, change, -change]
    assert list(game.table.score) == naive.score
    assert naive.deals_done > 1
    assert sat_out or PRESETS[preset]["hand_size"] < 6


@pytest.mark.parametrize("mask_in", ["obs", "info"])
def test_the_oracle_agrees_with_the_wrapped_environment(mask_in: str) -> None:
    for seed, (preset, target) in enumerate([("standard", 1), ("house", 20)]):
        rules = {**PRESETS[preset], "target": target, "max_deals": 12}
        game = env(rules=rules, mask_in=mask_in, history=mask_in == "obs")
        game.reset(seed=seed)
        naive, returns, _ = play_along(game, rules, random.Random(seed))
        change = naive.score[0] - naive.score[1]
        assert returns == [change, -change, change, -change]


def test_winning_pays_one_to_both_partners_and_a_truncated_game_nothing() -> None:
    ends = set()
    for seed in range(30):
        game = raw_env(rules={"target": 3, "max_deals": 8}, reward="win")
        game.reset(seed=seed)
        returns = dict.fromkeys(SEAT_OF, 0.0)
        for agent, _, reward, terminated, truncated, _ in play(game, random.Random(seed)):
            returns[agent] += reward
            assert not (terminated and truncated)
        winner = int(game.table.winner)
        ends.add(winner)
        ours = {0: 1.0, 1: -1.0, -1: 0.0}[winner]
        assert list(returns.values()) == [ours, -ours, ours, -ours]
    assert ends == {0, 1, -1}


def test_an_episode_of_one_deal_ends_with_the_deal_and_pays_its_points() -> None:
    for seed in range(20):
        game = raw_env("house", episode="deal")
        game.reset(seed=seed)
        turns = play(game, random.Random(seed))
        assert game.table.phase == DEAL_OVER
        assert game.table.deals_played == 1
        ours = float(game.table.points[0] - game.table.points[1])
        last_four = turns[-4:]
        assert [t[0] for t in last_four] == list(SEAT_OF)
        assert [t[2] for t in last_four] == [ours, -ours, ours, -ours]
        assert all(t[3] is True and t[4] is False and t[5] is None for t in last_four)
        assert not any(t[3] or t[4] for t in turns[:-4])


@pytest.mark.parametrize("mask_in", ["obs", "info"])
@pytest.mark.parametrize("preset", ["standard", "house", "mini3"])
def test_only_the_maker_can_tell_what_was_discarded(preset: str, mask_in: str) -> None:
    game = raw_env(preset, episode="deal", mask_in=mask_in, history=mask_in == "obs")
    looked = 0
    for seed in range(12):
        game.reset(seed=seed)
        for agent, _ in decisions(game, random.Random(seed)):
            table = game.table
            if table.discard == NO_CARD:
                continue
            maker, real = f"player_{table.maker}", int(table.discard)
            others = [each for each in SEAT_OF if each != maker]

            def seen(agents: list[str], actor: str = agent) -> list[Any]:
                shown: list[Any] = [(flat(game.observe(each)), infos(game)[each]) for each in agents]
                return shown + (complaints(game) if actor in agents else [])

            theirs, own = seen(others), flat(game.observe(maker))
            table.discard = next(c for c in set_cards((1 << 25) - 1) if c != real)
            assert seen(others) == theirs, f"{table}"
            assert flat(game.observe(maker)) != own
            table.discard = real
            looked += 1
    assert looked > 100


@pytest.mark.parametrize(
    ("preset", "options"),
    [
        ("standard", {}),
        ("pepper", {"score": (7, -4), "dealer": 3}),
        ("set_bid", {"reward": "win"}),
        ("house", {"episode": "deal"}),
        ("mini2", {"episode": "deal", "dealer": 0}),
        ("mini3", {"score": (9, 9)}),
        ({"max_deals": 2, "target": 3}, {"reward": "win"}),
    ],
)
def test_it_makes_the_decisions_of_a_batch_with_its_seed(preset: Any, options: dict[str, Any]) -> None:
    batch = Batch(1, preset, seed=1234, **options)
    game = raw_env(preset, **options)
    game.reset(seed=1234)
    rng = random.Random(1)
    ends = {"terminated": 0, "truncated": 0}
    for step in range(12_000):
        if step >= 1500 and sum(ends.values()) >= 2:
            break
        agent = game.agent_selection
        seen = game.last()[0]
        assert SEAT_OF[agent] == batch.seats[0]
        assert np.array_equal(seen["observation"], batch.observations[0])
        assert np.array_equal(seen["action_mask"], batch.masks[0])
        action = int(rng.choice(seen["action_mask"].nonzero()[0]))
        batch.step([action])
        game.step(action)
        assert list(game.rewards.values()) == list(batch.rewards[0])
        assert set(game.terminations.values()) == {bool(batch.terminated[0])}
        assert set(game.truncations.values()) == {bool(batch.truncated[0])}
        if batch.terminated[0] or batch.truncated[0]:
            ends["terminated" if batch.terminated[0] else "truncated"] += 1
            game.reset()
    assert sum(ends.values()) >= 2
