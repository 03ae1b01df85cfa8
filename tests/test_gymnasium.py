"""One table for Gymnasium: its own check, what a learner sees and gets, and who plays for whom."""

from __future__ import annotations

import random
import subprocess
import sys
import warnings
from collections.abc import Iterator
from copy import deepcopy
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.error import ResetNeeded
from gymnasium.utils.env_checker import check_env

from hpenv import hasenpfeffer_v0
from hpenv.actions import ALONE, N_ACTIONS
from hpenv.agents.agent import make_agent
from hpenv.compiled import highest_bit, lowest_bit
from hpenv.observation import OBSERVATION_SIZE, action_mask, observe, write_observation
from hpenv.rulebook import legal_actions
from hpenv.rules import PRESETS
from hpenv.seats import EAST, EAST_WEST, NOBODY, NORTH, NORTH_SOUTH, SOUTH, WEST
from hpenv.suits import suit_order
from hpenv.view import view_of
from places import ROOT
from scripted import Scripted, highest, lowest

ID = "hpenv:Hasenpfeffer-v0"


def made(**options: Any) -> Any:
    """The environment itself, quick agents at its table."""
    return gymnasium.make(ID, **{"opponents": "uniform", "partner": "uniform"} | options).unwrapped


def random_steps(env: Any, rng: random.Random) -> Iterator[tuple[Any, int, Any]]:
    """One episode of random legal actions: what was seen, what was done, what `step` gave."""
    seen, info = env.reset()
    over = False
    while not over:
        action = rng.choice(np.flatnonzero(info["action_mask"]).tolist())
        result = env.step(action)
        yield seen, action, result
        seen, _, terminated, truncated, info = result
        over = terminated or truncated


@pytest.mark.parametrize(
    "options", [{}, {"mask_in": "obs", "partner": "uniform", "episode": "deal", "dtype": "float32"}]
)
def test_gymnasiums_own_check(options: Any) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(made(**options))


@pytest.mark.parametrize(("first", "then"), [("hpenv", "gymnasium"), ("gymnasium", "hpenv")])
def test_known_by_name_in_either_order_of_imports(first: str, then: str) -> None:
    code = f"import {first}, {then}; print(gymnasium.spec('Hasenpfeffer-v0').entry_point)"
    run = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert run.stdout == "hpenv.gymnasium_envs:HasenpfefferEnv\n"


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("options", [{"episode": "deal"}, {"partner": None, "score": (3, -2)}])
def test_the_learner_sees_its_view_and_gets_what_its_side_scored(preset: str, options: Any) -> None:
    """Against the table itself: the view of the seat to act, and at the end the score of the game."""
    env, rng = made(rules=preset, seat="West", **options), random.Random(1)
    before = options.get("score", (0, 0))
    env.reset(seed=1)
    for _ in range(8 if "episode" in options else 1):
        total = 0.0
        for seen, _, (_, reward, terminated, truncated, info) in random_steps(env, rng):
            assert seen.shape == (OBSERVATION_SIZE,)
            total += reward
            if terminated or truncated:
                assert not info["action_mask"].any()
            else:
                seat = env.table.to_act
                assert seat == WEST or (seat == EAST and options.get("partner", 1) is None)
                view = view_of(env.table, seat)
                np.testing.assert_array_equal(info["action_mask"], action_mask(view))
                np.testing.assert_array_equal(env.action_masks(), action_mask(view) == 1)
        score = env.table.score
        assert total == (score[1] - before[1]) - (score[0] - before[0])
        assert env.table.is_over


def test_observations_are_those_of_the_seat_to_act() -> None:
    env = made(partner=None, mask_in="obs")
    relabelled = made(partner=None, suits="canonical", dtype="float32")
    for each in (env, relabelled):
        seen, info = each.reset(seed=2)
        rng = random.Random(2)
        for _ in range(40):
            view = view_of(each.table, each.table.to_act)
            if each is env:
                np.testing.assert_array_equal(seen["observation"], observe(view))
                np.testing.assert_array_equal(seen["action_mask"], action_mask(view))
            else:
                expected = np.zeros(OBSERVATION_SIZE, np.float32)
                write_observation(view, int(suit_order(view)), expected)
                np.testing.assert_array_equal(seen, expected)
            action = rng.choice(np.flatnonzero(info["action_mask"]).tolist())
            seen, _, terminated, truncated, info = each.step(action)
            if terminated or truncated:
                seen, info = each.reset()


def test_the_deals_are_those_of_the_other_environments() -> None:
    env, other = made(dealer="West", seat="North"), hasenpfeffer_v0.raw_env(dealer=3)
    env.reset(seed=7)
    other.reset(seed=7)
    assert env.table.hands.tolist() == other.table.hands.tolist()


def test_win_is_plus_or_minus_one_at_the_end_of_the_game() -> None:
    env = made(reward="win", rules={"target": 1, "max_deals": 4}, partner="rule_based")
    env.reset(seed=1)
    ends = set()
    for episode in range(40):
        rewards = [step[2][1] for step in random_steps(env, random.Random(episode))]
        assert not any(rewards[:-1])
        assert rewards[-1] == {NORTH_SOUTH: 1, EAST_WEST: -1, NOBODY: 0}[int(env.table.winner)]
        ends.add(rewards[-1])
    assert ends == {1, -1, 0}


def test_a_long_game_is_truncated() -> None:
    env = made(rules={"max_deals": 2}, opponents="sensible_random", partner="sensible_random")
    env.reset(seed=1)
    *_, (_, _, (_, _, terminated, truncated, _)) = random_steps(env, random.Random(1))
    assert (terminated, truncated) == (False, True)
    assert env.table.deals_played == 2


def test_who_plays_for_whom() -> None:
    """The first of a pair of opponents sits at the learner's left; nobody is asked where only one
    action is legal, and nobody sees anything but its view."""
    asked: dict[str, set[int]] = {"left": set(), "right": set(), "partner": set()}

    def agent(name: str) -> Scripted:
        def choose(view: Any, _: int) -> int:
            asked[name].add(int(view.seat))
            assert view.legal & (view.legal - 1)
            return int(lowest_bit(view.legal))

        return Scripted(name, choose)

    env = made(opponents=(agent("left"), agent("right")), partner=agent("partner"), seat="S")
    env.reset(seed=1)
    for _ in range(3):
        assert list(random_steps(env, random.Random(3)))
    assert asked == {"left": {WEST}, "right": {EAST}, "partner": {NORTH}}


def test_an_oracle_may_play() -> None:
    """It is given whole tables, and tables where an opponent is to act only."""

    class Oracle(Scripted):
        def act_oracle(self, tables: Any, streams: Any) -> Any:
            assert set(tables["to_act"].tolist()) <= {EAST, WEST}
            return np.array([lowest_bit(legal_actions(table)) for table in tables])

    env = made(opponents=Oracle("oracle", None), episode="deal")
    env.reset(seed=1)
    assert list(random_steps(env, random.Random(1)))


def test_forced_actions_can_be_left_out() -> None:
    def choices(skip: bool) -> list[int]:
        env = made(skip_forced=skip, partner=None)
        env.reset(seed=1)
        _, info = env.reset()
        counts = [int(info["action_mask"].sum())]
        counts += [int(s[2][4]["action_mask"].sum()) for s in random_steps(env, random.Random(1))]
        return counts[:-1]

    assert min(choices(False)) == 1
    assert min(choices(True)) == 2


def test_an_illegal_action_ends_the_episode() -> None:
    for options, penalty in (({}, -24), ({"illegal_reward": -3}, -3)):
        env = made(mask_in="obs", **options)
        env.reset(seed=1)
        seen, reward, terminated, truncated, info = env.step(ALONE)
        assert (reward, terminated, truncated) == (penalty, True, False)
        assert not info["action_mask"].any()
        assert not seen["action_mask"].any()
        with pytest.raises(ResetNeeded, match="the episode is over"):
            env.step(ALONE)
        env.reset()
        assert env.action_masks().any()


def test_an_episode_in_which_the_learner_decides_nothing_is_not_shown() -> None:
    """The partner makes the top bid and plays alone. It has the first call in every fourth deal."""

    def top(view: Any, _: int) -> int:
        return ALONE if view.legal >> ALONE & 1 else int(highest_bit(view.legal))

    loner = Scripted("loner", top)
    env = made(partner=loner, opponents=lowest(), episode="deal", rules="set_bid")
    env.reset(seed=1)
    for _ in range(20):
        env.reset()
        assert env.table.maker != SOUTH
        assert env.table.to_act == NORTH
    stuck = made(partner=loner, opponents=lowest(), episode="deal", dealer="East")
    with pytest.raises(RuntimeError, match="nothing to decide in 1000 episodes in a row"):
        stuck.reset(seed=1)


def test_points_before_the_learners_first_decision_are_part_of_its_first_reward() -> None:
    """In a game the partner's deals count, whether or not the learner had something to decide."""

    def top(view: Any, _: int) -> int:
        return ALONE if view.legal >> ALONE & 1 else int(highest_bit(view.legal))

    env = made(partner=Scripted("loner", top), opponents=highest(), dealer="East")
    env.reset(seed=5)
    assert env.table.deals_played > 0
    total = sum(step[2][1] for step in random_steps(env, random.Random(1)))
    score = env.table.score
    assert total == score[0] - score[1]


def test_a_seed_begins_anew_and_a_copy_goes_on() -> None:
    def rest(env: Any) -> list[Any]:
        return [(a, r[1], r[0].tobytes()) for _, a, r in random_steps(env, random.Random(4))]

    env = made()
    env.reset(seed=9)
    first = rest(env)
    env.reset(seed=9)
    assert rest(env) == first
    twin = deepcopy(env)
    assert rest(env) == rest(twin) != first


def test_nothing_is_used_twice() -> None:
    env = made(mask_in="obs")
    seen, info = env.reset(seed=1)
    kept = deepcopy((seen, info))
    env.step(int(np.flatnonzero(info["action_mask"])[0]))
    for name in ("observation", "action_mask"):
        np.testing.assert_array_equal(seen[name], kept[0][name])
    np.testing.assert_array_equal(info["action_mask"], kept[1]["action_mask"])


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"opponents": "rule_base"}, "East: no agent 'rule_base'.*did you mean rule_based"),
        ({"partner": 3}, "South: an agent is a name such as 'rule_based' or an object that acts: 3"),
        ({"opponents": ("uniform",)}, "opponents: 1 given, not one for both or a left and a right one"),
        ({"seat": "Nord"}, "seat 'Nord' is neither 0 to 3 nor N, E, S or W"),
        ({"mask_in": "observation"}, "mask_in='observation' is not one of info, obs"),
        ({"dtype": "int16"}, "dtype='int16' is not one of int8, float32"),
        ({"suits": "sorted"}, "suits='sorted' is not one of as_dealt, canonical"),
        ({"rules": "mini4"}, "rules: no preset 'mini4'"),
        ({"reward": "win", "episode": "deal"}, "reward='win' needs episode='game'"),
    ],
)
def test_wrong_options_are_refused_in_a_sentence(options: Any, sentence: str) -> None:
    with pytest.raises((ValueError, TypeError), match=sentence):
        made(**options)


def test_wrong_actions_are_refused_and_change_nothing() -> None:
    env = made()
    env.reset(seed=1)
    before = env.table.tobytes()
    for action, kind, sentence in (
        (N_ACTIONS, ValueError, "no such action: 39"),
        (-1, ValueError, "no such action: -1"),
        (1.0, TypeError, "action=1.0 is not a whole number"),
        ("pass", TypeError, "action='pass' is not a whole number"),
    ):
        with pytest.raises(kind, match=sentence):
            env.step(action)
    assert env.table.tobytes() == before


def test_an_agent_is_named_where_it_plays_an_illegal_action() -> None:
    cheat = Scripted("cheat", lambda view, i: N_ACTIONS - 1)
    env = made(opponents=cheat, dealer="North")
    with pytest.raises(ValueError, match="agent cheat: East"):
        env.reset(seed=1)


def test_an_agent_given_twice_is_asked_for_both_seats_at_once() -> None:
    agent = make_agent("uniform")
    env = made(opponents=(agent, agent), partner="uniform")
    assert [each.name for each in env._learner.agents] == ["uniform", "uniform"]
    assert env._learner.agent_of_seat.tolist() == [-1, 0, 1, 0]
